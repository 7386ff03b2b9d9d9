"""What is rendered is where the camera model says it is."""

import numpy as np
import pytest

from handloom.errors import FrameError
from handloom.geometry import IDENTITY, KannalaBrandt, Pinhole, pose
from handloom_simulation.cameras import UMI_GOPRO, scaled
from handloom_simulation.pictures import checkerboard_corners, checkerboard_face
from handloom_simulation.render import Renderer, RenderSettings
from handloom_simulation.world import Face, Solid, World

SMALL = Pinhole(width=64, height=48, fx=60.0, fy=60.0, cx=31.5, cy=23.5)
WHITE = np.full((1, 1, 3), 255, dtype=np.uint8)
BRIGHT = {"ambient": 1.0}


def patch(size, at=(0.0, 0.0, 1.0), **more):
    T = np.array([*at, 0.0, 0.0, 0.0, 1.0])
    return Face(name="patch", body="world", T_body_face=T, size_m=size, picture=WHITE, **more)


def look(world, camera=SMALL, poses=None, **settings):
    return Renderer(world, camera, RenderSettings(**settings), mounted_on="world").still(poses or {})


def centre_of_light(picture):
    light = picture[..., 0].astype(float)
    rows, columns = np.indices(light.shape)
    return np.array([(light * columns).sum(), (light * rows).sum()]) / light.sum()


def test_a_pixel_holds_the_share_of_its_area_that_is_covered():
    picture = look(World(faces=(patch((0.345, 0.345)),), solids=(), **BRIGHT), samples=8)
    assert picture.sum() / 3 / 255 == pytest.approx((0.345 * 60) ** 2, rel=2e-3)


def test_the_middle_of_a_patch_is_where_it_projects():
    at = (0.071, -0.043, 1.0)
    picture = look(World(faces=(patch((0.3, 0.2), at),), solids=(), **BRIGHT), samples=8)
    assert centre_of_light(picture) == pytest.approx(SMALL.project(np.array(at))[0], abs=0.02)


def test_checkerboard_corners_are_found_where_the_fisheye_projects_them():
    cv2 = pytest.importorskip("cv2")
    camera = scaled(UMI_GOPRO, 676)
    T = np.array([0.02, 0.03, 0.22, *np.array([0.1, -0.15, 0.3, 0.93]) / np.linalg.norm([0.1, -0.15, 0.3, 0.93])])
    board = checkerboard_face(columns=6, rows=5, square_m=0.03, T_body_face=T)
    grey = look(World(faces=(board,), solids=()), camera, samples=4)[..., 0].copy()
    points = pose.transform_points(T, checkerboard_corners(columns=6, rows=5, square_m=0.03))
    truth, valid = camera.project(points)
    assert valid.all()
    found = cv2.cornerSubPix(grey, truth.astype(np.float32) + 0.6, (4, 4), (-1, -1), (3, 100, 1e-4))
    errors = found - truth
    assert np.linalg.norm(errors.mean(axis=0)) < 0.02
    assert np.sqrt((errors**2).sum(axis=-1).mean()) < 0.1


def test_a_face_is_seen_from_its_front_only():
    turned = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    face = Face(name="back", body="world", T_body_face=turned, size_m=(1.0, 1.0), picture=WHITE)
    assert not look(World(faces=(face,), solids=())).any()


def test_an_outline_leaves_the_rest_of_the_picture_away():
    triangle = np.array([[-0.1, -0.1], [0.1, -0.1], [-0.1, 0.1]])
    picture = look(World(faces=(patch((1.0, 1.0), outline_m=triangle),), solids=(), **BRIGHT), samples=8)
    assert picture.sum() / 3 / 255 == pytest.approx(0.5 * (0.2 * 60) ** 2, rel=0.02)


@pytest.mark.parametrize("corners", [3, 5, 8])
def test_outlines_of_any_number_of_corners_have_their_area(corners):
    angles = 2.0 * np.pi * np.arange(corners) / corners + 0.1
    outline = 0.15 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    others = (patch((0.01, 0.01), (5.0, 5.0, 1.0), outline_m=outline[:3]),)
    picture = look(World(faces=(patch((1.0, 1.0), outline_m=outline), *others), solids=(), **BRIGHT), samples=8)
    area = 0.5 * corners * (0.15 * 60) ** 2 * np.sin(2.0 * np.pi / corners)
    assert picture.sum() / 3 / 255 == pytest.approx(area, rel=0.02)


@pytest.mark.parametrize(
    ("shape", "size", "area"),
    [
        ("sphere", (0.1,), np.pi * 0.1**2 / (25.0 - 0.01) * 25.0),
        ("box", (0.1, 0.08, 0.05), 0.2 * 0.16 / (1.0 - 0.05 / 5.0) ** 2),
        ("cylinder", (0.1, 0.05), np.pi * 0.1**2 / (1.0 - 0.05 / 5.0) ** 2),
        ("capsule", (0.1, 0.05), np.pi * 0.1**2 / (1.0 - 0.05 / 5.0) ** 2),
    ],
)
def test_solids_have_the_outline_of_their_shape(shape, size, area):
    camera = Pinhole(width=64, height=64, fx=1000.0, fy=1000.0, cx=31.5, cy=31.5)
    at = np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0])
    solid = Solid(name="it", body="world", T_body_solid=at, shape=shape, size_m=size, colour=(255, 255, 255))
    picture = look(World(faces=(), solids=(solid,), **BRIGHT), camera, samples=8)
    assert picture.sum() / 3 / 255 == pytest.approx(area * 200.0**2, rel=0.01)


