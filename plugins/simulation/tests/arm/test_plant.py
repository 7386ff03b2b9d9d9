"""The plant obeys mechanics, and the robot's own model errs only where it was told to."""

import math
from pathlib import Path

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom.errors import HandloomError
from handloom_simulation.arm.settings import Noise

REST = np.zeros(7)
FREE = {
    "dry_friction_nm": (0.0,),
    "viscous_friction_nm_s_per_rad": (0.0,),
    "rotor_inertia_share": 0.0,
    "floor": False,
    "ignored_reflexes": (
        "joint_position_limits_violation",
        "joint_velocity_violation",
        "self_collision_avoidance_violation",
        "joint_reflex",
        "cartesian_reflex",
        "tau_j_range_violation",
        "controller_torque_discontinuity",
    ),
}


def test_joint_ranges_are_the_limits_in_radians(open_fr3):
    robot = open_fr3()
    ranges = np.array([robot.plant.own_model.joint(name).range for name in robot.limits.names])
    assert np.allclose(ranges, np.stack([robot.limits.lower, robot.limits.upper], axis=1))
    stops = np.array([robot.plant.model.joint(name).range for name in robot.limits.names])
    assert np.allclose(stops - ranges, [-0.05, 0.05])


def test_with_a_right_model_the_arm_holds_itself_without_a_torque(open_fr3):
    robot = open_fr3(dry_friction_nm=(0.0,))
    start = robot.read().T_base_flange
    for _ in range(1000):
        robot.write(RobotCommand(tau=REST))
    assert np.abs(robot.read().T_base_flange - start).max() < 1e-9


@pytest.mark.parametrize("settings", [{"own_inertials": "panda"}, {"model_error": 0.1}, {"payload_kg": 1.0}])
def test_with_a_wrong_model_it_sags(open_fr3, settings):
    robot = open_fr3(**settings)
    start = robot.read().T_base_flange
    for _ in range(200):
        robot.write(RobotCommand(tau=REST))
    assert np.linalg.norm(robot.read().T_base_flange[:3] - start[:3]) > 1e-3


def test_a_free_fall_keeps_its_energy(open_fr3):
    import mujoco

    robot = open_fr3(**FREE)
    model, data = robot.plant.model, robot.plant.data
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    robot.write(RobotCommand(tau=REST))
    mujoco.mj_forward(model, data)
    total, swing = data.energy.sum(), 0.0
    for _ in range(150):  # then the elbow meets its stop
        robot.write(RobotCommand(tau=-robot.read().gravity))  # takes the robot's compensation away again
        swing = max(swing, data.energy[1])
    mujoco.mj_forward(model, data)
    assert swing > 3.0  # J
    assert abs(data.energy.sum() - total) < 0.01 * swing


def test_friction_takes_energy_and_holds_what_is_weaker(open_fr3):
    robot = open_fr3(dry_friction_nm=(1.0,))
    for _ in range(200):
        robot.write(RobotCommand(tau=np.eye(7)[0] * 0.9))
    assert abs(robot.read().q[0]) < 1e-3
    for _ in range(200):
        robot.write(RobotCommand(tau=np.eye(7)[0] * 1.8))
    assert robot.read().q[0] > 1e-2


def test_the_jacobian_is_the_derivative_of_the_flange(open_fr3):
    robot = open_fr3(start_rad=(0.3, -0.5, 0.2, -2.1, 0.4, 1.8, -0.6))
    state, step = robot.read(), 1e-6
    for joint in range(7):
        moved = open_fr3(start_rad=tuple(state.q + np.eye(7)[joint] * step)).read()
        velocity = (moved.T_base_flange[:3] - state.T_base_flange[:3]) / step
        assert np.allclose(velocity, state.jacobian[:3, joint], atol=1e-5)
        turn = quaternion_product(moved.T_base_flange[3:], state.T_base_flange[3:] * [-1, -1, -1, 1])
        assert np.allclose(2 * turn[:3] / step * np.sign(turn[3]), state.jacobian[3:, joint], atol=1e-5)


def quaternion_product(a, b):
    x = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(x, a[3] * b[3] - a[:3] @ b[:3])


def test_gravity_and_coriolis_are_the_bias_of_the_own_model(open_fr3):
    import mujoco

    robot = open_fr3(own_inertials="panda", **FREE)
    for step in range(100):
        robot.write(RobotCommand(tau=np.full(7, 0.02 * step)))
    state = robot.read()
    model = robot.plant.own_model
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.q, state.dq
    mujoco.mj_forward(model, data)
    assert np.allclose(data.qfrc_bias, state.gravity + state.coriolis, atol=1e-9)
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    assert np.allclose(data.qfrc_bias, state.gravity, atol=1e-9)
    assert np.abs(state.coriolis).max() > 1e-4


