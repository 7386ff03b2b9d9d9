"""The GL renderer shows what the ray tracer shows, and says clearly what it can't do."""

import os

import numpy as np
import pytest

from handloom.errors import ConfigError, PluginError
from handloom.geometry import IDENTITY, Pinhole, pose, quaternion
from handloom_simulation.cameras import FISHEYE_200, UMI_GOPRO, scaled
from handloom_simulation.motions import synthetic_take
from handloom_simulation.pictures import checkerboard_corners, checkerboard_face
from handloom_simulation.render import Renderer, RenderSettings
from handloom_simulation.render.cubemap import CubeRenderer
from handloom_simulation.scene import LabSettings, lab_world
from handloom_simulation.world import Face, Solid, World

SMALL = Pinhole(width=64, height=64, fx=60.0, fy=60.0, cx=31.5, cy=31.5)
WRIST = scaled(UMI_GOPRO, 338)
NOTHING = World(faces=(), solids=())


@pytest.fixture(scope="module")
def gl():
    if os.environ.get("MUJOCO_GL") not in ("osmesa", "egl"):
        pytest.skip("needs OpenGL: apt install libosmesa6 and set MUJOCO_GL=osmesa")
    try:
        CubeRenderer(NOTHING, SMALL, mounted_on="world").still({})
    except PluginError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def lab():
    return lab_world(LabSettings(texels=256, tag_layout=4, polyhedron="right"))


def both(world, camera, poses=None, *, mounted_on="world", **settings):
    renderers = (
        kind(world, camera, RenderSettings(**settings), mounted_on=mounted_on) for kind in (Renderer, CubeRenderer)
    )
    return [renderer.still(poses or {}).astype(int) for renderer in renderers]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"exposure_s": 0.004}, "exposure_s"),
        ({"readout_s": 0.01}, "readout_s"),
        ({"threads": 2}, "threads"),
    ],
)
def test_a_setting_it_cannot_follow_is_refused(settings, named):
    with pytest.raises(ConfigError, match=f"^{named}: found .*; expected .*\\.$"):
        CubeRenderer(NOTHING, SMALL, RenderSettings(**settings))


def test_more_pixels_than_a_side_can_have_are_refused():
    with pytest.raises(ConfigError, match="take fewer samples"):
        CubeRenderer(NOTHING, UMI_GOPRO, RenderSettings(samples=4))


def test_an_exposure_without_blur_is_taken():
    CubeRenderer(NOTHING, SMALL, RenderSettings(exposure_s=0.004, blur_samples=1))


@pytest.mark.parametrize("found", ["", "glfw"])
def test_without_a_backend_it_says_what_to_install(monkeypatch, found):
    monkeypatch.setenv("MUJOCO_GL", found)
    with pytest.raises(PluginError, match=rf"MUJOCO_GL='{found}'.*apt install libosmesa6"):
        CubeRenderer(NOTHING, SMALL, mounted_on="world").still({})


def test_without_the_library_it_says_what_to_install(monkeypatch):
    import mujoco

    def fail(*_, **__):
        raise AttributeError("'NoneType' object has no attribute 'glGetError'")

    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    monkeypatch.setattr(mujoco, "Renderer", fail)
    with pytest.raises(PluginError, match=r"glGetError.*apt install libosmesa6"):
        CubeRenderer(NOTHING, SMALL, mounted_on="world").still({})


@pytest.mark.parametrize("camera", [WRIST, scaled(FISHEYE_200, 320)], ids=["umi", "200 degrees"])
@pytest.mark.usefixtures("gl")
def test_the_lab_looks_the_same_to_both(lab, camera):
    take = synthetic_take(0.6)
    settings = RenderSettings(samples=2, vignetting=0.2)
    traced, drawn = (
        kind(lab, camera, settings).frame(take, 300_000_000).astype(int) for kind in (Renderer, CubeRenderer)
    )
    difference = np.abs(traced - drawn).max(axis=-1)
    assert traced.std() > 30
    assert difference.mean() < 2.5
    assert (difference > 60).mean() < 0.01


