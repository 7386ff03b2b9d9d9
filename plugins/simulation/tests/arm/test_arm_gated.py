"""IK and gate before a simulated arm that takes joint positions: it tracks, and none of its reflexes comes."""

from pathlib import Path

import numpy as np
import pytest

from handloom.api import Chunk
from handloom.geometry import pose

QDD = Path(__file__).parents[4] / "examples" / "arms" / "qdd7.urdf"

pytest.importorskip("mink", reason="differential IK needs mink")
pytest.importorskip("ruckig", reason="the gate needs ruckig")


@pytest.fixture(params=["fr3", "urdf"])
def robot_and_law(request, compiler):
    from handloom_controllers.gated_following import GatedFollowing, GatedFollowingConfig
    from handloom_simulation.arm.robots import MujocoFr3, MujocoFr3Config, MujocoUrdf, MujocoUrdfConfig

    if request.param == "fr3":
        return MujocoFr3(MujocoFr3Config(first_stamp_ns=0)), GatedFollowing()
    robot = MujocoUrdf(MujocoUrdfConfig(urdf=QDD, torque_controlled=False, first_stamp_ns=0))
    return robot, GatedFollowing(GatedFollowingConfig(urdf=QDD))


def test_a_simulated_arm_follows_a_policys_chunk_without_a_reflex(robot_and_law):
    from handloom_controllers.realtime import LoopSettings, PythonLoop

    robot, law = robot_and_law
    with robot:
        tool = pose.compose(robot.read().T_base_flange, law.T_flange_tcp)
        times = np.arange(0.1, 1.25, 0.1)
        poses = np.tile(tool, (len(times), 1))
        poses[:, :3] += np.outer(np.sin(np.pi * times / 1.2) ** 2, [0.0, 0.05, -0.03])
        with PythonLoop(robot, law, LoopSettings(telemetry_every=1, hold_s=60.0)) as loop:
            loop.push(
                Chunk(
                    stamps=np.rint(times * 1e9).astype(np.int64), clock="robot", poses=poses,
                    widths_m=np.full(len(times), np.nan), frame="base", body="tcp", observed=0,
                )
            )  # fmt: skip
            loop.run(1700)
            records, status = loop.telemetry(), loop.status()
    assert status.reflexes == ()
    assert status.chunks_taken == 1
    assert [fault.kind for fault in law.noticed()] == []
    apart_m = np.linalg.norm(records["T_base_tcp"][:, :3] - records["reference"][:, :3], axis=1)
    assert np.ptp(records["T_base_tcp"][:, 1]) > 0.045
    assert apart_m.max() < 0.02, "the gate trails, but no further than braking takes"
    assert apart_m[-1] < 1e-3
