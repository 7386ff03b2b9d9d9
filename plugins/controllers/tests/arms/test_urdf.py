"""Any serial arm from a URDF: read as MuJoCo reads it, and what is missing is said by joint and link."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.arms import load_arm

QDD7 = Path(__file__).parents[4] / "examples" / "arms" / "qdd7.urdf"

SKEWED = """<?xml version="1.0"?>
<robot name="skewed">
  <link name="world"/>
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 -0.02 0.03" rpy="0.3 -0.4 1.2"/>
      <mass value="2.5"/>
      <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="-0.002" iyz="0.003"/>
    </inertial>
  </link>
  <link name="hand">
    <inertial><origin xyz="0 0 0.1"/><mass value="0.7"/>
      <inertia ixx="0.004" iyy="0.004" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin rpy="1.5707963 0 0"/><geometry><cylinder radius="0.03" length="0.2"/></geometry></collision>
    <collision><geometry><mesh filename="package://somewhere/hand.stl"/></geometry></collision>
  </link>
  <link name="tool"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left"><inertial><mass value="0.05"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="0.05"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="bolt" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 0.5"/></joint>
  <joint name="swing" type="revolute">
    <parent link="base"/><child link="arm"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.2 1.1 -0.7"/><axis xyz="0 2 0"/>
    <limit lower="-1.5" upper="1.0" effort="30" velocity="2"/>
    <dynamics friction="0.2" damping="0.1"/>
  </joint>
  <joint name="spin" type="continuous">
    <parent link="arm"/><child link="hand"/>
    <origin xyz="0.3 0 0" rpy="-0.5 0.4 0.1"/><axis xyz="0.6 0 0.8"/>
    <limit effort="10" velocity="5"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="hand"/><child link="tool"/><origin xyz="0 0.05 0.2" rpy="0 0 0.5"/>
  </joint>
  <joint name="squeeze" type="prismatic">
    <parent link="tool"/><child link="left"/><origin xyz="0 0.01 0"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.1"/>
  </joint>
  <joint name="follow" type="prismatic">
    <parent link="tool"/><child link="right"/><origin xyz="0 -0.01 0"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.1"/>
    <mimic joint="squeeze"/>
  </joint>
