"""The shipped arm: its model is its data, and agrees with numpy and with what is published."""

import mujoco
import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.arms import described, fr3, load_arm, load_limits

ARM = fr3()
POSTURES = np.random.default_rng(4).uniform(ARM.limits.lower, ARM.limits.upper, (20, 7))


def compiled(arm=ARM):
    model = mujoco.MjModel.from_xml_string(arm.mjcf)
    return model, mujoco.MjData(model)


def placed(q, arm=ARM):
    model, data = compiled(arm)
    data.qpos[: len(q)] = q
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("edition", ["strictest", "2025", "2026"])
def test_the_models_joint_ranges_are_the_limits_in_radians(edition):
    arm = fr3(limits_edition=edition)
    model, _ = compiled(arm)
    names = tuple(model.joint(place).name for place in range(model.njnt))
    assert names == arm.joints == arm.limits.names
    assert model.jnt_limited.all()
    assert np.array_equal(model.jnt_range, np.stack([arm.limits.lower, arm.limits.upper], axis=1))
    assert np.array_equal(arm.limits.lower, load_limits("fr3", edition=edition).joints.lower)


def test_numpy_puts_the_flange_where_the_model_does():
    model, data = compiled()
    for q in POSTURES:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        T_base_flange = ARM.chain.forward(q)
        assert np.allclose(data.site("flange").xpos, T_base_flange[:3, 3], rtol=0, atol=1e-12)
        assert np.allclose(data.site("flange").xmat.reshape(3, 3), T_base_flange[:3, :3], rtol=0, atol=1e-12)


def test_the_models_jacobian_is_the_one_in_numpy():
    model, data = compiled()
    jacobian = np.zeros((6, 7))
    for q in POSTURES:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], model.site("flange").id)
        assert np.allclose(jacobian, ARM.chain.jacobian(q), rtol=0, atol=1e-12)


def test_at_home_the_fingertips_are_where_the_published_dimensions_put_them():
    _, data = placed(ARM.home)
    # The upper arm leans back by 45 degrees, the forearm is level, the hand hangs down.
    x = (0.0825 - 0.316) * np.sqrt(0.5) + 0.384 + 0.088
    assert data.site("tcp").xpos[0] == pytest.approx(x, abs=1e-9)
    assert data.site("flange").xpos[2] - data.site("tcp").xpos[2] == pytest.approx(0.1034, abs=1e-9)
    assert np.allclose(data.site("tcp").xmat.reshape(3, 3), np.diag([1, -1, -1]), atol=1e-9)


def test_gravity_on_the_elbow_at_home_is_the_published_arms():
    _, data = placed(ARM.home)
    assert data.qfrc_bias[3] == pytest.approx(22.34, abs=0.1)


def test_the_arm_with_its_hand_weighs_what_its_maker_says():
    model, _ = compiled()
    assert model.body("link1").subtreemass[0] == pytest.approx(16.225, abs=1e-3)
    assert compiled(fr3(hand=False))[0].body("link1").subtreemass[0] == pytest.approx(16.225 - 0.73, abs=1e-3)
    assert compiled(fr3(fingers=True))[0].body("link1").subtreemass[0] == pytest.approx(16.225, abs=1e-3)


def test_the_second_set_of_inertias_differs_much_and_hangs_on_the_same_joints():
    _, ours = placed(POSTURES[0])
    _, other = placed(POSTURES[0], fr3(inertials="panda"))
    assert np.allclose(ours.site("flange").xpos, other.site("flange").xpos, atol=1e-15)
    assert 0.05 < np.abs(ours.qfrc_bias - other.qfrc_bias).max() < 10


def test_fingers_come_behind_the_arms_joints_and_move_alike():
    arm = fr3(fingers=True)
    model, data = compiled(arm)
    assert tuple(model.joint(place).name for place in range(model.njnt)) == (*arm.joints, *arm.fingers)
    assert model.neq == 1
    assert 2 * model.joint(arm.fingers[0]).range[1] == pytest.approx(arm.width_m) == pytest.approx(0.08)
    data.qpos[:7], data.qpos[7:] = arm.home, 0.03
    mujoco.mj_forward(model, data)
    gap = data.body("finger1").xpos - data.body("finger2").xpos
    assert np.allclose(gap, [0, -0.06, 0], atol=1e-9) or np.allclose(gap, [0, 0.06, 0], atol=1e-9)
    assert data.ncon == 0


def test_nothing_touches_at_home():
    for hand in (False, True):
        _, data = placed(ARM.home, fr3(hand=hand))
        assert data.ncon == 0


def test_an_arm_folded_onto_its_base_touches_itself():
    _, data = placed([0.0, 1.6, 0.0, -3.0, 0.0, 2.0, 0.0])
    assert data.ncon > 0


def test_the_model_brings_no_actuator_no_friction_and_no_world():
    model, _ = compiled()
    assert model.nu == 0
    assert not model.dof_frictionloss.any()
    assert not model.dof_damping.any()
    assert model.geom_bodyid.min() > 0


def test_without_its_hand_the_tool_point_is_the_flange():
    arm = fr3(hand=False)
    assert np.array_equal(arm.T_flange_tcp, [0, 0, 0, 0, 0, 0, 1])
    assert np.isnan(arm.width_m)


def test_an_arm_nobody_knows_is_refused_with_the_nearest_name():
    with pytest.raises(HandloomError, match="fr3"):
        load_arm("fr4")
    with pytest.raises(HandloomError, match="panda"):
        load_arm("fr3", inertials="pandas")
    with pytest.raises(HandloomError, match="did you mean '2026'"):
        load_arm("fr3", limits_edition="2024")


@pytest.mark.parametrize("missing", ["source", "edition"])
def test_inertias_that_do_not_say_where_they_come_from_are_refused(missing, monkeypatch):
    known = described.read_toml

    def forgetful(path):
        return {key: value for key, value in known(path).items() if "inertials" not in path.name or key != missing}

    assert fr3()
    monkeypatch.setattr(described, "read_toml", forgetful)
    with pytest.raises(HandloomError, match=rf'fr3_inertials_vendor.toml: `{missing} = "..."` is missing'):
        fr3()
