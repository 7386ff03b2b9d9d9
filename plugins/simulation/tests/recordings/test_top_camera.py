"""The camera over the table: a video of its own, on a clock of its own."""

import av
import cv2
import numpy as np
import pytest

from handloom.errors import ConfigError
from handloom_simulation import simulate
from handloom_simulation.cameras import TOP_CAMERA, scaled
from handloom_simulation.scene.viewpoints import T_WORLD_TOP_CAMERA
from handloom_simulation.truth import read_truth


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """Record a session with the camera over the table; give its folder and its truth."""
    folder = tmp_path_factory.mktemp("lab")
    words = ["--motion", "reach", "--seconds", "3.2", "--width", "64", "--without", "finger", "--workers", "1"]
    assert simulate.simulate(["polyumi", str(folder), *words, "--top", "--top-width", "320"]) == 0
    (path,) = folder.glob("scene_*/session_*")
    (truth,) = read_truth(next((folder / "truth").glob("*.npz"))).values()
    return path, truth


def test_its_frames_are_evenly_spaced_and_of_its_size(session):
    path, _ = session
    with av.open(str(path / "top.mp4")) as container:
        stream = container.streams.video[0]
        times = [float(frame.pts * frame.time_base) for frame in container.decode(stream)]
        assert (stream.width, stream.height) == (320, 200)
    np.testing.assert_allclose(np.diff(times), 0.02, atol=1e-6)
    assert 2.9 < times[-1] < 3.2


def test_its_clock_is_its_own_and_the_truth_knows_it(session):
    _, truth = session
    drifts = {name: clock.drift_ppm for name, clock in truth.clocks.items()}
    assert drifts["top"] not in [drift for name, drift in drifts.items() if name != "top"]
    assert abs(drifts["top"]) <= 50.0
    np.testing.assert_allclose(truth.transforms["T_world_top"], T_WORLD_TOP_CAMERA)
    # Its first frame is 0.11 s after the take's beginning, that of the GoPro 0.03 s.
    assert truth.clock_map("top", "gopro").apply(0) == pytest.approx(80_000_000, abs=10_000)


def test_it_sees_the_table_s_marker_where_the_truth_says(session):
    path, _ = session
    with av.open(str(path / "top.mp4")) as container:
        picture = next(container.decode(video=0)).to_ndarray(format="gray")
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, cv2.aruco.DetectorParameters()).detectMarkers(picture)
    found = corners[ids.ravel().tolist().index(13)].reshape(4, 2).mean(0)
    height = T_WORLD_TOP_CAMERA[2]
    expected, seen = scaled(TOP_CAMERA, 320).project(np.array([0.0, 0.02 - 0.3, height]))
    assert seen
    np.testing.assert_allclose(found, expected, atol=1.0)


def test_without_it_the_session_is_as_before(tmp_path):
    words = ["--motion", "reach", "--seconds", "3.2", "--width", "64", "--without", "finger", "--workers", "1"]
    assert simulate.simulate(["polyumi", str(tmp_path), *words]) == 0
    assert not list(tmp_path.rglob("top.mp4"))
    (truth,) = read_truth(next((tmp_path / "truth").glob("*.npz"))).values()
    assert "top" not in truth.clocks
    assert "T_world_top" not in truth.transforms


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["umi", "--top"], "--top: a UMI session has no place"),
        (["polyumi", "--top", "--top-width", "9"], "--top-width: found 9; expected 64 to 8192"),
        (["polyumi", "--top-width", "640"], "--top-width: found 640 without --top"),
    ],
)
def test_what_can_not_be_filmed_is_refused(tmp_path, words, told):
    with pytest.raises(ConfigError, match=told):
        simulate.simulate([words[0], str(tmp_path / "lab"), *words[1:]])
    assert not (tmp_path / "lab").exists()
