"""Walls and wood are seeded, and rich enough for a feature tracker."""

import numpy as np
import pytest

from handloom.geometry import IDENTITY
from handloom_simulation.pictures import (
    checkerboard_corners,
    checkerboard_face,
    plain_picture,
    wall_picture,
    wood_picture,
)


@pytest.mark.parametrize("make", [wall_picture, wood_picture])
def test_the_same_seed_gives_the_same_picture_and_another_a_different_one(make):
    first, again, other = (make(seed, width=256, height=128) for seed in (3, 3, 4))
    assert first.shape == (128, 256, 3)
    np.testing.assert_array_equal(first, again)
    assert (first != other).mean() > 0.3


def test_a_wall_has_hundreds_of_corners():
    cv2 = pytest.importorskip("cv2")
    grey = cv2.cvtColor(wall_picture(1, width=1024, height=512), cv2.COLOR_RGB2GRAY)
    corners, _ = cv2.ORB_create(1000).detectAndCompute(grey, None)
    assert len(corners) > 400


def test_a_plain_picture_is_one_texel():
    assert plain_picture((1, 2, 3)).tolist() == [[[1, 2, 3]]]


def test_a_checkerboards_corners_lie_between_four_squares_that_alternate():
    board = checkerboard_face(columns=5, rows=4, square_m=0.01, T_body_face=IDENTITY)
    corners = checkerboard_corners(columns=5, rows=4, square_m=0.01)
    assert len(corners) == 12
    assert corners.mean(axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    texel = (corners[:, :2] + 0.5 * np.array(board.size_m)) / 0.01
    for column, row in texel.round().astype(int):
        assert texel == pytest.approx(texel.round())
        four = board.picture[row - 1 : row + 1, column - 1 : column + 1, 0] > 127
        assert four[0, 0] == four[1, 1] != four[0, 1] == four[1, 0]
