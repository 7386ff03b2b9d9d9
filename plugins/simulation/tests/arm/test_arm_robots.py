"""The simulated arms keep the contract of robots, and are found by their kinds."""

import math
from pathlib import Path

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom.errors import HandloomError
from handloom.testing.robot_contract import RobotContract
from handloom_simulation.arm import robots
from handloom_simulation.arm.robots import MujocoFr3, MujocoUrdf
from handloom_simulation.arm.settings import Block, MujocoFr3Config, MujocoUrdfConfig, Noise, wall

pytest_plugins = ("handloom.testing.fixtures",)

QDD = Path(__file__).parents[4] / "examples" / "arms" / "qdd7.urdf"


@pytest.mark.usefixtures("compiler")
class TestMujocoFr3(RobotContract):
    component = MujocoFr3


@pytest.mark.usefixtures("compiler")
class TestMujocoUrdf(RobotContract):
    """A torque-controlled arm that does not compensate gravity."""

    component = MujocoUrdf

    def config(self):
        return MujocoUrdfConfig(urdf=QDD)


@pytest.mark.usefixtures("compiler")
class TestMujocoUrdfInPositions(RobotContract):
    component = MujocoUrdf
    torque_controlled = False

    def config(self):
        return MujocoUrdfConfig(urdf=QDD, torque_controlled=False)


def test_their_entry_points_answer_them(only_these_plugins):
    kinds = {"mujoco_fr3": MujocoFr3, "mujoco_urdf": MujocoUrdf}
    host = only_these_plugins(robots=dict.fromkeys(kinds, robots.__name__))
    for kind, component in kinds.items():
        assert host.load("robots", kind).component is component


def test_position_commands_are_followed(open_fr3):
    robot = open_fr3()
    start = robot.read().q
    for step in range(700):
        done = min(step / 600, 1.0)
        move = 0.2 * (10 * done**3 - 15 * done**4 + 6 * done**5)
        robot.write(RobotCommand(q=start + np.eye(7)[0] * move))
    state = robot.read()
    assert state.reflexes == ()
    assert np.allclose(state.q, start + np.eye(7)[0] * 0.2, atol=1e-3)


def test_a_missed_command_costs_a_moving_arm_no_reflex(open_fr3, raw_write):
    """One side counts the missed period in its positions, the other does not; both are taken."""
    for aware in (True, False):
        robot = open_fr3()
        q, speed = robot.read().q, 0.0
        for step in range(300):
            speed = min(speed + 0.004, 0.5)
            periods = 3 if step == 200 else 1
            q = q + np.eye(7)[0] * speed * 1e-3 * (periods if aware else 1)
            raw_write(robot, mode=1, periods=periods, q=q)
        assert robot.read().reflexes == ()


def test_paced_stamps_are_the_machines_monotonic_clock(open_fr3):
    import time

    robot = open_fr3(first_stamp_ns=None)
    before = time.monotonic_ns()
    first = robot.read().stamp
    assert before <= first <= time.monotonic_ns()
    robot.write(RobotCommand(tau=np.zeros(7)))
    assert robot.read().stamp == first + 1_000_000


def test_a_closed_robot_leaves_its_table_to_whoever_holds_it(open_fr3):
    robot = open_fr3()
    native = robot.native()
    robot.close()
    from handloom_simulation.arm.library import RobotTable

    table = RobotTable(native.address)
    from handloom_controllers.native import new

    assert table.read(new("hl_state")) == 0


def test_a_wall_looks_along_its_normal():
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (1, 1, 1), (-0.2, 0.5, -3)):
        block = wall(point_m=(0.1, 0.2, 0.3), normal=normal)
        unit = np.array(normal) / np.linalg.norm(normal)
        assert np.allclose(np.array(block.centre_m) + block.half_m[0] * unit, (0.1, 0.2, 0.3))
        x, y, z, w = block.quaternion
        first_axis = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)]
        assert np.allclose(first_axis, unit)
    with pytest.raises(HandloomError, match="can't look along"):
        wall(point_m=(0, 0, 0), normal=(0, 0, 0))


def test_collision_thresholds_can_be_set():
    robot = MujocoFr3(MujocoFr3Config(collision_force_n=25.0, collision_joint_torque_nm=(9.0,)))
    assert robot.collision_thresholds.force_n == 25.0
    assert robot.collision_thresholds.torque_nm == robot.arm.thresholds.torque_nm
    assert (robot.collision_thresholds.joint_torque_nm == 9.0).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"payload_kg": -1.0},
        {"payload_kg": math.nan},
        {"payload_com_m": (0.0, math.nan, 0.0)},
        {"probe_radius_m": -0.01},
        {"dry_friction_nm": (-1.0,)},
        {"rotor_inertia_share": math.nan},
        {"model_error": 5.0},
        {"in_hand_m": -0.01},
        {"collision_force_n": -1.0},
        {"power_limit_w": math.nan},
        {"seed": -1},
        {"seed": 2**70},
        {"first_stamp_ns": 2**63 - 1},
    ],
)
def test_a_number_that_no_arm_can_have_is_refused_by_name(wrong):
    with pytest.raises(HandloomError, match=next(iter(wrong))):
        MujocoFr3Config(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"half_m": (0.0, 1.0, 1.0)},
        {"quaternion": (0.0, 0.0, 0.0, 0.0)},
        {"mass_kg": -1.0},
        {"friction": math.nan},
        {"centre_m": (math.inf, 0.0, 0.0)},
    ],
)
def test_a_block_that_can_not_be_is_refused_by_name(wrong):
    with pytest.raises(HandloomError, match=next(iter(wrong))):
        Block(**{"name": "b", "centre_m": (1.0, 0.0, 0.0), "half_m": (0.1, 0.1, 0.1), **wrong})
    with pytest.raises(HandloomError, match="position_rad"):
        Noise(position_rad=math.nan)


@pytest.mark.parametrize("taken", ["wall", "floor"])
def test_two_things_of_one_name_are_refused_in_a_sentence(taken):
    blocks = (wall(point_m=(2, 0, 0), normal=(1, 0, 0)), wall(point_m=(3, 0, 0), normal=(1, 0, 0), name=taken))
    robot = MujocoFr3(MujocoFr3Config(blocks=blocks))
    with pytest.raises(HandloomError, match=f"named '{taken}'"):
        robot.open()


@pytest.mark.parametrize("duration_s", [-1.0, math.inf, math.nan])
def test_a_push_without_an_end_is_refused(open_fr3, duration_s):
    with pytest.raises(HandloomError, match="A push lasts"):
        open_fr3().plant.push(np.zeros(6), duration_s)
