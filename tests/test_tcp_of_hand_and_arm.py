"""The handheld gripper's poses and the arm that replays them are of one point, by one digest from one rig file."""

import json
import tomllib
from pathlib import Path

import attrs
import numpy as np
import pytest

from handloom.api import TCP_DIGEST, rig_from_table
from handloom.errors import HandloomError
from handloom.host import Host
from handloom.streams import POSE, Samples
from handloom.testing import MemoryInputs
from handloom_controllers.control.pipeline import load_control
from handloom_controllers.control.tie import tied
from handloom_pose_sources.tcp import TcpConfig, TcpPoses

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
RIG = EXAMPLES / "rigs/demo.toml"

ARM = """
include = [{rig}]

[rig.frames.gopro]
parent = "flange"
translation_m = [0.03, -0.02, 0.05]
rotation_xyzw = [0.0, 0.6, 0.0, 0.8]

[robots.arm]
kind = "mujoco_fr3"

[controllers.law]
kind = "impedance"

[control]
folder = "out"

[control.tool]
dataset = "set.provenance.json"
"""


@pytest.fixture(params=["gopro", "markers"])
def recorded(request):
    """Return what the step `tcp` tells of poses of a body of the demo's rig."""
    type_ = attrs.evolve(POSE, frame="map", body=request.param, clock="camera")
    poses = np.tile([0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0], (3, 1))
    given = Samples(type=type_, data=poses, stamps=np.arange(3, dtype=np.int64), tracked=np.ones(3, bool))
    rig = rig_from_table(tomllib.loads(RIG.read_text()))
    step = TcpPoses(TcpConfig(camera="gopro"))
    return step.run(MemoryInputs(wired={"pose": given}, rig=rig), lambda _: None).attributes


@pytest.fixture
def arm(tmp_path, recorded):
    """Return a function that reads the arm's pipeline beside the provenance of those poses."""
    stream = {name: recorded[name] for name in ("camera", "T_camera_tcp")}
    episodes = {"pick": {"streams": {"robot0_pose": stream}}}
    about = {TCP_DIGEST: {"robot0_pose": recorded[TCP_DIGEST]}, "episodes": episodes}
    (tmp_path / "set.provenance.json").write_text(json.dumps(about))
    (tmp_path / "arm.toml").write_text(ARM.format(rig=json.dumps(str(RIG))))
    return lambda *overrides: load_control(tmp_path / "arm.toml", Host(), overrides)


def test_one_rig_file_gives_one_digest_on_both_sides(arm, recorded):
    assert arm().tool.digest == recorded[TCP_DIGEST]
    assert tied(arm()).sentence.endswith("as in set.provenance.json.")


def test_an_arm_whose_fingers_are_longer_is_refused_with_how_far_they_are_off(arm):
    longer = arm("rig.frames.tcp.translation_m=[0.0, 0.07069, 0.274]")
    with pytest.raises(HandloomError, match=r"15 mm and 0 degrees away\. The arm was not moved"):
        tied(longer)


@pytest.mark.parametrize("name", ["sim-track", "sim-guide", "sim-gate", "sim-urdf", "sim-positions"])
def test_every_example_has_the_tool_of_the_recordings(name, recorded):
    pipeline = load_control(EXAMPLES / f"pipelines/{name}.toml", Host())
    assert tied(pipeline).tool.digest == recorded[TCP_DIGEST]
