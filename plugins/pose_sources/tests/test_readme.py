"""The pipeline in the README is one that Handloom takes."""

import re
from pathlib import Path

from handloom.plan import load_plan

pytest_plugins = ("handloom.testing.fixtures",)

README = Path(__file__).parent.parent / "README.md"
AROUND = """
[scene]
store = "scene"
[episodes.take]
camera = "take.mp4"
slam = "take.csv"
vicon = "vicon.csv"
[sensors.camera]
kind = "video"
"""


def test_the_pipeline_of_the_readme_can_be_planned(tmp_path, only_these_plugins):
    (block,) = re.findall(r"```toml\n(.*?)```", README.read_text(), re.S)
    for name in ("take.mp4", "take.csv", "vicon.csv"):
        (tmp_path / name).write_text("")
    (tmp_path / "pipeline.toml").write_text(AROUND + block)
    host = only_these_plugins(
        sensors={"video": "handloom_sensors.video"},
        pose_sources={"trajectory_file": "handloom_pose_sources.trajectory_file"},
        steps={"pose_quality": "handloom_pose_sources.pose_quality"},
    )
    plan = load_plan(tmp_path / "pipeline.toml", host)
    assert sorted(plan.nodes) == ["camera", "quality", "slam", "vicon"]
