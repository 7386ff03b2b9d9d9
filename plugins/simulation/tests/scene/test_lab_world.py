import attrs
import numpy as np
import pytest

from handloom.geometry import pose
from handloom_simulation.cameras import presets
from handloom_simulation.gripper import CLOSED_TAG_SEPARATION_M, FINGERS, STROKE_M
from handloom_simulation.motions import Occlusion, synthetic_take
from handloom_simulation.motions.fingers import finger_poses
from handloom_simulation.render import Renderer, RenderSettings
from handloom_simulation.scene import LabSettings, lab_world
from handloom_simulation.scene.hardware import finger_tag_face
from handloom_simulation.scene.mjcf import lab_mjcf
from handloom_simulation.scene.objects import THINGS, start_poses
from handloom_simulation.world import World

WRIST = presets.scaled(presets.UMI_GOPRO, 676)


@pytest.fixture(scope="module")
def world():
    return lab_world(LabSettings(tag_layout=4, polyhedron="right", texels=256))


@pytest.fixture(scope="module")
def model():
    import mujoco

    return mujoco.MjModel.from_xml_string(lab_mjcf(start_poses(np.random.default_rng(0)), frozenset(THINGS)))


def tag_corners_in_camera(finger, width_m):
    face = finger_tag_face(finger)
    half = 0.008
    corners = np.array([[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]])
    T_camera_finger = finger_poses(pose.IDENTITY[None], np.array([width_m]))[finger][0]
    return pose.transform_points(pose.compose(T_camera_finger, face.T_body_face), corners)


def test_everything_seen_belongs_to_a_body_of_every_take(world):
    bodies = {part.body for part in (*world.faces, *world.solids)}
    assert bodies - {"world"} <= set(synthetic_take(0.6).poses)


def test_what_is_seen_is_what_is_touched(world, model):
    seen = {solid.name: solid for solid in world.solids}
    for index in range(model.ngeom):
        geom = model.geom(index)
        solid = seen[f"{geom.name}/pad" if geom.name in FINGERS else geom.name]
        used = len(solid.size_m)
        np.testing.assert_allclose(geom.size[:used], (*solid.size_m,) if used > 1 else solid.size_m, atol=1e-12)
        np.testing.assert_allclose(geom.pos, solid.T_body_solid[:3], atol=1.1e-3)


def test_the_fingers_reach_as_far_as_the_stroke(model):
    for finger in FINGERS:
        np.testing.assert_allclose(model.joint(finger).range, [0.0, 0.5 * STROKE_M])


@pytest.mark.parametrize("width_m", [0.0, 0.04, STROKE_M])
def test_the_tags_are_as_far_apart_as_the_jaw_is_open(width_m):
    centres = [tag_corners_in_camera(finger, width_m).mean(axis=0) for finger in FINGERS]
    np.testing.assert_allclose(centres[1] - centres[0], [CLOSED_TAG_SEPARATION_M + width_m, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("width_m", [0.0, STROKE_M])
@pytest.mark.parametrize("finger", FINGERS)
def test_finger_tags_lie_inside_the_wrist_image_and_are_readable(finger, width_m):
    pixels, valid = WRIST.project(tag_corners_in_camera(finger, width_m))
    assert valid.all()
    assert ((pixels > 8.0) & (pixels < np.array([WRIST.width, WRIST.height]) - 8.0)).all()
    sides = np.linalg.norm(pixels - np.roll(pixels, 1, axis=0), axis=1)
    assert sides.min() > 22.0


def test_the_gripper_fills_a_good_part_of_the_wrist_image_at_its_bottom(world):
    white = np.full((1, 1, 3), 255, dtype=np.uint8)
    ours = {"gripper", *FINGERS}
    plain = World(
        faces=tuple(attrs.evolve(face, picture=white) for face in world.faces if face.body in ours),
        solids=tuple(attrs.evolve(s, colour=(255, 255, 255)) for s in world.solids if s.body in ours),
        ambient=1.0,
    )
    camera = presets.scaled(presets.UMI_GOPRO, 134)
    poses = {"gripper": pose.IDENTITY, "world": pose.IDENTITY}
    poses |= {name: rows[0] for name, rows in finger_poses(pose.IDENTITY[None], np.array([0.06])).items()}
    picture = Renderer(plain, camera, RenderSettings(samples=1)).still(poses)
    hardware = picture[..., 0] > 127
    grid = np.stack(np.meshgrid(np.arange(camera.width), np.arange(camera.height)), axis=-1)
    _, lit = camera.unproject(grid.reshape(-1, 2).astype(np.float64))
    assert 0.25 < hardware.sum() / lit.sum() < 0.40
    assert hardware[2 * camera.height // 3 :].sum() > 0.8 * hardware.sum()


def test_a_marker_layout_has_the_tags_that_are_asked_for():
    for count in (0, 2, 4):
        names = [face.name for face in lab_world(LabSettings(tag_layout=count, texels=256)).faces]
        assert sum(name in {f"world/tag-{number}" for number in range(4)} for name in names) == count


def test_a_layout_on_the_wall_is_seen_over_the_table():
    faces = lab_world(LabSettings(tag_layout=2, tag_layout_on="wall", texels=256)).faces
    tags = [face for face in faces if face.name in ("world/tag-0", "world/tag-1")]
    T_world_camera = synthetic_take(1.0).poses["gripper"][0]
    for tag in tags:
        pixel, seen = WRIST.project(pose.transform_points(pose.inverse(T_world_camera), tag.T_body_face[:3]))
        assert seen
        assert 0.0 < pixel[0] < WRIST.width
        assert 0.0 < pixel[1] < 0.5 * WRIST.height


def test_the_polyhedron_has_26_faces_and_the_right_hand_s_tags(world):
    on_gripper = [face.name for face in world.faces if face.body == "gripper"]
    assert len(on_gripper) == 26
    assert {f"gripper/tag-{number}" for number in range(16, 32)} <= set(on_gripper)


@pytest.mark.parametrize("by", ["hand", "object"])
def test_a_finger_tag_and_the_marker_can_be_covered(world, by):
    import cv2

    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    detector = cv2.aruco.ArucoDetector(dictionary, cv2.aruco.DetectorParameters())
    hidden = [Occlusion(covers=what, by=by, start_s=1.0, end_s=2.0) for what in ("finger_left", "table_marker")]
    take = synthetic_take(3.5, seed=2, occlusions=tuple(hidden))
    renderer = Renderer(world, WRIST)

    def seen(stamp_ns):
        _, ids, _ = detector.detectMarkers(renderer.frame(take, stamp_ns)[..., 1])
        return set(ids.ravel().tolist()) & {0, 1, 13}

    assert seen(500_000_000) == {0, 1, 13}
    assert seen(1_500_000_000) == {1}
    assert seen(3_000_000_000) == {0, 1, 13}