@pytest.mark.parametrize("settings", [{}, FREE])
def test_a_push_is_seen_as_the_wrench_that_it_is(open_fr3, settings):
    robot = open_fr3(**{"collision_force_n": math.inf, "collision_joint_torque_nm": (math.inf,), **settings})
    wrench = np.array([6.0, -4.0, 8.0, 0.5, 0.3, -0.4])
    body = robot.plant.model.site("flange").bodyid[0]
    robot.write(RobotCommand(tau=REST))
    robot.plant.push(wrench, 0.05)
    for _ in range(50):
        robot.write(RobotCommand(tau=REST))
    seen = robot.read()
    # MuJoCo pushes at the body's centre of mass.
    lever = robot.plant.data.xipos[body] - seen.T_base_flange[:3]
    wrench[3:] += np.cross(lever, wrench[:3])
    assert np.allclose(seen.wrench[:3], wrench[:3], atol=0.4)
    assert np.allclose(seen.jacobian.T @ wrench, robot.plant.truth().tau_external_nm, atol=0.2)


def test_without_contact_no_wrench_is_seen_however_it_moves(open_fr3, joint_law):
    robot = open_fr3()
    state = joint_law(robot).towards(robot.read().q + np.array([0.4, 0.2, 0.3, 0.2, -0.3, 0.2, 0.3]), 200)
    assert np.abs(state.dq).max() > 0.3
    assert np.linalg.norm(state.wrench[:3]) < 0.5


def test_a_payload_is_felt_as_its_weight(open_fr3):
    robot = open_fr3(payload_kg=1.0, dry_friction_nm=(50.0,))
    for _ in range(100):
        robot.write(RobotCommand(tau=REST))
    assert abs(robot.read().wrench[2] + 9.81) < 0.5


def test_the_same_seed_gives_the_same_noise(open_fr3):
    noise = Noise(position_rad=1e-4, velocity_rad_per_s=1e-2, torque_nm=0.1)

    def measured(seed):
        robot = open_fr3(noise=noise, seed=seed)
        states = []
        for _ in range(200):
            robot.write(RobotCommand(tau=REST))
            states.append(np.concatenate([robot.read().q, robot.read().dq, robot.read().tau]))
        return np.array(states)

    first = measured(1)
    assert np.array_equal(first, measured(1))
    assert not np.array_equal(first, measured(2))
    assert 0.5e-4 < first[:, 4].std() < 2e-4


def test_random_postures_wake_no_reflex(open_fr3, joint_law):
    robot = open_fr3(seed=3)
    law, home, rng = joint_law(robot, stiffness=20.0, damping=6.0), robot.read().q, np.random.default_rng(0)
    for _ in range(6):
        state = law.towards(home + rng.uniform(-0.25, 0.25, 7), 500)
        assert state.reflexes == ()
        assert np.isfinite(state.q).all()


def test_a_start_of_another_size_is_refused(open_fr3):
    with pytest.raises(HandloomError, match="expected 7 positions"):
        open_fr3(start_rad=(0.0, 1.0))
    with pytest.raises(HandloomError, match="dry_friction_nm: found 2 values"):
        open_fr3(dry_friction_nm=(0.0, 1.0))
    with pytest.raises(HandloomError, match="'joint_velocity' is none"):
        open_fr3(ignored_reflexes=("joint_velocity",))


@pytest.mark.parametrize(
    "start", [(100.0, 0, 0, -2, 0, 1.5, 0), (0, 0, 0, 0, 0, 1.5, 0), (0, -1e300, 0, -2, 0, 1.5, 0)]
)
def test_a_start_beyond_the_stops_is_refused(open_fr3, start):
    with pytest.raises(HandloomError, match=r"start_rad: joint\d stands at .* rad, beyond its mechanical stops"):
        open_fr3(start_rad=start)


@pytest.mark.parametrize("setting", [{"payload_kg": 1e9}, {"probe_radius_m": 1e9}])
def test_what_no_arm_carries_is_refused(open_fr3, setting):
    with pytest.raises(HandloomError, match="at most"):
        open_fr3(**setting)


def test_two_arms_live_side_by_side(open_fr3):
    first, second = open_fr3(), open_fr3()
    start = first.read().stamp
    first.write(RobotCommand(tau=np.eye(7)[0] * 0.9))
    assert first.read().stamp == start + 1_000_000
    assert second.plant.truth().steps == 0


def test_the_sources_stay_short():
    import handloom_simulation.arm

    folder = Path(handloom_simulation.arm.__file__).parent / "cpp"
    assert max(len(path.read_text().splitlines()) for path in folder.iterdir()) <= 200
