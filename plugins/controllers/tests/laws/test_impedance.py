"""What the impedance law promises: spring, damper, bounds and limits, and nothing that steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.law_inputs import hostile
from handloom.geometry import quaternion
from handloom.testing.serial_arm import HOME, LIMITS, kinematics
from handloom_controllers.laws import CompiledImpedance, NumpyImpedance, rotation
from handloom_controllers.laws.kinematics import damped_solve, moved_by
from handloom_controllers.native import new, structs
from tests.law_lab import Bench, FrictionlessArm, impedance_structs, run

NO_POSTURE = {"nullspace_stiffness_nm_per_rad": (0.0,)}
vectors = st.tuples(*[st.floats(-1, 1)] * 3).map(np.array).filter(lambda v: np.linalg.norm(v) > 1e-3)


def bench(*, held_back=False, **options):
    """Return a law whose torque is there in the first cycle, unless it is asked to be held back by its rate."""
    config, gains = impedance_structs(**options)
    if not held_back:
        config["tau_step"] = 1e9
    return Bench(law=NumpyImpedance(config, gains))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_the_jacobian_of_the_tool_is_the_derivative_of_its_pose(seed):
    random = np.random.default_rng(seed)
    q, T_flange_tcp = random.normal(scale=0.8, size=7), random.normal(size=7)
    T_flange_tcp[3:] /= np.linalg.norm(T_flange_tcp[3:])

    def tool(q):
        return rotation.compose(kinematics(q)[0], T_flange_tcp)

    T_base_flange, jacobian = kinematics(q)
    moved = moved_by(jacobian, tool(q)[:3] - T_base_flange[:3])
    for joint in range(7):
        step = 1e-6 * np.eye(7)[joint]
        before, after = tool(q - step), tool(q + step)
        turn = rotation.to_vector(rotation.turn_between(before[3:], after[3:]))
        assert np.allclose(moved[:, joint], np.concatenate([after[:3] - before[:3], turn]) / 2e-6, atol=1e-7)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), damping=st.sampled_from([0.01, 0.2, 1.0]))
def test_the_closed_form_is_the_damped_pseudo_inverse_of_the_svd(seed, damping):
    random = np.random.default_rng(seed)
    jacobian, twist = random.normal(size=(6, 7)) * random.choice([0.0, 0.3], size=(6, 1)), random.normal(size=6)
    u, s, vt = np.linalg.svd(jacobian, full_matrices=False)
    by_svd = vt.T @ (s / (s**2 + damping**2) * (u.T @ twist))
    # What solving with J J^T + damping^2 I can cost in double precision: its condition times a rounding (Higham,
    # "Accuracy and Stability of Numerical Algorithms", 2nd ed., theorem 9.4), carried through J.
    gram = jacobian @ jacobian.T + damping**2 * np.eye(6)
    rounding = 10 * np.finfo(float).eps * np.linalg.cond(gram)
    bound = rounding * np.linalg.norm(jacobian, 2) * np.linalg.norm(np.linalg.solve(gram, twist))
    assert np.abs(damped_solve(jacobian, damping, twist) - by_svd).max() <= bound + 1e-15


def test_the_spring_pulls_with_its_stiffness_and_the_turn_with_half_of_it():
    spring = bench(**NO_POSTURE)
    spring.reference["T_base_tcp"][1] += 0.004
    assert np.allclose(spring.step()["wrench"], [0, 8, 0, 0, 0, 0], atol=1e-9)
    turned = bench(**NO_POSTURE)
    turn = quaternion.from_rotvec(np.array([0.0, 0.0, 0.02]))
    turned.reference["T_base_tcp"][3:] = quaternion.multiply(turn, turned.reference["T_base_tcp"][3:])
    assert np.allclose(turned.step()["wrench"], [0, 0, 0, 0, 0, 150 * 0.01], atol=1e-4)


def test_the_torque_is_the_wrench_through_the_jacobian():
    spring = bench(**NO_POSTURE)
    spring.reference["T_base_tcp"][:3] += [0.002, -0.001, 0.003]
    command = spring.step()
    assert np.allclose(command["tau"][:7], kinematics(HOME)[1].T @ command["wrench"])


@given(direction=vectors)
@settings(max_examples=30, deadline=None)
def test_the_force_on_a_far_reference_is_the_bound_in_every_direction(direction):
    far = bench(**NO_POSTURE)
    far.reference["T_base_tcp"][:3] += 0.3 * direction / np.linalg.norm(direction)
    force = far.step()["wrench"][:3]
    assert np.linalg.norm(force) == pytest.approx(20.0)
    assert force @ direction == pytest.approx(20.0 * np.linalg.norm(direction))


def test_a_diagonal_wall_feels_no_more_than_a_straight_one():
    far = bench(feed_forward=True)
    far.reference["T_base_tcp"][:3] += 0.3
    far.reference["twist"][:3] = 0.5
    command = far.step()
    assert np.linalg.norm(command["wrench"][:3]) == pytest.approx(20.0)
    assert set(structs.names_of(int(command["events"]), structs.EVENTS)) >= {"clip_position", "wrench_bound"}


@settings(max_examples=30, deadline=None)
@given(signs=st.tuples(st.sampled_from([-1, 1]), st.sampled_from([-1, 1])), axis=vectors, angle=st.floats(-3, 3))
def test_the_hemisphere_of_a_quaternion_changes_nothing(signs, axis, angle):
    turn = quaternion.from_rotvec(axis / np.linalg.norm(axis) * angle)
    one, other = bench(), bench()
    for each in (one, other):
        each.reference["T_base_tcp"][3:] = quaternion.multiply(turn, each.reference["T_base_tcp"][3:])
    other.reference["T_base_tcp"][3:] *= signs[0]
    other.state["T_base_flange"][3:] *= signs[1]
    assert np.allclose(one.step(3)["tau"], other.step(3)["tau"], atol=1e-12)


def test_feed_forward_damps_the_difference_of_velocities():
    moving = bench(**NO_POSTURE)
    moving.state["dq"][:7] = 0.1
    moving.reference["twist"] = kinematics(HOME)[1] @ np.full(7, 0.1)
    assert np.allclose(moving.step()["wrench"], 0, atol=1e-12)
    without = bench(feed_forward=False, **NO_POSTURE)
    without.state["dq"][:7], without.reference["twist"] = 0.1, moving.reference["twist"]
    twist = kinematics(HOME)[1] @ np.full(7, 0.1)
    assert np.linalg.norm(without.step()["wrench"][:3]) == pytest.approx(min(20, 89 * np.linalg.norm(twist[:3])))


def test_gravity_is_added_only_where_the_robot_does_not_compensate_it():
    for flags, expected in ((structs.STATE_COMPENSATES_GRAVITY, 0.0), (0, 3.0)):
        weighed = bench(**NO_POSTURE)
        weighed.state["flags"], weighed.state["gravity"][:7] = structs.STATE_FRESH | flags, 3.0
        assert np.allclose(weighed.step()["tau"][:7], expected, atol=1e-9)


def test_a_payload_is_held_by_the_slope_of_its_energy():
    com, mass_kg = np.array([0.02, -0.01, 0.08]), 1.5
    held = bench(payload_kg=mass_kg, payload_com_m=tuple(com), **NO_POSTURE)

    def energy(q):
        T_base_flange, _ = kinematics(q)
        return mass_kg * 9.81 * (T_base_flange[2] + quaternion.rotate(T_base_flange[3:], com)[2])

    steps = 1e-6 * np.eye(7)
    slope = [(energy(HOME + step) - energy(HOME - step)) / 2e-6 for step in steps]
    assert np.allclose(held.step()["tau"][:7], slope, atol=1e-6)


def test_the_posture_does_not_move_the_tool():
    # Damping leaks: of a direction with the singular value s it leaves lambda^2 / (s^2 + lambda^2) to the tool.
    drawn = bench(nullspace_stiffness_nm_per_rad=(5.0,), posture_rad=tuple(HOME + 0.2), nullspace_lambda=1e-3)
    jacobian = kinematics(HOME)[1]
    torque = drawn.step()["tau"][:7]
    assert np.linalg.norm(torque) > 0.1
    assert np.allclose(np.linalg.pinv(jacobian.T) @ torque, 0, atol=1e-3)


def test_the_integral_removes_a_standing_error_and_does_not_wind_up():
    gains = {"integral_n_per_m_s": 4000.0, **NO_POSTURE}
    small = bench(**gains)
    small.reference["T_base_tcp"][0] += 0.002
    first, later = small.step()["wrench"][0], small.step(200)["wrench"][0]
    assert later - first == pytest.approx(0.2 * 4000 * 0.002)
    blocked = bench(**gains)
    blocked.reference["T_base_tcp"][0] += 0.3
    blocked.step(800)
    blocked.reference["T_base_tcp"][0] -= 0.3  # let go: what was stored must not push on
    assert np.linalg.norm(blocked.step()["wrench"][:3]) < 0.1


def test_the_integral_counts_measured_time():
    slow, fast = bench(integral_n_per_m_s=1000.0), bench(integral_n_per_m_s=1000.0)
    slow.state["period_ns"] = 2_000_000
    for each in (slow, fast):
        each.reference["T_base_tcp"][0] += 0.001
        each.step()
    gained = [each.step(100)["wrench"][0] - 2.0 for each in (slow, fast)]
    assert gained[0] == pytest.approx(2 * gained[1], rel=1e-6)


def test_gains_change_without_a_step_of_the_torque():
    changed = bench(blend_s=0.2, **NO_POSTURE)
    changed.reference["T_base_tcp"][:3] += 0.005
    taus = [changed.step()["tau"]]
    _, gains = impedance_structs(stiffness_n_per_m=200.0, wrench_bound_n=40.0, **NO_POSTURE)
    changed.law.set_gains(gains)
    taus += [changed.step()["tau"] for _ in range(250)]
    whole = np.abs(taus[-1] - taus[0]).max()
    assert whole > 4
    assert np.abs(np.diff(taus, axis=0)).max() < 1.2 * whole / 200
    assert np.allclose(changed.command["wrench"][:3], 200 * 0.005)


def test_the_first_cycle_begins_without_torque():
    pulled = bench(held_back=True)
    pulled.reference["T_base_tcp"][:3] += 0.3
    assert np.abs(pulled.step()["tau"]).max() <= 1.0
    pulled.step(100)
    pulled.reference["flags"] = structs.REFERENCE_FIRST
    assert np.abs(pulled.step()["tau"]).max() <= 1.0


def test_an_arm_that_holds_itself_is_taken_over_as_it_is():
    held = bench(held_back=True, **NO_POSTURE)
    held.state["flags"] = structs.STATE_FRESH
    held.state["gravity"][:7] = held.state["tau_applied"][:7] = [0, -30, 5, 20, 1, 2, 0]
    assert np.allclose(held.step()["tau"][:7], held.state["gravity"][:7])


def test_without_a_new_sample_the_command_before_is_held():
    blind = bench(held_back=True)
    blind.reference["T_base_tcp"][0] += 0.003
    before = blind.step(3)["tau"]
    blind.state["flags"] &= ~np.uint32(structs.STATE_FRESH)
    blind.reference["T_base_tcp"][0] += 0.1
    assert np.array_equal(blind.step()["tau"], before)


def test_a_joint_near_its_limit_is_pushed_back_without_a_step():
    torques = []
    for depth in np.linspace(-0.02, 0.15, 86):
        near = bench(**NO_POSTURE)
        q = HOME.copy()
        q[3] = LIMITS.lower[3] + 0.1 - depth
        near.at(q)
        near.reference["T_base_tcp"] = near.state["T_base_flange"]
        torques.append(near.step()["tau"][3])
    assert np.allclose(torques[:10], 0, atol=1e-9)
    assert torques[60] == pytest.approx(0.5 * LIMITS.torque[3])
    assert 0 <= np.diff(torques).min() <= np.diff(torques).max() < 1.0


def test_a_joint_near_its_greatest_speed_is_braked_without_a_step():
    torques = []
    for share in np.linspace(0.85, 1.0, 76):
        fast = bench(stiffness_n_per_m=0.0, damping_ns_per_m=0.0, damping_nms_per_rad=0.0, **NO_POSTURE)
        fast.state["dq"][3] = share * LIMITS.velocity[3]
        torques.append(fast.step()["tau"][3])
    assert np.allclose(torques[:25], 0)
    assert torques[-1] == pytest.approx(-0.5 * LIMITS.torque[3])
    assert -1.0 < np.diff(torques).min() <= np.diff(torques).max() <= 0


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), share_lost=st.sampled_from([0.0, 0.1, 0.5]))
def test_torques_and_their_steps_never_cross_their_limits(native_once, seed, share_lost):
    random, count = np.random.default_rng(seed), 2000
    states, references = hostile(random, count)
    commands, statuses = new("hl_command", count), np.zeros(count, dtype=np.int32)
    lost = (random.random(count) < share_lost).astype(np.uint8)
    states["tau_applied"][0] = 0
    law = CompiledImpedance(native_once, *impedance_structs(payload_kg=1.0, integral_n_per_m_s=100.0))
    law.bound_many(states, references, lost, commands, statuses)()
    tau = commands["tau"][:, :7]
    assert np.isfinite(tau).all()
    assert (np.abs(tau) <= LIMITS.torque).all()
    assert np.abs(tau - states["tau_applied"][:, :7]).max() <= 1 + 1e-9
    assert np.array_equal(commands["mode"] == structs.MODE_DAMPED, statuses != structs.OK)


@pytest.mark.parametrize("told", [1e308, -1e308, 100.0, np.nan, np.inf])
@pytest.mark.parametrize("law", [CompiledImpedance, NumpyImpedance])
def test_a_torque_that_no_joint_can_have_had_tells_nothing(native_once, law, told):
    """A damaged sample must not pull the command to the joint's limit at once."""
    made = impedance_structs()
    held = Bench(law=law(native_once, *made) if law is CompiledImpedance else law(*made))
    before = held.step()["tau"].copy()
    held.state["tau_applied"][2] = told
    assert np.abs(held.step()["tau"] - before).max() <= 1 + 1e-9


