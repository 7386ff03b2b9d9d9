"""Led by a hand the arm comes along; let go it stays, however wrong its model of gravity is within reason."""

import numpy as np
import pytest

from handloom.testing.serial_arm import HOME, kinematics
from handloom_controllers.laws import CompiledImpedance
from handloom_controllers.native import structs
from tests.law_lab import Bench, FrictionlessArm, guiding_structs, run


@pytest.fixture
def guided(native_once):
    return Bench(law=CompiledImpedance(native_once, *guiding_structs(joint_damping_nms_per_rad=3.0)))


def position(q):
    return kinematics(q)[0][:3]


def test_a_hand_leads_it_and_it_stays_where_it_is_left(guided):
    arm = FrictionlessArm()
    jacobian = kinematics(HOME)[1]
    arm.push = jacobian[1] * 6.0  # a hand pulls with 6 N along y
    run(guided, arm, 400)
    led = position(arm.q)[1] - position(HOME)[1]
    assert led > 0.03
    arm.push = np.zeros(7)
    run(guided, arm, 900)
    left = position(arm.q)
    run(guided, arm, 300)
    assert np.linalg.norm(position(arm.q) - left) < 0.005


def test_it_does_not_drift_where_the_model_of_gravity_is_wrong_by_less_than_the_leash_holds(guided):
    arm = FrictionlessArm()
    jacobian = kinematics(HOME)[1]
    arm.push = -jacobian[2] * 1.0  # 1 N more than the model knows of; the leash holds 100 N/m * 0.02 m = 2 N
    farthest = 0.0
    for _ in range(12):
        run(guided, arm, 100)
        farthest = max(farthest, float(np.linalg.norm(position(arm.q) - position(HOME))))
    assert farthest < 0.04
    before = position(arm.q)
    run(guided, arm, 1000)
    assert np.linalg.norm(position(arm.q) - before) < 0.001


def test_it_carries_its_own_weight(guided):
    guided.state["flags"] = structs.STATE_FRESH
    guided.state["gravity"][:7] = guided.state["tau_applied"][:7] = [0, -20, 3, 15, 1, 2, 0]
    assert np.allclose(guided.step()["tau"][:7], guided.state["gravity"][:7])


def test_the_reference_of_the_loop_does_not_pull(guided):
    guided.reference["T_base_tcp"][:3] += 1.0
    guided.reference["twist"] = 1.0
    assert np.allclose(guided.step(50)["tau"], 0, atol=1e-9)


def test_the_leash_bounds_the_error(guided):
    guided.step()
    q = HOME.copy()
    q[:3] += 0.3
    guided.at(q)
    guided.step(30)
    assert np.linalg.norm(guided.command["error"][:3]) == pytest.approx(0.02)
    assert np.linalg.norm(guided.command["error"][3:]) == pytest.approx(np.sin(0.05))
