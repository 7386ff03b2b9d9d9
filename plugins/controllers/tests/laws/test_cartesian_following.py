"""Cartesian following keeps the tool on its reference and the joints within what they may do."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.law_inputs import hostile
from handloom.geometry import quaternion
from handloom.testing.serial_arm import HOME, LIMITS, kinematics
from handloom_controllers.laws import NumpyFollowing, rotation
from handloom_controllers.laws.compiled import CompiledFollowing
from handloom_controllers.native import new, structs
from tests.law_lab import Bench, following_struct


def following(**options):
    return Bench(law=NumpyFollowing(following_struct(**options)))


def follow(bench, cycles):
    """Step on an arm that is where it was told to be."""
    for _ in range(cycles):
        bench.at(bench.step()["q"][:7])


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_range_speed_and_acceleration_are_never_crossed(native_once, seed):
    random, count = np.random.default_rng(seed), 1000
    states, references = hostile(random, count)
    references["flags"] = 0
    states["q"][:, :7] = np.clip(HOME + random.normal(scale=0.3, size=(count, 7)), LIMITS.lower, LIMITS.upper)
    config, commands, statuses = following_struct(), new("hl_command", count), np.zeros(count, dtype=np.int32)
    law = CompiledFollowing(native_once, config)
    law.bound_many(states, references, None, commands, statuses)()
    well = statuses == structs.OK
    assert np.array_equal(well, commands["mode"] == structs.MODE_POSITION)
    q, dq = commands["q"][:, :7], commands["dq"][:, :7]
    assert ((config["q_lower"][:7] <= q) & (q <= config["q_upper"][:7]))[well].all()
    assert (np.abs(dq) <= config["dq_max"][:7] * (1 + 1e-9)).all()
    on = well[1:] & well[:-1]  # after an error it begins anew, at rest where the arm is
    longest_s = 0.01  # the most that a cycle counts for
    assert (np.abs(np.diff(q, axis=0)) <= config["dq_max"][:7] * longest_s * (1 + 1e-9))[on].all()
    assert (np.abs(np.diff(dq, axis=0)) <= config["ddq_max"][:7] * longest_s * (1 + 1e-9))[on].all()


def test_a_joint_driven_at_its_limit_stops_before_it():
    driven = following(position_gain_per_s=50.0, posture_gain_per_s=0.0)
    driven.reference["T_base_tcp"][:3] += [0.0, 0.0, 5.0]  # out of reach
    config = following_struct()
    for _ in range(60):
        driven.state["period_ns"] = 7_000_000
        follow(driven, 20)
        q = driven.command["q"][:7]
        assert ((config["q_lower"][:7] <= q) & (q <= config["q_upper"][:7])).all()


def test_the_tool_comes_to_its_reference_and_stays():
    law = following()
    law.reference["T_base_tcp"][:3] += [0.05, -0.08, 0.04]
    turn = quaternion.from_rotvec(np.array([0.1, 0.3, -0.2]))
    law.reference["T_base_tcp"][3:] = quaternion.multiply(turn, law.reference["T_base_tcp"][3:])
    follow(law, 900)
    missing = law.reference["T_base_tcp"] - law.state["T_base_flange"]
    left = rotation.turn_between(law.state["T_base_flange"][3:], law.reference["T_base_tcp"][3:])
    assert np.linalg.norm(missing[:3]) < 1e-3
    assert np.linalg.norm(rotation.to_vector(left)) < 2e-3


def test_a_moving_reference_is_followed_without_lag():
    law = following()
    start = law.reference["T_base_tcp"].copy()
    for cycle in range(500):
        law.reference["T_base_tcp"][0] = start[0] + 0.1e-3 * cycle
        law.reference["twist"][0] = 0.1
        follow(law, 1)
    assert abs(law.reference["T_base_tcp"][0] - law.state["T_base_flange"][0]) < 1e-3


def test_a_blocked_arm_does_not_wind_the_command_up():
    law = following()
    law.reference["T_base_tcp"][0] += 0.03
    law.step(700)  # the arm stays at home
    asked = law.command["q"][:7].copy()
    law.step(700)
    assert np.linalg.norm(law.command["q"][:7] - asked) < 1e-3
    assert np.linalg.norm(asked - HOME) < 0.3


def test_at_a_singular_posture_the_joints_do_not_race():
    stretched = following()
    stretched.at(np.zeros(7))
    stretched.reference["T_base_tcp"] = stretched.state["T_base_flange"]
    stretched.reference["T_base_tcp"][0] += 0.2
    speeds = []
    for _ in range(300):
        follow(stretched, 1)
        speeds.append(np.abs(stretched.command["dq"][:7]).max())
    assert max(speeds) <= 0.9 * 2.0 + 1e-9
    assert kinematics(stretched.command["q"][:7])[0][0] > 0.02


def test_a_joint_measured_outside_its_range_does_not_leap_back():
    outside = following()
    q = HOME.copy()
    q[3] = -2.85
    outside.at(q)
    outside.reference["T_base_tcp"] = outside.state["T_base_flange"]
    assert np.allclose(outside.step()["q"][:7], q, atol=1e-5)