</robot>
"""


def written(tmp_path, text=SKEWED, beside=""):
    path = tmp_path / "skewed.urdf"
    path.write_text(text)
    if beside:
        path.with_suffix(".toml").write_text(beside)
    return path


def without(text, start, end):
    """Return the text without the first stretch from start to end."""
    first = text.index(start)
    return text[:first] + text[text.index(end, first) + len(end) :]


def compiled(arm):
    model = mujoco.MjModel.from_xml_string(arm.mjcf)
    return model, mujoco.MjData(model)


def test_the_example_weighs_and_moves_as_mujocos_own_reader_has_it():
    arm = load_arm(QDD7)
    model, data = compiled(arm)
    theirs = mujoco.MjModel.from_xml_path(str(QDD7))
    other = mujoco.MjData(theirs)
    assert np.array_equal(model.jnt_range, theirs.jnt_range)
    for seed in range(5):
        q = np.random.default_rng(seed).uniform(arm.limits.lower, arm.limits.upper)
        for each, its in ((model, data), (theirs, other)):
            its.qpos[:], its.qvel[:] = q, q[::-1]
            mujoco.mj_forward(each, its)
        assert np.allclose(data.qfrc_bias, other.qfrc_bias, rtol=0, atol=1e-12)


def test_turned_origins_and_inertias_are_read_as_mujoco_reads_them(tmp_path):
    path = written(
        tmp_path, SKEWED.replace('<mesh filename="package://somewhere/hand.stl"/>', '<sphere radius="0.1"/>')
    )
    arm = load_arm(path)
    model, data = compiled(arm)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    other = mujoco.MjData(theirs)
    for q in ([0.0, 0.0], [0.7, -1.9], [-1.2, 2.5]):
        data.qpos[:] = q
        other.qpos[:2], other.qvel[:2], data.qvel[:] = q, [1.0, -2.0], [1.0, -2.0]
        mujoco.mj_forward(model, data)
        mujoco.mj_forward(theirs, other)
        assert np.allclose(data.body("hand").xpos, other.body("hand").xpos, rtol=0, atol=1e-12)
        assert np.allclose(data.qfrc_bias, other.qfrc_bias[:2], rtol=0, atol=1e-9)
        assert np.allclose(data.site("flange").xpos, arm.chain.forward(q)[:3, 3], rtol=0, atol=1e-12)
        assert np.allclose(
            data.site("flange").xmat.reshape(3, 3), arm.chain.forward(q)[:3, :3], rtol=0, atol=1e-12
        )


def test_the_jacobian_is_mujocos(tmp_path):
    arm = load_arm(written(tmp_path))
    model, data = compiled(arm)
    data.qpos[:] = [0.4, -1.3]
    mujoco.mj_forward(model, data)
    jacobian = np.zeros((6, 2))
    mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], model.site("flange").id)
    assert np.allclose(jacobian, arm.chain.jacobian(data.qpos), rtol=0, atol=1e-12)


def test_the_arm_ends_where_its_turning_joints_and_what_is_fixed_to_the_last_do(tmp_path):
    arm = load_arm(written(tmp_path))
    assert arm.joints == ("swing", "spin")
    model, _ = compiled(arm)
    assert model.body(model.site("flange").bodyid[0]).name == "tool"
    other = load_arm(written(tmp_path), flange="hand")
    assert compiled(other)[0].site("flange").bodyid[0] == compiled(other)[0].body("hand").id


def test_a_joint_that_turns_without_end_has_no_range(tmp_path):
    arm = load_arm(written(tmp_path))
    assert np.array_equal(arm.limits.upper, [1.0, np.inf])
    assert np.array_equal(arm.limits.lower, [-1.5, -np.inf])
    assert compiled(arm)[0].jnt_limited.tolist() == [1, 0]
    assert np.array_equal(arm.home, [-0.25, 0.0])


def test_what_is_left_out_is_said(tmp_path):
    notes = load_arm(written(tmp_path)).notes
    assert len(notes) == 3
    assert any("link hand" in note and "hand.stl" in note for note in notes)
    assert any("joint squeeze" in note and "held at 0" in note for note in notes)
    assert any("joint follow" in note for note in notes)


def test_without_a_file_beside_it_what_a_urdf_cannot_say_is_unknown(tmp_path):
    arm = load_arm(written(tmp_path))
    assert np.isinf(arm.limits.acceleration).all()
    assert np.isinf(arm.limits.jerk).all()
    assert np.isinf(arm.limits.torque_rate).all()
    assert np.isinf(arm.thresholds.force_n)
    assert arm.torque_controlled
    assert np.array_equal(arm.friction, [0.2, 0.0])
    assert np.array_equal(arm.damping, [0.1, 0.0])
    assert not load_arm(written(tmp_path), torque_controlled=False).torque_controlled


def test_the_file_beside_it_says_the_rest_and_names_its_source():
    arm = load_arm(QDD7)
    assert arm.limits.source == "example, not a product; qdd7.urdf"
    assert arm.limits.acceleration[0] == 30
    assert arm.reflected_inertia[0] == 0.02
    assert arm.limits.torque[6] == 4.0
    assert arm.thresholds.force_n == 60
    assert arm.notes == ()


def test_the_example_holds_itself_with_half_its_torque():
    arm = load_arm(QDD7)
    model, data = compiled(arm)
    for q in np.random.default_rng(1).uniform(arm.limits.lower, arm.limits.upper, (200, 7)):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        assert (np.abs(data.qfrc_bias) < 0.5 * arm.limits.torque).all()


def test_at_home_the_example_holds_its_tool_straight_down_and_touches_nothing():
    arm = load_arm(QDD7)
    model, data = compiled(arm)
    data.qpos[:] = arm.home
    mujoco.mj_forward(model, data)
    assert np.allclose(data.site("tcp").xmat.reshape(3, 3)[:, 2], [0, 0, -1], atol=1e-9)
    assert data.ncon == 0


LIMIT = '<limit lower="-1.5" upper="1.0" effort="30" velocity="2"/>'


@pytest.mark.parametrize(
    ("found", "put", "said"),
    [
        (LIMIT, "", "joint swing leaves out `lower` in its <limit>; write it there, or `lower` for all joints in"),
        (LIMIT, '<limit lower="-1" upper="1" velocity="2"/>', "joint swing leaves out `effort`"),
        (LIMIT, '<limit lower="-1" upper="1" velocity="0" effort="3"/>', "joint swing has 0 for `velocity`"),
        (LIMIT, '<limit lower="-1" upper="1" velocity="2" effort="-3"/>', "joint swing has -3 for `effort`"),
        (LIMIT, '<limit lower="1" upper="-1" velocity="1" effort="3"/>', "range of swing is empty"),
        (LIMIT, '<limit lower="low" upper="1" velocity="1" effort="3"/>', "joint swing: `lower` is 'low'"),
        ('<axis xyz="0 2 0"/>', '<axis xyz="0 0 0"/>', "Joint swing: its axis is 0 0 0"),
        ('<axis xyz="0 2 0"/>', '<axis xyz="0 1"/>', "joint swing: `xyz` is '0 1'; expected three numbers"),
        (
            'type="revolute"',
            'type="planar"',
            r"no joint of an arm turns behind world; found bolt \(fixed\), swing \(planar\)",
        ),
        ('<child link="arm"/>', '<child link="arms"/>', "joint swing joins 'arms'; did you mean 'arm'"),
        ('<child link="arm"/>', "", "joint swing: it names no link"),
        ('<mass value="2.5"/>', '<mass value="-2.5"/>', "link arm has a mass of -2.5 kg"),
        ('<mass value="0.1"/>', "", "link tool: <inertial> needs <mass> with its value in kg"),
        ('<mass value="0.1"/>', "<mass/>", "link tool: `value` is None; expected a number"),
        ('ixx="1e-4" ', "", "link tool: `ixx` is None; expected a number"),
        ('ixx="0.02" iyy="0.03"', 'ixx="0.02" iyy="0.3"', "link arm has the principal moments"),
        ('ixx="0.02" iyy="0.03"', 'ixx="-0.02" iyy="0.03"', "have to be above 0"),
        (
            '<cylinder radius="0.03" length="0.2"/>',
            '<cone radius="0.03"/>',
            "link hand: <cone> is no shape",
        ),
        ('<robot name="skewed">', '<robots name="skewed">', "is no XML"),
        ('name="spin"', 'name="swing"', "two joints are named 'swing'"),
        ('joint name="spin"', "joint", "joint 3 of 6 has no name"),
        ('link name="tool"', "link", "link 5 of 7 has no name"),
        ('radius="0.03"', 'radius="-0.03"', 'its <cylinder> measures radius="-0.03", length="0.2"; expected more'),
        ('<dynamics friction="0.2"', '<dynamics friction="-0.2"', "`friction` -0.2; expected 0 or more"),
        ('<parent link="base"/><child link="arm"/>', '<parent link="tool"/><child link="arm"/>', "form a ring"),
    ],
)
def test_what_is_wrong_with_a_urdf_is_said_by_joint_or_link(tmp_path, found, put, said):
    assert found in SKEWED
    with pytest.raises(HandloomError, match=said):
        load_arm(written(tmp_path, SKEWED.replace(found, put, 1)))


def test_a_joint_that_moves_no_mass_is_refused(tmp_path):
    text = without(SKEWED[SKEWED.index('<link name="arm">') :], "<inertial>", "</inertial>")
    path = written(tmp_path, SKEWED[: SKEWED.index('<link name="arm">')] + text)
    with pytest.raises(
        HandloomError, match="joint swing moves before the next joint weighs anything; give the link arm"
    ):
        load_arm(path)


def test_mass_behind_a_fixed_joint_counts(tmp_path):
    text = without(SKEWED[SKEWED.index('<link name="hand">') :], "<inertial>", "</inertial>")
    arm = load_arm(written(tmp_path, SKEWED[: SKEWED.index('<link name="hand">')] + text))
    model, _ = compiled(arm)
    assert model.body("hand").subtreemass[0] == pytest.approx(0.2)


def test_an_arm_over_a_joint_that_slides_or_follows_is_refused(tmp_path):
    with pytest.raises(
        HandloomError, match="joint squeeze is prismatic; an arm's joints are revolute or continuous"
    ):
        load_arm(written(tmp_path), flange="left")
    mimic = SKEWED.replace(
        '<limit effort="10" velocity="5"/>', '<limit effort="1" velocity="5"/><mimic joint="swing"/>'
    )
    with pytest.raises(HandloomError, match="joint spin moves with swing, so the arm is not serial"):
        load_arm(written(tmp_path, mimic), flange="tool")


def test_two_ways_as_long_as_each_other_need_a_name(tmp_path):
    fork = SKEWED.replace(
        "</robot>",
        '<link name="other"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="fork" type="continuous"><parent link="arm"/><child link="other"/>'
        '<limit effort="1" velocity="1"/></joint></robot>',
    )
    with pytest.raises(HandloomError, match="the ways to hand, other have 2 turning joints each; name the flange"):
        load_arm(written(tmp_path, fork))
    assert load_arm(written(tmp_path, fork), flange="other").joints == ("swing", "fork")


def test_a_flange_that_is_not_there_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(HandloomError, match="has no link 'tol'; did you mean 'tool'"):
        load_arm(written(tmp_path), flange="tol")


def test_a_xacro_file_has_to_be_expanded_first(tmp_path):
    path = tmp_path / "arm.urdf.xacro"
    path.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm"/>')
    with pytest.raises(HandloomError, match="is a xacro file; expand it first: xacro"):
        load_arm(str(path))


def test_a_file_beside_it_for_other_joints_is_refused(tmp_path):
    beside = 'source = "a lab"\nedition = "1"\n[joints]\nnames = ["spin", "swing"]\njerk = [1.0, 2.0]\n'
    with pytest.raises(HandloomError, match=r"the joints of skewed\.urdf are, in this order, swing, spin"):
        load_arm(written(tmp_path, beside=beside))


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        ("home = [0.0, 7.0, 1.0]", "`home` has 3 numbers; expected 2"),
        ("home = [1.5, 0.0]", "swing is out of its range there"),
        ("tcp = [0, 0, 0.1, 0, 0, 0, 2]", "expected one of length 1"),
        ("tcp = [0, 0, 0.1]", "`tcp` has 3 numbers; expected 7"),
        ("tcp = [nan, 0, 0, 0, 0, 0, 1]", "`tcp` is .*; expected a list of 7 numbers"),
        ("tcp = [inf, 0, 0, 0, 0, 0, 1]", "`tcp` is .*; expected finite numbers"),
        ("home = [nan, 0.0]", "`home` is .*; expected a list of 2 numbers"),
        ("home = [true, 0.0]", "`home` is .*; expected a list of 2 numbers"),
        ('torque_controlled = "no"', "`torque_controlled` is 'no'; expected true or false"),
        ('compensates_gravity = "no"', "`compensates_gravity` is 'no'; expected true or false"),
        ("flange = 5", "`flange"),
        ("flanje = 'hand'", r"`flanje` in \[arm\] is unknown; did you mean 'flange'"),
        ("[drives]", "`drives` is unknown; did you mean 'drive'"),
        ("[drive]\nfriction = [-0.1, 0.1]", "`friction` is .*; expected finite numbers of 0 or more"),
        ("[drive]\nreflected_inertia = [inf, 0.1]", "`reflected_inertia` is .*; expected finite numbers"),
        ("[joints]\nnames = 5", "`names` is 5; expected the joints' names"),
        ("[thresholds]\nforce_n = -1", "`force_n` is -1; expected a number of 0 or more"),
        ("[thresholds]\nforce_n = nan", "`force_n` is nan; expected a number"),
        ("[thresholds]\nforce_n = '40'", "`force_n` is '40'; expected a number"),
        ("[thresholds]\nforze_n = 40", r"`forze_n` in \[thresholds\] is unknown; did you mean 'force_n'"),
        ("[thresholds]\njoint_torque_nm = [nan, 1]", "`joint_torque_nm` is .*; expected a list of 2 numbers"),
        ("[cartesian]\nvelocity = [1, 1]\nacceleration = [1, 1]\njerk = [1, 1]\nelbow_velocity = 'x'", "elbow_v"),
    ],
)
def test_what_is_wrong_with_the_file_beside_it_is_said(tmp_path, arm, said):
    beside = f'source = "a lab"\nedition = "1"\n[arm]\n{arm}\n'
    with pytest.raises(HandloomError, match=said):
        load_arm(written(tmp_path, beside=beside))


@pytest.mark.parametrize("name", ["arm", "drive", "joints", "thresholds", "near_range", "cartesian"])
def test_a_table_that_is_none_is_said(tmp_path, name):
    with pytest.raises(HandloomError, match=rf"`{name}` is 5; expected a table, \[{name}\]"):
        load_arm(written(tmp_path, beside=f'{name} = 5\nsource = "a lab"\nedition = "1"\n'))


def test_an_axis_may_be_of_any_length_that_can_be_written(tmp_path):
    arm = load_arm(written(tmp_path, SKEWED.replace('<axis xyz="0 2 0"/>', '<axis xyz="0 1e200 0"/>')))
    assert np.array_equal(arm.chain.axes, load_arm(written(tmp_path)).chain.axes)


def test_a_link_may_bear_the_name_that_the_world_would_be_given(tmp_path):
    text = SKEWED.replace('"tool"', '"world_link"')
    model, _ = compiled(load_arm(written(tmp_path, text)))
    assert model.body("world_link_").id == 1


def test_more_links_in_a_row_than_an_arm_has_are_refused(tmp_path):
    more = "".join(
        f'<link name="l{n}"/><joint name="f{n}" type="fixed">'
        f'<parent link="{f"l{n - 1}" if n else "tool"}"/><child link="l{n}"/></joint>'
        for n in range(1500)
    )
    with pytest.raises(HandloomError, match="more than 200 links hang on one another"):
        load_arm(written(tmp_path, SKEWED.replace("</robot>", f"{more}</robot>")))


def test_what_does_not_go_with_an_arm_is_refused(tmp_path):
    with pytest.raises(HandloomError, match="a URDF has no fingers"):
        load_arm(written(tmp_path), inertials="panda")
    with pytest.raises(HandloomError, match="has its own flange"):
        load_arm("fr3", torque_controlled=False)


def test_a_file_that_is_not_there_is_said():
    with pytest.raises(HandloomError, match=r"none\.urdf can't be read"):
        load_arm("none.urdf")
