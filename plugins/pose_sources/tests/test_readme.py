"""The pipelines in the README are ones that Handloom takes."""

import re
from pathlib import Path

import pytest

from handloom.plan import load_plan

pytest_plugins = ("handloom.testing.fixtures",)

README = Path(__file__).parent.parent / "README.md"
AROUND = """
[scene]
store = "scene"
[sensors.camera]
kind = "video"
[episodes.take]
camera = "take.mp4"
"""
BLOCKS = re.findall(r"```toml\n(.*?)```", README.read_text(), re.S)
STEPS = ("align", "in_world", "pose_gaps", "pose_quality", "tcp", "verdict")


@pytest.mark.parametrize(
    ("block", "files"),
    [(BLOCKS[0], ["slam", "vicon"]), (BLOCKS[1], ["slam", "optitrack"]), (BLOCKS[2], ["vr"])],
    ids=["sources", "tcp and alignment", "vr"],
)
def test_a_pipeline_of_the_readme_can_be_planned(block, files, tmp_path, only_these_plugins):
    for name in ("take.mp4", "poses.csv"):
        (tmp_path / name).write_text("")
    named = "".join(f'{device} = "poses.csv"\n' for device in files)
    (tmp_path / "pipeline.toml").write_text(AROUND + named + block)
    host = only_these_plugins(
        sensors={"trajectory": "handloom_sensors.trajectory", "video": "handloom_sensors.video"},
        pose_sources={
            "optitrack_csv": "handloom_pose_sources.optitrack_csv",
            "trajectory_file": "handloom_pose_sources.trajectory_file",
        },
        steps={name: f"handloom_pose_sources.{name}" for name in STEPS},
    )
    plan = load_plan(tmp_path / "pipeline.toml", host)
    assert {"camera", *files} <= set(plan.nodes)


def test_the_readme_names_every_kind():
    text = README.read_text()
    assert all(f"| `{name}` |" in text for name in (*STEPS, "optitrack_csv", "trajectory_file"))
