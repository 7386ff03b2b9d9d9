"""Sizes of views: what is left out follows from the picture."""

import pytest

from handloom.media import Clip, View, decode, index_video, write_clip


@pytest.mark.parametrize(
    ("rotation_deg", "size", "shape"),
    [
        (0, {"width": 32}, (24, 32)),
        (0, {"height": 12}, (12, 16)),
        (0, {}, (48, 64)),
        (0, {"width": 10, "height": 10}, (10, 10)),
        (90, {"width": 32}, (24, 32)),
    ],
)
def test_a_side_left_out_follows_from_the_aspect_ratio(tmp_path, rotation_deg, size, shape):
    clip = write_clip(tmp_path / "a.mp4", Clip(width=64, height=48, frames=2, rotation_deg=rotation_deg))
    video = index_video((clip,)).video
    for _, _, views in decode(video, {"gray": View(format="gray", **size)}):
        assert views.gray.shape == shape
