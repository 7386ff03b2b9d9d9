"""Camera models undo themselves wherever they call themselves valid, and nowhere claim more."""

import attrs
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from handloom.errors import ConfigError, FrameError
from handloom.geometry import DoubleSphere, KannalaBrandt, Pinhole

SIZE = {"width": 1352, "height": 1014, "fx": 421.47, "fy": 421.0, "cx": 674.61, "cy": 504.08}
PINHOLE = Pinhole(**SIZE)
# The published intrinsics of two real lenses: a GoPro behind the Max Lens Mod, and UMI's at 2704x2028.
MAX_LENS = KannalaBrandt(**SIZE, k1=0.02893, k2=-0.12456, k3=0.12351, k4=-0.04367)
UMI_LENS = KannalaBrandt(
    width=2704,
    height=2028,
    fx=796.854,
    fy=796.854,
    cx=1354.43,
    cy=1011.48,
    k1=-0.02196,
    k2=-0.01896,
    k3=0.00169,
    k4=-0.000168,
)
WIDE = KannalaBrandt(**SIZE, k1=0.01, k2=-0.005)
EQUIDISTANT = KannalaBrandt(**SIZE)
DOUBLE = DoubleSphere(**SIZE, xi=-0.2, alpha=0.6)
SHALLOW = DoubleSphere(**SIZE, xi=0.3, alpha=0.4)
CAMERAS = {
    "pinhole": PINHOLE,
    "max_lens": MAX_LENS,
    "umi_lens": UMI_LENS,
    "wide": WIDE,
    "equidistant": EQUIDISTANT,
    "double": DOUBLE,
    "shallow": SHALLOW,
}
every_camera = pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS.keys())


def directions(count=4000, seed=0):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def at_angle(angles, turn=0.7):
    angles = np.asarray(angles, float)
    across = np.sin(angles)
    return np.stack([across * np.cos(turn), across * np.sin(turn), np.cos(angles)], axis=-1)


@every_camera
def test_every_valid_pixel_looks_back_at_its_point(camera):
    rays = directions()
    pixels, valid = camera.project(rays * np.random.default_rng(1).uniform(0.1, 50.0, (len(rays), 1)))
    back, reached = camera.unproject(pixels[valid])
    assert valid.sum() > 1000
    assert reached.mean() > 0.999  # only directions within rounding of the end of the range may be missed
    # Near the end of a fisheye's range the radius hardly rises, so angles are only good to the root of rounding.
    error = np.linalg.norm(back - rays[valid], axis=1)[reached]
    assert np.median(error) < 1e-12
    assert error.max() < 1e-6


@every_camera
def test_every_reached_pixel_is_seen_again_in_the_same_place(camera):
    x, y = np.meshgrid(np.linspace(-300, camera.width + 300, 40), np.linspace(-300, camera.height + 300, 40))
    pixels = np.stack([x.ravel(), y.ravel()], axis=1)
    rays, reached = camera.unproject(pixels)
    again, valid = camera.project(rays[reached])
    assert reached.any()
    assert valid.all()
    assert np.abs(again - pixels[reached]).max() < 1e-9
    assert np.allclose(np.linalg.norm(rays[reached], axis=1), 1.0, atol=1e-12)


@every_camera
def test_what_is_not_valid_is_nan(camera):
    points = np.concatenate(
        [directions(500), [[0, 0, 0], [0, 0, -1], [np.nan, 0, 1], [np.inf, 0, 1], [1e300, 0, 1e-300]]]
    )
    pixels, valid = camera.project(points)
    assert np.array_equal(np.isfinite(pixels).all(axis=1), valid)
    assert np.array_equal(np.isnan(pixels).all(axis=1), ~valid)
    assert not valid[500:504].any()
    rays, reached = camera.unproject([[np.nan, 0], [np.inf, 0], [1e300, 1e300], [camera.cx, camera.cy]])
    assert np.isnan(rays[~reached]).all()
    assert reached[3]
    assert not reached[:2].any()


@every_camera
def test_the_axis_is_seen_at_the_principal_point(camera):
    pixels, valid = camera.project([[0.0, 0.0, 3.0], [1e-200, 0.0, 1.0]])
    assert valid.all()
    assert np.allclose(pixels, [camera.cx, camera.cy], atol=1e-9)
    rays, _ = camera.unproject([[camera.cx, camera.cy]])
    assert np.array_equal(rays, [[0.0, 0.0, 1.0]])


