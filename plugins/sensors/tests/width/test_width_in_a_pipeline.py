"""Widths and the range go through a whole pipeline: from a compressed video to a calibration of the scene."""

from __future__ import annotations

import av
import numpy as np
import pytest

from handloom.media import index_video
from handloom.plan import load_plan
from handloom.run import run_plan
from handloom.run.serial import SerialExecutor
from handloom.store import Scene, StepKey

pytest_plugins = ("handloom.testing.fixtures",)

PIPELINE = """
[scene]
store = "scene"
[episodes.calibration]
camera = "calibration.mp4"
[episodes.blind]
camera = "blind.mp4"
[sensors.camera]
kind = "video"
[steps.width]
kind = "gripper_width"
camera = "wrist"
[steps.range]
kind = "gripper_range"
episodes = ["calibration"]
inputs.separation = "width.separation"
[steps.calibrated]
kind = "calibrated_width"
inputs.separation = "width.separation"
inputs.closed = "range.closed"
inputs.open = "range.open"
[rig.cameras.wrist]
"""


def _write(path, pictures):
    """Write luma pictures as H.264 with full range, as a GoPro does."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=60, options={"crf": "12", "preset": "veryfast"})
        stream.height, stream.width = pictures[0].shape
        stream.pix_fmt = "yuvj420p"
        for picture in pictures:
            frame = av.VideoFrame.from_ndarray(picture, format="gray").reformat(format="yuvj420p")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def test_a_range_is_found_from_compressed_videos(lab, tmp_path, only_these_plugins):
    host = only_these_plugins(
        sensors={"video": "handloom_sensors.video"},
        steps={
            "gripper_width": "handloom_sensors.width.gripper_width",
            "calibrated_width": "handloom_sensors.width.calibrated_width",
            "gripper_range": "handloom_sensors.width.gripper_range",
        },
    )
    ramp = np.linspace(0.045, 0.105, 10)
    separation = np.concatenate([np.full(25, 0.045), ramp, np.full(25, 0.105)])
    _write(tmp_path / "calibration.mp4", [lab.jaw(each, seed=k) for k, each in enumerate(separation)])
    _write(tmp_path / "blind.mp4", [lab.picture(seed=k) for k in range(5)])
    camera = "\n".join(
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
        for name, value in lab.camera.to_table().items()
    )
    (tmp_path / "pipeline.toml").write_text(PIPELINE + camera)
    report = run_plan(load_plan(tmp_path / "pipeline.toml", host), host, executor=SerialExecutor)
    assert report.ok, report.outcomes
    with Scene.open(tmp_path / "scene") as scene:
        width = scene.stream(StepKey("width", "calibration"), "width")
        found = scene.read(StepKey("range", ""))
        calibrated = scene.stream(StepKey("calibrated", "calibration"), "width")
        blind = scene.read(StepKey("width", "blind"))
    assert np.array_equal(width.stamps, index_video((tmp_path / "calibration.mp4",)).video.stamps)
    assert np.sqrt(np.mean((width.data - separation) ** 2)) < 0.2e-3
    assert found.attributes["closed_separation_m"] == pytest.approx(0.045, abs=0.2e-3)
    assert found.attributes["open_separation_m"] == pytest.approx(0.105, abs=0.3e-3)
    assert found.attributes["episodes"] == ["calibration"]
    expected = separation - found.attributes["closed_separation_m"]
    assert np.sqrt(np.mean((calibrated.data - expected) ** 2)) < 0.2e-3
    assert blind.attributes["detection_rate"] == 0.0
