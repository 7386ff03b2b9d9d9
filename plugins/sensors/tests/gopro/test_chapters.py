from itertools import permutations
from pathlib import Path

import pytest

from handloom.errors import RecordingError
from handloom_sensors.gopro.chapters import Chapter, chapter_of, in_order


def paths(*names):
    return [Path("card") / name for name in names]


@pytest.mark.parametrize(
    ("name", "chapter"),
    [
        ("GX010123.MP4", Chapter("GX0123", 1)),
        ("GH120123.MP4", Chapter("GH0123", 12)),
        ("GL010123.LRV", Chapter("GL0123", 1)),
        ("GS010123.360", Chapter("GS0123", 1)),
        ("gx020123.mp4", Chapter("GX0123", 2)),
        ("GOPR0123.MP4", Chapter("GOPR0123", 1)),
        ("GP010123.MP4", Chapter("GOPR0123", 2)),
        ("demo.mp4", None),
        ("GX010123-copy.MP4", None),
    ],
)
def test_names_say_recording_and_chapter(name, chapter):
    assert chapter_of(Path(name)) == chapter


@pytest.mark.parametrize(
    "names",
    [("GX010123.MP4", "GX020123.MP4", "GX030123.MP4"), ("GOPR0123.MP4", "GP010123.MP4", "GP020123.MP4")],
)
def test_chapters_are_sorted_by_number_in_whatever_order_they_come(names):
    for given in permutations(paths(*names)):
        assert in_order(given) == (tuple(paths(*names)), ())


def test_files_with_other_names_stay_in_the_order_given():
    assert in_order(paths("b.mp4", "a.mp4"))[0] == tuple(paths("b.mp4", "a.mp4"))


def test_files_of_several_recordings_are_refused():
    with pytest.raises(RecordingError, match=r"2 recordings \(GX010001.MP4, GX010002.MP4"):
        in_order(paths("GX010001.MP4", "GX010002.MP4"))


def test_a_chapter_missing_in_the_middle_is_refused():
    with pytest.raises(RecordingError, match=r"Chapter 2 is missing between GX010001.MP4 and GX030001.MP4"):
        in_order(paths("GX030001.MP4", "GX010001.MP4"))


def test_a_chapter_given_twice_is_refused():
    with pytest.raises(RecordingError, match="both chapter 1"):
        in_order([Path("a/GX010001.MP4"), Path("b/GX010001.MP4")])


def test_a_strange_name_among_chapters_is_refused():
    with pytest.raises(RecordingError, match=r"holiday.mp4 is not named like a GoPro chapter"):
        in_order(paths("GX010001.MP4", "holiday.mp4"))


def test_missing_first_chapters_are_noted():
    assert in_order(paths("GX020001.MP4"))[1] == (
        "GX020001.MP4 is chapter 2; the chapters before it were not given.",
    )


def test_no_file_is_refused():
    with pytest.raises(RecordingError, match="No file was given"):
        in_order(())