@every_camera
def test_distance_does_not_matter(camera):
    rays = directions(200)
    near, valid = camera.project(rays * 1e-200)
    far, valid_far = camera.project(rays * 1e200)
    assert np.array_equal(valid, valid_far)
    assert np.allclose(near[valid], far[valid], rtol=1e-9)


@every_camera
def test_resizing_keeps_every_point_at_its_place_in_the_picture(camera):
    small = camera.scaled(camera.width // 4, camera.height // 2)
    pixels, valid = camera.project(directions(300))
    resized, still = small.project(directions(300))
    assert np.array_equal(valid, still)
    share = (pixels[valid] + 0.5) / [camera.width, camera.height]
    assert np.allclose((resized[valid] + 0.5) / [small.width, small.height], share, atol=1e-9)
    back = small.scaled(camera.width, camera.height)
    assert attrs.astuple(back) == pytest.approx(attrs.astuple(camera))


def test_halving_a_picture_moves_the_centre_by_a_quarter_pixel():
    camera = Pinhole(width=640, height=480, fx=500.0, fy=500.0, cx=319.5, cy=239.5)
    half = camera.scaled(320, 240)
    assert (half.cx, half.cy, half.fx) == (159.5, 119.5, 250.0)


def test_the_picture_ends_half_a_pixel_outside_the_centres():
    inside = PINHOLE.contains([[-0.5, 0], [-0.6, 0], [1351.5, 1013.5], [1351.6, 0], [np.nan, 0]])
    assert inside.tolist() == [True, False, True, False, False]


def test_the_pinhole_is_the_matrix():
    points = directions(100)
    pixels, valid = PINHOLE.project(points)
    by_matrix = points[valid] @ PINHOLE.matrix().T
    assert np.allclose(pixels[valid], by_matrix[:, :2] / by_matrix[:, 2:])
    assert np.array_equal(valid, points[:, 2] > 0)


def test_the_fisheye_sees_past_ninety_degrees_on_the_right_side():
    camera = KannalaBrandt(width=3000, height=3000, fx=480.0, fy=480.0, cx=1000.0, cy=1000.0)
    pixels, valid = camera.project([[1.0, 0.0, -0.2]])
    assert valid.all()
    assert pixels[0] == pytest.approx([1000.0 + 480.0 * (np.pi / 2 + np.arctan(0.2)), 1000.0])
    rays, reached = camera.unproject(pixels)
    assert reached.all()
    assert rays[0] == pytest.approx(np.array([1.0, 0.0, -0.2]) / np.hypot(1.0, 0.2))


@pytest.mark.parametrize("camera", [MAX_LENS, UMI_LENS, WIDE])
def test_the_fisheye_ends_where_its_polynomial_turns(camera):
    limit = camera.max_angle
    angles = np.linspace(0.0, limit, 1000)
    assert (np.diff(camera.radius(angles)) > 0).all()
    assert 1.0 < limit < np.pi
    assert camera.radius(np.array(limit + 0.01)) < camera.radius(np.array(limit))
    _, valid = camera.project(at_angle([limit - 1e-6, limit + 1e-6]))
    assert valid.tolist() == [True, False]
    edge = camera.fx * float(camera.radius(np.array(limit)))
    _, reached = camera.unproject([[camera.cx + edge - 1e-6, camera.cy], [camera.cx + edge + 1e-6, camera.cy]])
    assert reached.tolist() == [True, False]


def test_an_equidistant_fisheye_sees_all_but_the_point_behind():
    assert EQUIDISTANT.max_angle == pytest.approx(np.pi)
    _, valid = EQUIDISTANT.project(at_angle([np.pi - 1e-6]))
    assert valid.all()


def test_fisheye_angles_are_those_of_the_polynomial():
    angles = np.linspace(0.0, 1.2, 50)
    pixels, valid = UMI_LENS.project(at_angle(angles, turn=0.0))
    k = (UMI_LENS.k1, UMI_LENS.k2, UMI_LENS.k3, UMI_LENS.k4)
    radius = angles + sum(c * angles ** (3 + 2 * power) for power, c in enumerate(k))
    assert valid.all()
    assert np.allclose(pixels[:, 0], UMI_LENS.cx + UMI_LENS.fx * radius, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    k=st.lists(st.floats(-0.3, 0.3), min_size=4, max_size=4),
    share=st.floats(1e-6, 1.0 - 1e-6),
)
@example(k=[0.0, 0.0, -0.25, 1.7e-171], share=0.5)  # a vanishing coefficient once hid the turn
def test_any_fisheye_inverts_on_its_whole_range(k, share):
    camera = KannalaBrandt(**SIZE, **dict(zip(("k1", "k2", "k3", "k4"), k, strict=True)))
    angle = share * camera.max_angle
    pixels, valid = camera.project(at_angle([angle]))
    rays, reached = camera.unproject(pixels)
    assert valid.all()
    assert reached.all()
    again, _ = camera.project(rays)
    assert np.abs(again - pixels).max() < 1e-8


@settings(max_examples=100, deadline=None)
@given(xi=st.floats(-0.95, 1.0), alpha=st.floats(0.0, 1.0), ray=st.tuples(*[st.floats(-1.0, 1.0)] * 3))
def test_any_double_sphere_inverts_where_it_sees(xi, alpha, ray):
    camera = DoubleSphere(**SIZE, xi=xi, alpha=alpha)
    assume(np.linalg.norm(ray) > 0.1)
    unit = np.array([ray]) / np.linalg.norm(ray)
    assume(unit[0, 2] > camera.min_cosine + 1e-3)
    pixels, valid = camera.project(unit)
    back, reached = camera.unproject(pixels)
    assert valid.all()
    assert reached.all()
    assert np.allclose(back, unit, atol=1e-6)


def test_two_points_never_share_a_pixel_of_a_double_sphere():
    # Equation 45 of the paper calls both of these visible: z > 0.53 at this xi and alpha.
    camera = DoubleSphere(**SIZE, xi=-0.625, alpha=1.0)
    hidden, seen = np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0), np.array([0.525943, 0.525943, 0.668407])
    pixels, valid = camera.project([hidden, seen])
    assert valid.tolist() == [False, True]
    assert camera.unproject(pixels)[0][1] == pytest.approx(seen, abs=1e-5)


