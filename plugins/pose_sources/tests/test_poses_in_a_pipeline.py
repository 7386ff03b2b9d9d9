"""Poses from a file go through a whole pipeline: matched to a real video, stored, and judged."""

from __future__ import annotations

import numpy as np

from handloom.media import Clip, write_clip
from handloom.plan import load_plan
from handloom.run import run_plan
from handloom.run.serial import SerialExecutor
from handloom.store import Scene, StepKey

pytest_plugins = ("handloom.testing.fixtures",)

PIPELINE = """
[scene]
store = "scene"
[episodes.take]
camera = "take.mp4"
slam = "take.csv"
[sensors.camera]
kind = "video"
[pose_sources.slam]
kind = "trajectory_file"
body = "camera/optical"
[steps.quality]
kind = "pose_quality"
min_tracked = 10
"""


def test_a_slam_file_is_matched_stored_and_judged(tmp_path, only_these_plugins):
    host = only_these_plugins(
        sensors={"video": "handloom_sensors.video"},
        pose_sources={"trajectory_file": "handloom_pose_sources.trajectory_file"},
        steps={"pose_quality": "handloom_pose_sources.pose_quality"},
    )
    write_clip(tmp_path / "take.mp4", Clip(width=160, height=120, frames=30))
    header = "frame_idx,timestamp,state,is_lost,is_keyframe,x,y,z,q_x,q_y,q_z,q_w"
    rows = [f"{k},{k / 30:.6f},2,false,false,{k / 1000},0,0,0,0,0,1" for k in range(20)]
    (tmp_path / "take.csv").write_text("\n".join([header, *rows]))
    (tmp_path / "pipeline.toml").write_text(PIPELINE)
    report = run_plan(load_plan(tmp_path / "pipeline.toml", host), host, executor=SerialExecutor)
    assert report.ok, report.outcomes
    with Scene.open(tmp_path / "scene") as scene:
        pose = scene.stream(StepKey("slam", "take"), "pose")
        video = scene.stream(StepKey("camera", "take", "sensor"), "video")
        verdict = scene.read(StepKey("quality", "take")).attributes
    assert pose.type.clock == video.type.clock == "camera"
    assert pose.stamps.tolist() == video.stamps.tolist()
    assert np.flatnonzero(~pose.tracked).tolist() == list(range(20, 30))
    assert verdict["usable"] is False
    assert verdict["reasons"] == ["low_coverage"]
