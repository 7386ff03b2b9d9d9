"""Shutter, motion blur, noise and gain."""

import numpy as np
import pytest

from handloom.errors import FrameError
from handloom.geometry import IDENTITY, Pinhole
from handloom_simulation.render import Renderer, RenderSettings
from handloom_simulation.take import Take
from handloom_simulation.world import Face, World

CAMERA = Pinhole(width=96, height=64, fx=100.0, fy=100.0, cx=47.5, cy=31.5)
WHITE = np.full((1, 1, 3), 255, dtype=np.uint8)
SPEED = 2.0  # m/s at 1 m: 200 px/s
MIDDLE = 50_000_000


def passing_by(size=(0.05, 2.0)):
    """A bright patch passes the middle of the picture at 50 ms."""
    stamps = np.arange(101, dtype=np.int64) * 1_000_000
    at = np.tile(IDENTITY, (len(stamps), 1))
    at[:, 0], at[:, 2] = SPEED * (stamps - MIDDLE) * 1e-9, 1.0
    none = np.zeros(len(stamps))
    take = Take(
        name="passing",
        stamps=stamps,
        poses={"patch": at},
        width_m=none,
        pad_force_n=np.zeros((len(stamps), 2)),
        pad_shear_n=np.zeros((len(stamps), 2, 2)),
        slide_speed_m_per_s=none,
    )
    face = Face(name="patch", body="patch", T_body_face=IDENTITY, size_m=size, picture=WHITE)
    return World(faces=(face,), solids=(), ambient=1.0), take


def film(stamp=MIDDLE, size=(0.05, 2.0), **settings):
    world, take = passing_by(size)
    return Renderer(world, CAMERA, RenderSettings(**settings), mounted_on="world").frame(take, stamp)


def middles(picture):
    light = picture[..., 0].astype(float)
    return (light * np.arange(light.shape[1])).sum(axis=1) / light.sum(axis=1)


def spread(picture):
    """Variance of the light along the middle row; that of a box as long as the blur is added by blurring."""
    light, columns = picture[32, :, 0].astype(float), np.arange(picture.shape[1])
    return (light * (columns - middles(picture)[32]) ** 2).sum() / light.sum()


def test_a_still_shutter_shows_the_stamps_instant():
    assert middles(film()) == pytest.approx(np.full(64, 47.5), abs=0.05)
    assert middles(film(MIDDLE + 10_000_000)) == pytest.approx(np.full(64, 47.5 + 2.0), abs=0.05)


def test_a_rolling_shutter_leans_what_moves_right_to_the_right_below():
    picture = film(readout_s=0.02)
    expected = 47.5 + 100.0 * SPEED * 0.02 * (np.arange(64) / 63 - 0.5)
    assert middles(picture) == pytest.approx(expected, abs=0.15)


def test_blur_is_as_long_as_the_motion_during_the_exposure():
    sharp, blurred = film(samples=4), film(samples=4, exposure_s=0.04, blur_samples=64)
    grown = spread(blurred) - spread(sharp)
    assert np.sqrt(12.0 * grown) == pytest.approx(100.0 * SPEED * 0.04, rel=0.02)
    assert blurred.astype(float).sum() == pytest.approx(sharp.astype(float).sum(), rel=0.01)
    assert middles(blurred) == pytest.approx(np.full(64, 47.5), abs=0.05)


def test_one_blur_sample_is_the_middle_of_the_exposure():
    np.testing.assert_array_equal(film(exposure_s=0.04, blur_samples=1), film())


def test_what_is_mounted_together_does_not_blur():
    world, take = passing_by()
    settings = RenderSettings(exposure_s=0.02, readout_s=0.01)
    behind = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0])
    moving = Renderer(world, CAMERA, settings, mounted_on="patch", T_body_camera=behind).frame(take, 30_000_000)
    np.testing.assert_array_equal(moving, film())


def test_the_scene_rests_before_and_after_its_take():
    picture = film(stamp=0, size=(0.5, 2.0), readout_s=0.02)
    x = middles(picture)
    assert x[:30] == pytest.approx(np.full(30, x[0]), abs=0.01)


def test_a_stamp_outside_the_take_is_refused():
    with pytest.raises(FrameError, match="lasts from 0 to 100000000 ns"):
        film(stamp=100_000_001)


def test_a_body_that_the_take_does_not_move_is_named():
    world, take = passing_by()
    with pytest.raises(FrameError, match="'gripper'"):
        Renderer(world, CAMERA).frame(take, MIDDLE)


def still(**settings):
    face = Face(
        name="grey",
        body="world",
        T_body_face=np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        size_m=(9.0, 9.0),
        picture=np.full((1, 1, 3), 128, dtype=np.uint8),
    )
    return Renderer(
        World(faces=(face,), solids=(), ambient=1.0), CAMERA, RenderSettings(**settings), mounted_on="world"
    )


def test_noise_has_the_spread_asked_for_and_no_bias():
    picture = still(read_noise_grey=3.0, shot_noise_grey=4.0).still({}).astype(float)
    assert picture.mean() == pytest.approx(128.0, abs=0.15)
    assert picture.std() == pytest.approx(np.sqrt(3.0**2 + 4.0**2 * 128 / 255 + 1 / 12), rel=0.03)
    assert abs(np.corrcoef(picture[:, :-1].ravel(), picture[:, 1:].ravel())[0, 1]) < 0.03
    assert abs(np.corrcoef(picture[:-1].ravel(), picture[1:].ravel())[0, 1]) < 0.03


def test_the_same_stamp_gives_the_same_bytes_and_another_gives_others():
    first, again = (still(read_noise_grey=3.0).still({}, 17) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (still(read_noise_grey=3.0).still({}, 18) != first).any()
    assert (still(read_noise_grey=3.0, seed=1).still({}, 17) != first).any()


def test_gain_flicker_and_vignetting_change_the_brightness():
    assert still(gain=0.5).still({})[0, 0, 0] == 64
    quarter = 25_000_000
    assert still(flicker=0.25, flicker_hz=10.0).still({}, quarter)[0, 0, 0] == 160
    dark = still(vignetting=0.5).still({})
    assert dark[0, 0, 0] == 64
    assert dark[32, 48, 0] == 128


def test_defocus_spreads_an_edge_and_keeps_its_light():
    sharp, soft = film(samples=4), film(samples=4, defocus_px=2.0)
    assert soft[32].max() < sharp[32].max()
    assert soft.astype(float).sum() == pytest.approx(sharp.astype(float).sum(), rel=0.01)