def test_a_double_sphere_without_shifts_is_a_pinhole():
    camera = DoubleSphere(**SIZE, xi=0.0, alpha=0.0)
    points = directions(200)
    pixels, valid = camera.project(points)
    by_pinhole, in_front = PINHOLE.project(points)
    assert np.array_equal(valid, in_front)
    assert np.allclose(pixels[valid], by_pinhole[valid])


def test_the_double_sphere_sees_past_ninety_degrees():
    assert DOUBLE.min_cosine < 0.0
    _, valid = DOUBLE.project(at_angle([np.arccos(DOUBLE.min_cosine) - 1e-6, np.arccos(DOUBLE.min_cosine) + 1e-6]))
    assert valid.tolist() == [True, False]


@every_camera
def test_projection_is_smooth_where_it_is_valid(camera):
    points, step = at_angle(np.linspace(0.05, 1.1, 20)), 1e-6
    for axis in np.eye(3):
        ahead, behind = camera.project(points + step * axis)[0], camera.project(points - step * axis)[0]
        wide_ahead, wide_behind = (
            camera.project(points + 3 * step * axis)[0],
            camera.project(points - 3 * step * axis)[0],
        )
        assert np.allclose((ahead - behind) / 2, (wide_ahead - wide_behind) / 6, atol=1e-7)


def test_impossible_values_are_all_listed():
    with pytest.raises(ConfigError) as caught:
        DoubleSphere(**{**SIZE, "width": 0, "fy": -1.0, "cx": float("nan")}, xi=-1.0, alpha=2.0)
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["width", "fy", "cx", "xi", "alpha"]


def test_wrong_shapes_are_named():
    with pytest.raises(FrameError, match=r"Points must have shape \(\.\.\., 3\)"):
        PINHOLE.project([[1.0, 2.0]])
    with pytest.raises(FrameError, match=r"Pixels must have shape \(\.\.\., 2\)"):
        PINHOLE.unproject([[1.0, 2.0, 3.0]])


def test_no_points_give_no_pixels():
    pixels, valid = MAX_LENS.project(np.empty((0, 3)))
    assert pixels.shape == (0, 2)
    assert valid.shape == (0,)
    rays, reached = MAX_LENS.unproject(np.empty((0, 2)))
    assert rays.shape == (0, 3)
    assert reached.shape == (0,)
