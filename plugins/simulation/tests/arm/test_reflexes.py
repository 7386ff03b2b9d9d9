"""Each reflex of the real arm comes of what provokes it, alone, and ends in a stop that stays."""

import numpy as np
import pytest

from handloom.api import RobotCommand

REST = np.zeros(7)
NEVER = {"collision_force_n": np.inf, "collision_torque_nm": np.inf, "collision_joint_torque_nm": (np.inf,)}
STUCK = {"dry_friction_nm": (500.0,), **NEVER}
"""Joints that do not move whatever torque they get."""


def ramp(robot, joint, top, *, step=0.9):
    """Raise the torque of one joint by less than the limit a cycle until a reflex or the top."""
    for torque in np.arange(0.0, top, step):
        robot.write(RobotCommand(tau=np.eye(7)[joint] * torque))
        if robot.read().reflexes:
            break
    return robot.read().reflexes


def test_a_joint_beyond_its_range_is_a_position_limits_violation(open_fr3, joint_law):
    start = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 3.0])
    robot = open_fr3(start_rad=tuple(start), ignored_reflexes=("joint_velocity_violation",))
    state = joint_law(robot).towards(start + np.eye(7)[6] * 0.05, 1000)
    assert state.reflexes == ("joint_position_limits_violation",)


def test_a_joint_too_fast_is_a_velocity_violation(open_fr3):
    robot = open_fr3(start_rad=(0.0, -0.785, 0.0, -2.356, 0.0, 1.571, -2.5))
    for step in range(200):
        robot.write(RobotCommand(tau=np.eye(7)[6] * min(0.5 * step, 5.0)))
    assert robot.read().reflexes == ("joint_velocity_violation",)
    assert robot.plant.truth().speed_peak_rad_per_s > robot.limits.velocity[6]


def test_a_joint_too_fast_near_its_range_is_a_velocity_violation(open_fr3, joint_law):
    start = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 2.9])
    robot = open_fr3(start_rad=tuple(start))
    state = joint_law(robot, stiffness=5.0, damping=0.3).towards(start + np.eye(7)[6] * 0.3, 1000)
    assert state.reflexes == ("joint_velocity_violation",)
    assert robot.plant.truth().speed_peak_rad_per_s < 0.3 * robot.limits.velocity[6]


def test_a_torque_that_jumps_is_a_discontinuity(open_fr3):
    robot = open_fr3()
    robot.write(RobotCommand(tau=REST))
    robot.write(RobotCommand(tau=np.eye(7)[3] * 1.0))
    assert robot.read().reflexes == ()  # 1000 Nm/s exactly
    robot.write(RobotCommand(tau=np.eye(7)[3] * 2.01))
    assert robot.read().reflexes == ("controller_torque_discontinuity",)


def test_a_first_torque_far_from_zero_is_a_discontinuity(open_fr3):
    robot = open_fr3()
    robot.write(RobotCommand(tau=np.eye(7)[0] * 1.5))
    assert robot.read().reflexes == ("controller_torque_discontinuity",)


def test_a_torque_beyond_the_motor_is_a_range_violation(open_fr3):
    assert ramp(open_fr3(**STUCK), 6, 20.0) == ("tau_j_range_violation",)


def test_twenty_missed_commands_are_a_communication_violation(open_fr3, raw_write):
    robot = open_fr3()
    start = robot.read().stamp
    raw_write(robot, periods=20)
    assert robot.read().reflexes == ()
    raw_write(robot, periods=21)
    assert robot.read().reflexes == ("communication_constraints_violation",)
    assert robot.read().stamp == start + 41_000_000  # no time is skipped


@pytest.mark.parametrize(
    ("thresholds", "reflex"),
    [
        ({"collision_joint_torque_nm": (20.0,)}, "joint_reflex"),
        ({"collision_force_n": 40.0}, "cartesian_reflex"),
        ({"collision_torque_nm": 8.0}, "cartesian_reflex"),
    ],
)
def test_a_push_beyond_a_threshold_is_a_collision(open_fr3, thresholds, reflex):
    robot = open_fr3(**NEVER | thresholds)
    for force, expected in ((15.0, ()), (80.0, (reflex,))):
        robot.plant.push([0.0, 0.0, -force, 0.0, 0.2 * force, 0.0], 0.03)
        for _ in range(30):
            robot.write(RobotCommand(tau=REST))
        assert robot.read().reflexes == expected


def test_links_that_meet_are_a_self_collision(open_fr3, joint_law):
    start = np.array([2.07, 0.56, 0.62, -2.5, -0.01, 1.86, -0.92])
    robot = open_fr3(start_rad=tuple(start), floor=False, **NEVER)
    state = joint_law(robot).towards(start - np.eye(7)[3] * 0.5, 2000)
    assert state.reflexes == ("self_collision_avoidance_violation",)


