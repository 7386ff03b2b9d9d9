"""Camera presets, and how they change with the size of the picture."""

import numpy as np
import pytest

from handloom_simulation.cameras import FISHEYE_155, FISHEYE_200, PRESETS, UMI_GOPRO, cropped, scaled


@pytest.mark.parametrize("width", [676, 1352, 224])
def test_a_scaled_camera_sees_the_same_at_the_same_share_of_its_picture(width):
    camera = scaled(UMI_GOPRO, width)
    rays = np.random.default_rng(0).normal(loc=(0.0, 0.0, 1.0), size=(50, 3))
    (full, seen), (small, _) = UMI_GOPRO.project(rays), camera.project(rays)
    scale = np.array([camera.width / 2704, camera.height / 2028])
    assert (small + 0.5)[seen] == pytest.approx(((full + 0.5) * scale)[seen])
    assert camera.k1 == UMI_GOPRO.k1
    assert camera.height % 2 == 0


def test_a_crop_moves_every_pixel_by_its_margins():
    video = cropped(UMI_GOPRO, 2704, 1520)
    ray = [[0.2, 0.1, 1.0]]
    assert UMI_GOPRO.project(ray)[0] - video.project(ray)[0] == pytest.approx(np.array([[0.0, 254.0]]))
    assert (video.width, video.height) == (2704, 1520)


def test_the_wrist_cameras_see_the_angles_they_are_named_after():
    for camera, degrees in ((FISHEYE_155, 155.0), (FISHEYE_200, 200.0)):
        half = np.deg2rad(0.5 * degrees)
        pixel, seen = camera.project([[np.sin(half), 0.0, np.cos(half)]])
        radius = pixel[0, 0] - camera.cx
        edge = 0.5 * np.hypot(camera.width, camera.height) if degrees == 155.0 else 0.5 * camera.width
        assert seen.all()
        assert radius == pytest.approx(edge, rel=0.03)
        assert radius <= edge + 1e-6


def test_every_preset_has_a_name():
    assert sorted(PRESETS) == ["fisheye_155", "fisheye_200", "polyumi_gopro", "top_camera", "umi_gopro"]