def passive(library, **options):
    undrawn = {"nullspace_damping_nms_per_rad": (0.0,), "repulsion_margin_rad": 0.0, **NO_POSTURE}
    config, gains = impedance_structs(**undrawn, **options)
    config["tau_step"] = 1e3  # what holds torques back adds lag, and lag adds energy
    return Bench(law=CompiledImpedance(library, config, gains))


def stored(error, stiffness, clip):
    """Return the energy of a spring whose error is cut at the clip, by metres or half angle."""
    return stiffness * (0.5 * min(error, clip) ** 2 + clip * max(error - clip, 0.0))


def energy_in_spring(law):
    way = law.reference["T_base_tcp"][:3] - law.state["T_base_flange"][:3]
    turn = rotation.turn_between(law.state["T_base_flange"][3:], law.reference["T_base_tcp"][3:])
    half = float(np.arctan2(np.linalg.norm(turn[:3]), turn[3]))
    cut = np.arcsin(0.05)
    turning = 2 * 150 * (1 - np.cos(min(half, cut))) + 2 * 150 * 0.05 * max(half - cut, 0.0)
    return stored(float(np.linalg.norm(way)), 2000.0, 0.01) + turning


@settings(max_examples=8, deadline=None)
@given(speed=st.floats(0.1, 0.8), sideways=st.floats(-0.2, 0.2), turning=st.floats(-0.5, 0.5))
def test_energy_does_not_grow_in_a_passive_contact(native_once, speed, sideways, turning):
    """Thrown at a wall behind which the reference is, the arm loses energy in every cycle."""
    law, arm = passive(native_once), FrictionlessArm()
    arm.wall_x = kinematics(HOME)[0][0] + 0.01
    law.reference["T_base_tcp"][0] += 0.05
    jacobian = kinematics(HOME)[1]
    arm.dq = np.linalg.pinv(jacobian) @ np.array([speed, sideways, 0, 0, turning, 0])
    energies = []
    for _ in range(400):
        law.at(arm.q)
        energies.append(arm.energy() + energy_in_spring(law))
        run(law, arm, 1)
    growth = np.diff(energies)
    assert growth.max() <= 0
    assert energies[-1] < 0.9 * energies[0]


def test_the_arm_comes_to_rest_at_its_reference(native_once):
    # With more damping of the posture than PolyUMI's: this arm has no friction to end its inner motion.
    structs_of_it = impedance_structs(nullspace_stiffness_nm_per_rad=(0.2,), nullspace_damping_nms_per_rad=(5.0,))
    law, arm = Bench(law=CompiledImpedance(native_once, *structs_of_it)), FrictionlessArm()
    law.reference["T_base_tcp"][:3] += [0.01, -0.02, 0.02]
    run(law, arm, 900)
    assert np.linalg.norm(arm.q - HOME) > 0.01
    assert np.allclose(kinematics(arm.q)[0][:3], law.reference["T_base_tcp"][:3], atol=1e-3)