def test_a_first_position_far_from_the_arm_is_an_invalid_start(open_fr3):
    robot = open_fr3()
    robot.write(RobotCommand(q=robot.read().q + 0.02))
    assert robot.read().reflexes == ("start_pose_invalid",)


def positions(robot, moves):
    """Command positions at the start plus the moves of joint 1."""
    start = robot.read().q
    for move in moves:
        robot.write(RobotCommand(q=start + np.eye(7)[0] * move))
    return robot.read().reflexes


def test_positions_that_jump_are_a_velocity_discontinuity(open_fr3):
    assert positions(open_fr3(), [0.0, 1e-4]) == ("joint_motion_generator_velocity_discontinuity",)


def test_positions_that_begin_to_move_with_a_jerk_are_an_acceleration_discontinuity(open_fr3):
    # 8 rad/s^2 at once: allowed as an acceleration, 8000 rad/s^3 as a jerk.
    assert positions(open_fr3(), [0.0, 8e-6]) == ("joint_motion_generator_acceleration_discontinuity",)


def test_more_power_than_the_limit_is_a_power_violation(open_fr3):
    robot = open_fr3(power_limit_w=3.0, start_rad=(0.0, -0.785, 0.0, -2.356, 0.0, 1.571, -2.0))
    for step in range(100):
        robot.write(RobotCommand(tau=np.eye(7)[6] * min(0.5 * step, 5.0)))
    assert robot.read().reflexes == ("power_limit_violation",)


@pytest.mark.parametrize("field", ["tau", "q"])
def test_a_command_that_is_not_finite_is_not_taken(open_fr3, field):
    robot = open_fr3()
    robot.write(RobotCommand(**{field: REST if field == "tau" else robot.read().q}))
    robot.write(RobotCommand(**{field: np.array([0, 0, np.nan, 0, 0, 0, 0.0])}))
    assert robot.read().reflexes == ("command_not_finite",)
    assert np.isfinite(robot.read().q).all()


def test_a_plant_that_blows_up_says_so(open_fr3, raw_write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves a log where it runs
    robot = open_fr3()
    raw_write(robot)
    robot.plant.data.qvel[0] = 1e12
    assert raw_write(robot) == -3
    assert robot.read().reflexes == ("instability_detected",)


def test_an_ignored_reflex_does_not_stop_the_arm(open_fr3):
    robot = open_fr3(ignored_reflexes=("controller_torque_discontinuity",))
    for _ in range(5):
        robot.write(RobotCommand(tau=np.eye(7)[6] * 2.0))
    assert robot.read().reflexes == ()
    assert robot.read().dq[6] > 0.01


def moving(open_fr3, joint_law, **settings):
    robot = open_fr3(**settings)
    law = joint_law(robot)
    law.towards(robot.read().q + np.array([0.6, 0.3, 0.0, 0.3, 0.0, 0.4, 0.8]), 150)
    assert np.abs(robot.read().dq).max() > 0.5
    return robot, law


def test_after_a_reflex_the_arm_brakes_to_rest_and_stays(open_fr3, joint_law):
    robot, law = moving(open_fr3, joint_law, payload_kg=1.0)
    robot.write(RobotCommand(tau=law.tau + 5.0))
    for _ in range(400):
        robot.write(RobotCommand(tau=REST))
    truth, there = robot.plant.truth(), robot.read().q
    assert truth.at_rest
    assert truth.stopping_s < 0.3
    for _ in range(200):
        robot.write(RobotCommand(tau=REST + 50.0))
    assert np.array_equal(robot.read().q, there)
    assert robot.read().reflexes == ("controller_torque_discontinuity",)


def test_a_damped_command_brakes_without_a_reflex(open_fr3, joint_law):
    robot, _ = moving(open_fr3, joint_law)
    for _ in range(400):
        robot.write(RobotCommand())
    assert robot.plant.truth().at_rest
    assert robot.read().reflexes == ()


def test_stop_brings_it_to_rest_there_and_then(open_fr3, joint_law):
    robot, _ = moving(open_fr3, joint_law)
    robot.stop()
    assert robot.plant.truth().at_rest
    assert np.abs(robot.read().dq).max() == 0
    robot.stop()  # harmless at rest


def test_restart_makes_it_well_again(open_fr3):
    robot = open_fr3()
    robot.write(RobotCommand(tau=REST + 50.0))
    assert robot.read().reflexes
    robot.plant.restart()
    robot.write(RobotCommand(tau=REST))
    assert robot.read().reflexes == ()