@pytest.mark.parametrize("shape", ["box", "cylinder", "capsule"])
def test_a_lying_solid_shows_its_side(shape):
    lying = np.array([0.0, 0.0, 5.0, np.sin(np.pi / 4), 0.0, 0.0, np.cos(np.pi / 4)])
    size = {"box": (0.05, 0.05, 0.12), "cylinder": (0.05, 0.12), "capsule": (0.05, 0.07)}[shape]
    camera = Pinhole(width=64, height=64, fx=1000.0, fy=1000.0, cx=31.5, cy=31.5)
    solid = Solid(name="it", body="world", T_body_solid=lying, shape=shape, size_m=size, colour=(255, 255, 255))
    seen = look(World(faces=(), solids=(solid,), **BRIGHT), camera, samples=4)[..., 0] > 127
    assert np.ptp(np.nonzero(seen.any(axis=0))[0]) + 1 == pytest.approx(0.1 * 200, abs=1.5)
    assert np.ptp(np.nonzero(seen.any(axis=1))[0]) + 1 == pytest.approx(0.24 * 200, abs=1.5)


def test_the_nearer_thing_hides_the_farther_one_whatever_their_order():
    wall, near = patch((4.0, 4.0), (0.0, 0.0, 2.0)), patch((0.2, 0.2), (0.0, 0.0, 1.0))
    black = np.zeros((1, 1, 3), dtype=np.uint8)
    near = Face(name="n", body="world", T_body_face=near.T_body_face, size_m=near.size_m, picture=black)
    first = look(World(faces=(wall, near), solids=(), **BRIGHT))
    second = look(World(faces=(near, wall), solids=(), **BRIGHT))
    np.testing.assert_array_equal(first, second)
    assert first[24, 32, 0] == 0
    assert first[2, 2, 0] == 255


def test_what_a_tile_leaves_out_would_not_have_been_seen():
    """A thousand small things, drawn together and one by one, make the same picture."""
    random = np.random.default_rng(5)
    camera = KannalaBrandt(width=96, height=96, fx=32.0, fy=32.0, cx=47.5, cy=47.5)
    solids = []
    for number in range(40):
        quaternion = random.normal(size=4)
        T = np.concatenate([random.normal(size=3) * 0.5, quaternion / np.linalg.norm(quaternion)])
        shape = ("box", "sphere", "cylinder", "capsule")[number % 4]
        size = {"box": (0.03, 0.05, 0.2), "sphere": (0.05,)}.get(shape, (0.03, 0.3))
        solids.append(
            Solid(name="", body="world", T_body_solid=T, shape=shape, size_m=size, colour=(255, 255, 255))
        )
    together = look(World(faces=(), solids=tuple(solids), **BRIGHT), camera, samples=1)
    one_by_one = [look(World(faces=(), solids=(solid,), **BRIGHT), camera, samples=1) for solid in solids]
    np.testing.assert_array_equal(together, np.max(one_by_one, axis=0))
    assert 0.05 < (together > 0).mean() < 0.95


def test_beyond_the_models_reach_is_the_colour_of_outside():
    camera = KannalaBrandt(width=96, height=96, fx=40.0, fy=40.0, cx=47.5, cy=47.5)
    wall = patch((9.0, 9.0))
    picture = look(World(faces=(wall,), solids=(), **BRIGHT), camera, circle_deg=45.0, outside=(9, 8, 7))
    assert picture[48, 2].tolist() == [9, 8, 7]
    assert picture[48, 48].tolist() == [255, 255, 255]
    assert (picture[..., 0] == 255).sum() == pytest.approx(np.pi * (40.0 * np.pi / 4) ** 2, rel=0.06)


def test_light_falls_off_with_the_cosine():
    lit = {"light_direction": (0.0, 0.0, 1.0), "ambient": 0.2}
    straight = look(World(faces=(patch((2.0, 2.0)),), solids=(), **lit))[24, 32, 0]
    T = np.array([0.0, 0.0, 1.0, np.sin(np.pi / 6), 0.0, 0.0, np.cos(np.pi / 6)])
    tilted = Face(name="t", body="world", T_body_face=T, size_m=(2.0, 2.0), picture=WHITE)
    assert straight == 255
    assert look(World(faces=(tilted,), solids=(), **lit))[24, 32, 0] == pytest.approx(
        255 * (0.2 + 0.8 * 0.5), abs=1
    )


def test_a_far_picture_is_its_average():
    random = np.random.default_rng(0)
    noise = random.integers(0, 256, (256, 256, 3)).astype(np.uint8)
    T = np.array([0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 1.0])
    face = Face(name="n", body="world", T_body_face=T, size_m=(8.0, 8.0), picture=noise)
    middle = look(World(faces=(face,), solids=(), **BRIGHT))[14:34, 22:42].astype(float)
    assert middle.mean() == pytest.approx(noise.mean(), abs=1.5)
    assert middle.std() < 0.4 * noise.std()


def test_a_missing_body_is_named():
    face = Face(name="t", body="cup", T_body_face=IDENTITY, size_m=(1.0, 1.0), picture=WHITE)
    with pytest.raises(FrameError, match="'cup'"):
        look(World(faces=(face,), solids=()))


def test_an_empty_world_is_black():
    assert not look(World(faces=(), solids=())).any()


def test_threads_change_no_byte():
    world = World(faces=(patch((0.3, 0.2)),), solids=())
    np.testing.assert_array_equal(look(world), look(world, threads=3))
