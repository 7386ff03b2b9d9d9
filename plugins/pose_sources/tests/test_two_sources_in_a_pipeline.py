"""OptiTrack takes the place of SLAM by one line of a pipeline that aligns both over a scene."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from handloom.api import require_same_tcp
from handloom.geometry import interpolate_poses, pose, quaternion
from handloom.plan import load_plan
from handloom.run import run_plan
from handloom.run.serial import SerialExecutor
from handloom.store import Scene, StepKey

pytest_plugins = ("handloom.testing.fixtures",)

T_CAMERA_MARKERS = np.array([-0.049, 0.152, -0.031, 0.5, 0.5, -0.5, 0.5])
T_MAP_OPTITRACK = np.array([0.3, -0.2, 0.1, *quaternion.from_rotvec([1.5, 0.2, -0.1])])
PIPELINE = """
[scene]
store = "scene"

[rig.frames."camera/optical"]
parent = "gripper"
translation_m = [0.0, 0.0, 0.0]
rotation_xyzw = [0.0, 0.0, 0.0, 1.0]
[rig.frames.tcp]
parent = "camera/optical"
translation_m = [0.0, 0.07069, 0.259]
rotation_xyzw = [0.0, 0.0, 0.0, 1.0]
[rig.frames."optitrack/body"]
parent = "camera/optical"
translation_m = [-0.049, 0.152, -0.031]
rotation_xyzw = [0.5, 0.5, -0.5, 0.5]

[episodes.first]
camera = "first.txt"
optitrack = "first.csv"
[episodes.second]
camera = "second.txt"
optitrack = "second.csv"
[episodes.third]
camera = "third.txt"
optitrack = "third.csv"

[sensors.camera]
kind = "trajectory"
frame = "map"
body = "camera/optical"
[pose_sources.optitrack]
kind = "optitrack_csv"

[steps.slam_tcp]
kind = "tcp"
inputs.pose = "camera.pose"
[steps.optitrack_tcp]
kind = "tcp"
world = "optitrack/world"
camera = "camera/optical"
inputs.pose = "optitrack.pose"
[steps.align]
kind = "align"
body = "camera/optical"
inputs.reference = "camera.pose"
inputs.other = "optitrack.pose"
[steps.optitrack_in_map]
kind = "in_world"
inputs.pose = "optitrack_tcp.pose"
inputs.transform = "align.transform"
[steps.gaps]
kind = "pose_gaps"
inputs.pose = "optitrack_in_map.pose"       # or "slam_tcp.pose"
[steps.verdict]
kind = "verdict"
inputs.pose = "gaps.pose"
"""


def _camera_poses(seed, times_s):
    random = np.random.default_rng(seed)
    frequencies, phases = random.uniform(0.2, 1.2, (2, 5, 6))
    waves = np.sin(2 * np.pi * (times_s[:, None, None] * frequencies + 3 * phases)).sum(axis=1)
    return np.concatenate([0.03 * waves[:, :3], quaternion.from_rotvec(0.12 * waves[:, 3:])], axis=1)


def _write_tum(path, seed):
    times = np.arange(0, 8, 1 / 60)
    poses = _camera_poses(seed, times)
    path.write_text(
        "".join(
            f"{t:.9f} " + " ".join(f"{v:.7f}" for v in row) + "\n" for t, row in zip(times, poses, strict=True)
        )
    )


def _write_take(path, seed, *, seen=True):
    frames = np.arange(8 * 120)
    at = _camera_poses(seed, frames / 120 - 0.25)
    markers = pose.compose(pose.compose(pose.inverse(T_MAP_OPTITRACK), at), T_CAMERA_MARKERS)
    head = ["Format Version", "1.23", "Export Frame Rate", "120.0", "Rotation Type", "Quaternion"]
    body = [("Rotation", axis) for axis in "XYZW"] + [("Position", axis) for axis in "XYZ"]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*head, "Length Units", "Meters", "Coordinate Space", "Global"])
        writer.writerow([])
        writer.writerow(["", "Type", *["Rigid Body"] * 7])
        writer.writerow(["", "Name", *["PolyUMI"] * 7])
        writer.writerow(["", "", *(kind for kind, _ in body)])
        writer.writerow(["Frame", "Time (Seconds)", *(axis for _, axis in body)])
        for frame, row in zip(frames.tolist(), markers, strict=True):
            cells = [f"{value:.6f}" for value in (*row[3:], *row[:3])] if seen else [""] * 7
            writer.writerow([frame, f"{frame / 120:.3f}", *cells])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("two sources")
    for seed, name in enumerate(("first", "second", "third")):
        _write_tum(path / f"{name}.txt", seed)
        _write_take(path / f"{name}.csv", seed, seen=name != "third")
    (path / "pipeline.toml").write_text(PIPELINE)
    return path


def test_optitrack_replaces_slam_and_a_blind_episode_costs_only_itself(folder, only_these_plugins):
    names = ("align", "in_world", "pose_gaps", "tcp", "verdict")
    host = only_these_plugins(
        sensors={"trajectory": "handloom_sensors.trajectory"},
        pose_sources={"optitrack_csv": "handloom_pose_sources.optitrack_csv"},
        steps={name: f"handloom_pose_sources.{name}" for name in names},
    )
    report = run_plan(load_plan(folder / "pipeline.toml", host), host, executor=SerialExecutor)
    ended = {(outcome.node, outcome.episode): outcome for outcome in report.outcomes}
    assert ended["optitrack_in_map", "third"].ending == "failed"
    assert "the other source is lost in all but 0 rows" in ended["optitrack_in_map", "third"].reason
    with Scene.open(folder / "scene") as scene:
        for episode in ("first", "second"):
            slam = scene.stream(StepKey("slam_tcp", episode), "pose")
            optitrack = scene.stream(StepKey("gaps", episode), "pose")
            assert slam.type == optitrack.type
            require_same_tcp({"slam": slam, "optitrack": optitrack})
            at, there = interpolate_poses(
                optitrack.stamps, optitrack.data, optitrack.tracked, slam.stamps, max_gap_ns=20_000_000
            )
            assert there.sum() > 400
            assert np.linalg.norm(at[there, :3] - slam.data[there, :3], axis=1).max() < 3e-4
            usable = scene.stream(StepKey("verdict", episode), "usable")
            assert usable.attributes["usable"] is True
            assert usable.type.clock == "camera"