@pytest.mark.parametrize(
    "turn",
    [(0.0, 0.0, 0.0), (0.0, 0.8, 0.0), (0.75, 0.0, 0.0), (0.5, -0.6, 0.0)],
    ids=["ahead", "right", "up", "corner"],
)
@pytest.mark.usefixtures("gl")
def test_checkerboard_corners_are_where_the_fisheye_projects_them(turn):
    cv2 = pytest.importorskip("cv2")
    camera = scaled(UMI_GOPRO, 676)
    tilted = np.array(
        [0.02, 0.03, 0.22, *np.array([0.1, -0.15, 0.3, 0.93]) / np.linalg.norm([0.1, -0.15, 0.3, 0.93])]
    )
    T = pose.compose(np.array([0.0, 0.0, 0.0, *quaternion.from_rotvec(np.array(turn))]), tilted)  # across seams
    board = checkerboard_face(columns=6, rows=5, square_m=0.03, T_body_face=T)
    drawn = CubeRenderer(World(faces=(board,), solids=()), camera, mounted_on="world").still({})
    points = pose.transform_points(T, checkerboard_corners(columns=6, rows=5, square_m=0.03))
    truth, valid = camera.project(points)
    assert valid.all()
    found = cv2.cornerSubPix(
        drawn[..., 0].copy(), truth.astype(np.float32) + 0.6, (4, 4), (-1, -1), (3, 100, 1e-4)
    )
    assert np.linalg.norm((found - truth).mean(axis=0)) < 0.1
    assert np.linalg.norm(found - truth, axis=-1).max() < 0.5


@pytest.mark.usefixtures("gl")
def test_tags_are_found_where_the_ray_tracer_shows_them(lab):
    cv2 = pytest.importorskip("cv2")
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    camera, take = scaled(UMI_GOPRO, 676), synthetic_take(0.6)
    traced, drawn = (
        {
            int(number): corners[0]
            for corners, number in zip(
                *detector.detectMarkers(kind(lab, camera).frame(take, 300_000_000))[:2], strict=True
            )
        }
        for kind in (Renderer, CubeRenderer)
    )
    assert {0, 1} <= set(traced) & set(drawn)
    for number in set(traced) & set(drawn):
        np.testing.assert_allclose(drawn[number], traced[number], atol=1.0)


@pytest.mark.parametrize(
    ("shape", "size"),
    [("sphere", (0.2,)), ("box", (0.2, 0.1, 0.3)), ("cylinder", (0.1, 0.2)), ("capsule", (0.1, 0.2))],
)
@pytest.mark.usefixtures("gl")
def test_solids_have_the_shape_and_shading_of_the_ray_tracer(shape, size):
    turned = np.array([0.1, 0.05, 1.0, *np.array([0.3, -0.5, 0.2, 0.8]) / np.linalg.norm([0.3, -0.5, 0.2, 0.8])])
    solid = Solid(name="s", body="thing", T_body_solid=IDENTITY, shape=shape, size_m=size, colour=(200, 120, 40))
    traced, drawn = both(World(faces=(), solids=(solid,)), SMALL, {"thing": turned}, samples=4)
    assert traced.max() > 100
    assert np.abs(traced - drawn).mean() < 1.0


@pytest.mark.usefixtures("gl")
def test_an_outline_shows_its_side_only():
    picture = np.random.default_rng(0).integers(0, 256, (8, 8, 3)).astype(np.uint8)
    outline = np.array([[-0.3, -0.3], [0.4, -0.2], [-0.1, 0.4]])
    T = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    face = Face(name="f", body="thing", T_body_face=T, size_m=(1.0, 1.0), picture=picture, outline_m=outline)
    world = World(faces=(face,), solids=())
    traced, drawn = both(world, SMALL, {"thing": IDENTITY}, samples=4)
    assert traced.any()
    assert np.abs(traced - drawn).mean() < 1.0
    behind = np.array([0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0])
    assert not both(world, SMALL, {"thing": behind})[1].any()


@pytest.mark.usefixtures("gl")
def test_the_same_frame_has_the_same_bytes(lab):
    take = synthetic_take(0.6)
    renderer = CubeRenderer(lab, WRIST, RenderSettings(read_noise_grey=2.0))
    first = renderer.frame(take, 300_000_000)
    renderer.frame(take, 400_000_000)
    np.testing.assert_array_equal(renderer.frame(take, 300_000_000), first)
