"""The printed tag: edges from black to white, and the corner order of the OpenCV that is installed."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.errors import StepError
from handloom_sensors.width.detecting import Box, Detector
from handloom_sensors.width.opencv import opencv
from handloom_sensors.width.pattern import CORNERS, Layout, dictionary_of, pattern_from, pattern_of


def test_normals_point_from_black_to_white():
    white = np.random.default_rng(3).random((6, 6)) > 0.5
    pattern = pattern_from(white)
    padded = np.pad(white, 1, constant_values=True)
    for side, expected in ((-0.3, False), (0.3, True)):
        cell = np.floor((pattern.points + side / 6 * pattern.normals + 0.5) * 6).astype(int) + 1
        assert (padded[cell[:, 1], cell[:, 0]] == expected).all()


def test_an_all_black_square_has_its_outline_only():
    pattern = pattern_from(np.zeros((6, 6), dtype=bool))
    assert len(pattern.points) == 24
    assert np.allclose(np.abs(pattern.points).max(axis=1), 0.5)


def test_shorter_patterns_are_filled_up_and_not_counted():
    dictionary = dictionary_of("DICT_4X4_50")
    patterns = [pattern_of(dictionary, tag) for tag in (0, 1)]
    layout = Layout.of(patterns)
    assert layout.count.tolist() == [len(pattern.points) for pattern in patterns]
    assert (layout.printed.sum(axis=1) == layout.count).all()
    assert np.array_equal(layout.rows([1]).white[0], patterns[1].white)


@pytest.mark.parametrize("quarter_turns", range(4))
def test_installed_opencv_orders_corners_clockwise_from_the_generated_top_left(quarter_turns):
    dictionary = dictionary_of("DICT_4X4_50")
    marker = np.pad(opencv().aruco.generateImageMarker(dictionary, 0, 60), 30, constant_values=255)
    picture = np.ascontiguousarray(np.rot90(marker, quarter_turns))
    (seen,) = Detector(dictionary).find(picture, Box(left=0, top=0, right=120, bottom=120))
    turned = CORNERS @ np.linalg.matrix_power(np.array([[0, -1], [1, 0]]), quarter_turns)
    assert seen.tag == 0
    assert np.abs(seen.corners - (59.5 + 60 * turned)).max() < 1.0


@pytest.mark.parametrize("shrink", [0.5, 2.0, 3.0])
def test_corners_stay_where_they_are_whatever_the_picture_is_shrunk_by(shrink):
    dictionary = dictionary_of("DICT_4X4_50")
    marker = np.pad(opencv().aruco.generateImageMarker(dictionary, 1, 120), 61, constant_values=255)
    (seen,) = Detector(dictionary).find(marker, Box(left=1, top=1, right=242, bottom=242), shrink)
    assert np.abs(seen.corners - (120.5 + 120 * CORNERS)).max() < 0.75 * max(1.0, shrink)


@pytest.mark.parametrize(("name", "tag"), [("DICT_NONE", 0), ("DICT_4X4_50", 50), ("DICT_4X4_50", -1)])
def test_unknown_tags_and_dictionaries_are_sentences(name, tag):
    with pytest.raises(StepError, match=r"DICT_NONE|0 to 49"):
        pattern_of(dictionary_of(name), tag)
