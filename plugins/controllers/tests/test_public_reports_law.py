"""Reports of other laws' users that a test can reproduce: each is named after what it protects here."""

import numpy as np
import pytest

from handloom.geometry import quaternion
from handloom.testing.serial_arm import HOME, LIMITS, kinematics
from handloom_controllers.laws import CompiledImpedance, NumpyImpedance, rotation
from handloom_controllers.native import new, structs
from tests.law_lab import Bench, FrictionlessArm, impedance_structs, run


def test_a_high_gain_and_a_leap_of_the_reference_do_not_step_the_torque():
    """frankarobotics/libfranka#196 and #9: a step with a high gain, and controller_torque_discontinuity."""
    stiff = Bench(law=NumpyImpedance(*impedance_structs(stiffness_n_per_m=50_000.0, wrench_bound_n=500.0)))
    stiff.reference["T_base_tcp"][:3] += 0.5
    before = np.zeros(12)
    for cycle in range(120):
        if cycle == 60:
            stiff.reference["T_base_tcp"][:3] -= 1.0
        tau = stiff.step()["tau"]
        assert np.abs(tau - before).max() <= 1 + 1e-9
        before = tau
    assert "torque_rate" in structs.names_of(int(stiff.command["events"]), structs.EVENTS)


def test_a_lost_command_does_not_make_the_next_one_step(native_once):
    """frankarobotics/franka_ros#324: saturated to less than 1 Nm a cycle, and rejected all the same.

    A robot that lost a command holds the one before, so that the step between two commands is not the step that it
    sees. A law that limits against its own command only would step by 2 Nm here.
    """
    bench = Bench(law=CompiledImpedance(native_once, *impedance_structs()))
    bench.reference["T_base_tcp"][:3] += 0.3
    count = 200
    states, references = np.array([bench.state] * count), np.array([bench.reference] * count)
    states["tau_applied"], references["flags"][1:] = 0, 0
    references["T_base_tcp"][count // 2 :, :3] -= 0.6
    lost = (np.random.default_rng(3).random(count) < 0.3).astype(np.uint8)
    commands, statuses = new("hl_command", count), np.zeros(count, dtype=np.int32)
    bench.law.bound_many(states, references, lost, commands, statuses)()
    seen = np.abs(commands["tau"] - states["tau_applied"]).max()
    assert seen <= 1 + 1e-9
    before = applied = worst = 0.0
    for gone, wanted in zip(lost, 10 * commands["tau"][:, 0], strict=True):
        before = float(np.clip(wanted, before - 1, before + 1))
        worst = max(worst, abs(before - applied))
        applied = applied if gone else before
    assert worst > 1.5, "this test could not fail"


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -1, 1)])
def test_the_torque_turns_the_shorter_way_at_every_difference(axis):
    """aica-technology/control-libraries#116: the direction of the impedance flips at certain differences."""
    direction = np.array(axis) / np.linalg.norm(axis)
    law = Bench(law=NumpyImpedance(*impedance_structs(nullspace_stiffness_nm_per_rad=(0.0,))))
    home = law.reference["T_base_tcp"][3:].copy()
    for angle in np.radians([-179, -135, -90, -45, -5, -1, 1, 5, 45, 90, 135, 179]):
        for sign in (1, -1):
            turn = quaternion.from_rotvec(direction * angle)
            law.reference["T_base_tcp"][3:] = sign * quaternion.multiply(turn, home)
            torque = law.step()["wrench"][3:]
            assert torque @ direction * np.sign(angle) > 0
            assert np.linalg.norm(np.cross(torque, direction)) < 1e-9


def test_an_orientation_is_tracked_and_the_joints_come_to_rest(native_once):
    """facebookresearch/fairo#1223, #1280, #1190, #1411: orientations tracked poorly, a joint that ticks."""
    posture = {"nullspace_stiffness_nm_per_rad": (0.2,), "nullspace_damping_nms_per_rad": (5.0,)}
    law = Bench(law=CompiledImpedance(native_once, *impedance_structs(**posture)))
    arm = FrictionlessArm()
    home = law.reference["T_base_tcp"][3:].copy()
    for cycle in range(1000):
        share = min(cycle / 700, 1.0)
        turn = quaternion.from_rotvec(np.array([0.0, 0.0, 0.5 * share]))
        law.reference["T_base_tcp"][3:] = quaternion.multiply(turn, home)
        law.reference["twist"][5] = 0.5 / 0.7 if share < 1 else 0.0
        run(law, arm, 1)
    left = rotation.turn_between(kinematics(arm.q)[0][3:], law.reference["T_base_tcp"][3:])
    assert np.linalg.norm(rotation.to_vector(left)) < np.radians(1)
    run(law, arm, 400)
    assert np.abs(arm.dq).max() < 0.05


def test_the_wrench_depends_on_the_reference_of_this_cycle_alone():
    """learnsyslab/crisp_controllers PR#13, #34, #36: filtering the target inside the law jitters and lags."""
    options = {"nullspace_stiffness_nm_per_rad": (0.0,)}
    calm, shaken = (Bench(law=NumpyImpedance(*impedance_structs(**options))) for _ in range(2))
    random = np.random.default_rng(2)
    for _ in range(50):
        shaken.reference["T_base_tcp"][:3] = calm.reference["T_base_tcp"][:3] + random.normal(scale=0.05, size=3)
        shaken.step()
        calm.step()
    for each in (calm, shaken):
        each.reference["T_base_tcp"] = each.state["T_base_flange"]
        each.reference["T_base_tcp"][0] += 0.002
    assert np.array_equal(calm.step()["wrench"], shaken.step()["wrench"])


def test_a_reference_at_constant_speed_is_followed_without_lag(native_once):
    """The same reports, and D/K = 44.5 ms of lag that a law without feed-forward has: 4.4 mm at 0.1 m/s."""
    lags = {}
    for feed_forward in (True, False):
        options = {"feed_forward": feed_forward, "nullspace_stiffness_nm_per_rad": (0.2,)}
        law = Bench(law=CompiledImpedance(native_once, *impedance_structs(**options)))
        arm = FrictionlessArm()
        start = law.reference["T_base_tcp"][1]
        for cycle in range(400):
            law.reference["T_base_tcp"][1] = start + 0.1e-3 * cycle
            law.reference["twist"][1] = 0.1
            run(law, arm, 1)
        lags[feed_forward] = law.reference["T_base_tcp"][1] - kinematics(arm.q)[0][1]
    assert abs(lags[True]) < 0.5e-3
    assert lags[False] == pytest.approx(89 / 2000 * 0.1, rel=0.2)
    assert (np.abs(HOME) < LIMITS.upper).all()
