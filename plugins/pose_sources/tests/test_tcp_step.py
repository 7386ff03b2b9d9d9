"""A pose of any body becomes that of the point between the finger tips, through the rig and nothing else."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.api import Rig, require_same_tcp
from handloom.errors import StepError
from handloom.geometry import FrameTree, pose
from handloom.streams import POSE, Samples
from handloom.testing import MemoryInputs, StepContract
from handloom_pose_sources import tcp
from handloom_pose_sources.tcp import TcpConfig, TcpPoses

pytest_plugins = ("handloom.testing.fixtures",)

T_CAMERA_TCP = np.array([0.0, 0.07069, 0.259, 0.0, 0.0, 0.0, 1.0])
T_CAMERA_MARKERS = np.array([-0.049, 0.152, -0.031, 0.5, 0.5, -0.5, 0.5])
T_FLANGE_CAMERA = np.array([0.01, -0.06, 0.03, 0.0, 0.6, 0.0, 0.8])
Y_UP_IN_Z_UP = np.array([0.0, 0.0, 0.0, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
twists = st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6)


def _rig():
    tree = FrameTree().with_static("camera/optical", "tcp", T_CAMERA_TCP)
    tree = tree.with_static("camera/optical", "markers", T_CAMERA_MARKERS)
    return Rig(frames=tree.with_static("optitrack/z_up", "optitrack/world", Y_UP_IN_Z_UP))


def _poses(count=20, *, frame="map", body="camera/optical", seed=0):
    data = pose.exp(np.random.default_rng(seed).normal(size=(count, 6)))
    tracked = np.arange(count) % 5 != 3
    data[~tracked] = np.nan
    type_ = attrs.evolve(POSE, frame=frame, body=body, clock="camera")
    return Samples(type=type_, data=data, stamps=np.arange(count, dtype=np.int64) * 10**7, tracked=tracked)


def _run(given, rig=None, **config):
    inputs = MemoryInputs(wired={"pose": given}, rig=_rig() if rig is None else rig)
    return TcpPoses(TcpConfig(**config)).run(inputs, lambda share: None).streams["pose"]


class TestTcpPoses(StepContract):
    component = TcpPoses

    def inputs(self, tmp_path):
        return MemoryInputs(wired={"pose": _poses()}, rig=_rig())


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(steps={"tcp": tcp.__name__})
    assert host.load("steps", "tcp").component is TcpPoses


def test_the_tcp_is_the_body_moved_by_the_rig():
    given = _poses()
    made = _run(given)
    matrices = pose.to_matrix(given.data) @ pose.to_matrix(T_CAMERA_TCP)
    assert np.allclose(pose.to_matrix(made.data), matrices, atol=1e-12, equal_nan=True)
    assert (made.type.frame, made.type.body, made.type.clock) == ("map", "tcp", "camera")


def test_lost_rows_stay_lost_and_none_is_added():
    given = _poses()
    made = _run(given)
    assert (made.tracked == given.tracked).all()
    assert np.isnan(made.data[~given.tracked]).all()
    assert (made.stamps == given.stamps).all()


def test_camera_and_markers_of_one_tool_lead_to_one_tcp_with_one_digest():
    camera = _poses()
    markers = attrs.evolve(
        camera,
        type=attrs.evolve(camera.type, body="markers"),
        data=pose.compose(camera.data, T_CAMERA_MARKERS),
    )
    slam, optitrack = _run(camera), _run(markers, camera="camera/optical")
    assert np.allclose(slam.data[slam.tracked, :3], optitrack.data[slam.tracked, :3], atol=1e-12)
    assert require_same_tcp({"slam": slam, "optitrack": optitrack}) == slam.attributes["tcp_digest"]


def test_handheld_and_arm_carry_one_digest_for_one_place_on_the_camera():
    arm = FrameTree().with_static("flange", "wrist", T_FLANGE_CAMERA).with_static("wrist", "tcp", T_CAMERA_TCP)
    on_arm = _run(_poses(frame="base", body="flange"), Rig(frames=arm), world="base", camera="wrist")
    require_same_tcp({"arm": on_arm, "hand": _run(_poses())})
    moved = arm.with_static("wrist", "other", np.add(T_CAMERA_TCP, [0, 1e-4, 0, 0, 0, 0, 0]))
    elsewhere = _run(
        _poses(frame="base", body="flange"), Rig(frames=moved), world="base", camera="wrist", tcp="other"
    )
    assert elsewhere.attributes["tcp_digest"] != on_arm.attributes["tcp_digest"]


@settings(max_examples=25, deadline=None)
@given(twists)
def test_where_the_world_is_does_not_matter_to_the_relative_motion(twist):
    given = _poses()
    moved = attrs.evolve(given, data=pose.compose(pose.exp(twist), given.data))
    first, second = (made.data[made.tracked] for made in (_run(given), _run(moved)))
    relative = [pose.compose(pose.inverse(rows[0]), rows) for rows in (first, second)]
    assert np.allclose(pose.to_matrix(relative[0]), pose.to_matrix(relative[1]), atol=1e-9)


def test_y_up_becomes_z_up_only_where_the_rig_says_so():
    given = _poses(frame="optitrack/world", body="markers")
    as_recorded = _run(given, world="optitrack/world", camera="camera/optical")
    turned = _run(given, world="optitrack/z_up", camera="camera/optical")
    assert np.allclose(turned.data[:, 2], as_recorded.data[:, 1], equal_nan=True)
    assert turned.attributes["T_world_frame"] == pytest.approx(Y_UP_IN_Z_UP)


def test_without_a_frame_in_the_rig_there_is_no_tcp():
    with pytest.raises(StepError, match=r"T_camera/optical_tcp is needed to turn .* declared in \[rig\.frames\]"):
        _run(_poses(), Rig())
    with pytest.raises(StepError, match=r'T_world_map is needed .* or set world = "map"'):
        _run(_poses(), world="world")
    with pytest.raises(StepError, match="did you mean 'camera/optical'"):
        _run(_poses(), camera="camera/optica")


def test_another_body_than_the_settings_say_is_refused():
    with pytest.raises(StepError, match="those of 'camera/optical'; expected those of 'markers'"):
        _run(_poses(), body="markers")
