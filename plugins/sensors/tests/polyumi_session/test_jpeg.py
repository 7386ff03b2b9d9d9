"""The size of a picture by its own header, on photographs that nobody here made."""

import pytest

from handloom.media import probe
from handloom_sensors.polyumi_session.jpeg import picture_of


@pytest.mark.parametrize("name", ["33369213973_9d9bb4cc96_c.jpg", "34085369442_304b6bafd9_c.jpg"])
def test_the_size_is_that_which_a_decoder_finds(shared_data, name):
    path = shared_data / "apriltag" / name
    (track,) = probe(path).tracks
    assert picture_of(path.read_bytes()).size == track.size
    assert picture_of(path.read_bytes()).fault == ""


def test_a_photograph_that_breaks_off_says_so(shared_data):
    data = (shared_data / "apriltag" / "33369213973_9d9bb4cc96_c.jpg").read_bytes()
    assert picture_of(data[: len(data) // 2]).fault == "breaks off"
    assert picture_of(data[:40]).fault == "has no frame header"
    assert picture_of(data + bytes(512)).fault == ""
