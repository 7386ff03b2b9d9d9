"""Tags are the ones that detectors know, where and as large as they are said to be."""

import numpy as np
import pytest

from handloom.errors import ConfigError
from handloom.geometry import pose
from handloom_simulation.cameras import TOP_CAMERA, scaled
from handloom_simulation.pictures import marker_polyhedron, table_marker, tag_corners, tag_face, tag_layout
from handloom_simulation.pictures.polyhedron import square_normals
from handloom_simulation.render import Renderer, RenderSettings
from handloom_simulation.world import World

CAMERA = scaled(TOP_CAMERA, 640)
BEFORE = np.array([0.03, -0.02, 0.5, 0.1, -0.12, 0.08, 0.98])
BEFORE[3:] /= np.linalg.norm(BEFORE[3:])


def detect(faces, dictionary, poses=None):
    cv2 = pytest.importorskip("cv2")
    world = World(faces=tuple(faces), solids=(), ambient=1.0)
    settings = RenderSettings(samples=4, outside=(90, 90, 90))
    picture = Renderer(world, CAMERA, settings, mounted_on="world").still(poses or {})
    known = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, numbers, _ = cv2.aruco.ArucoDetector(known, parameters).detectMarkers(picture)
    return {} if numbers is None else dict(zip(numbers.ravel().tolist(), (c[0] for c in corners), strict=True))


def test_the_table_marker_is_found_with_its_corners_in_order():
    found = detect([table_marker(BEFORE)], "DICT_4X4_50")
    flat = np.column_stack([tag_corners(0.16), np.zeros(4)])
    expected, _ = CAMERA.project(pose.transform_points(BEFORE, flat))
    assert list(found) == [13]
    assert np.abs(found[13] - expected).max() < 0.35


@pytest.mark.parametrize("numbers", [(3, 5), (0, 1, 2, 3)])
def test_layouts_hold_their_tags_in_reading_order(numbers):
    found = detect(tag_layout(numbers, T_body_layout=BEFORE), "DICT_APRILTAG_36h11")
    assert sorted(found) == sorted(numbers)
    middles = np.array([found[number].mean(axis=0) for number in numbers])
    assert middles[0, 0] < middles[1, 0] - 50
    if len(numbers) == 4:
        assert (middles[2:, 1] > middles[:2, 1] + 50).all()


def test_a_layout_has_two_or_four_tags():
    with pytest.raises(ConfigError, match="2 or 4"):
        tag_layout((1, 2, 3), T_body_layout=BEFORE)


def test_unknown_tags_and_dictionaries_are_named():
    with pytest.raises(ConfigError, match="apriltag_36h11"):
        tag_face(number=0, side_m=0.1, T_body_face=BEFORE, dictionary="apriltag_36h12")
    with pytest.raises(ConfigError, match="0 to 49"):
        tag_face(number=50, side_m=0.1, T_body_face=BEFORE)


def test_the_polyhedron_is_closed_and_has_26_faces():
    faces = marker_polyhedron("hand", first_tag=16)
    assert len(faces) == 26
    corners = [
        pose.transform_points(f.T_body_face, np.column_stack([f.outline_m, np.zeros(len(f.outline_m))]))
        for f in faces
    ]
    assert [len(c) for c in corners] == [4] * 18 + [3] * 8
    everywhere = np.concatenate(corners)
    vertices, shared = np.unique(np.round(everywhere, 6), axis=0, return_counts=True)
    assert len(vertices) == 24
    assert (shared == 4).all()
    assert np.linalg.norm(vertices, axis=1) == pytest.approx(np.full(24, 0.04197), abs=1e-5)
    assert [np.linalg.norm(f.T_body_face[:3]) for f in faces[:18]] == pytest.approx([0.03621] * 18, abs=1e-5)


def test_each_tagged_side_of_the_polyhedron_shows_its_number():
    normals = square_normals()
    assert len(normals) == 16
    for number in (0, 5, 9, 15):
        look = -normals[number]
        right = np.cross([0.0, 1.0, 0.0], look)
        right /= np.linalg.norm(right)
        matrix = np.eye(4)
        matrix[:3, :3] = np.stack([right, np.cross(look, right), look], axis=-1)
        T_camera_body = pose.inverse(pose.from_matrix(matrix))
        T_camera_body[2] += 0.2
        found = detect(marker_polyhedron("hand", first_tag=16), "DICT_4X4_50", {"hand": T_camera_body})
        nearest = min(found, key=lambda n: np.linalg.norm(found[n].mean(axis=0) - [CAMERA.cx, CAMERA.cy]))
        assert nearest == 16 + number
        top_left, top_right = found[nearest][:2]
        assert top_right[0] > top_left[0] + 10
        assert abs(top_right[1] - top_left[1]) < 1.0
