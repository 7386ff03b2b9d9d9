"""Settings, refusals and reports of the robot `franka` that need neither the wheel nor an arm."""

import math

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.control.arm_process import has_own_process
from handloom_controllers.franka import robot as robots
from handloom_controllers.franka.connecting import said
from handloom_controllers.franka.report import End, Report
from handloom_controllers.franka.robot import FrankaRobot
from handloom_controllers.franka.settings import FrankaConfig

pytest_plugins = ("handloom.testing.fixtures",)

CONFIG = FrankaConfig(address="172.16.0.2")


@pytest.mark.parametrize(
    "wrong",
    [
        {"payload_kg": -1.0},
        {"payload_kg": math.nan},
        {"payload_com_m": (0.0, math.nan, 0.0)},
        {"collision_force_n": 0.0},
        {"collision_torque_nm": math.inf},
        {"collision_joint_torque_nm": (10.0,) * 6},
        {"collision_joint_torque_nm": (10.0,) * 6 + (0.0,)},
        {"damping_nms_per_rad": (1.0,)},
        {"damping_nms_per_rad": ()},
        {"deadline_s": 0.0},
        {"connect_s": math.nan},
    ],
)
def test_a_number_that_no_arm_can_have_is_refused_by_name(wrong):
    with pytest.raises(HandloomError, match=next(iter(wrong))):
        FrankaConfig(address="172.16.0.2", **wrong)


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(robots={"franka": robots.__name__})
    assert host.load("robots", "franka").component is FrankaRobot


def test_without_the_wheel_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(robots, "find_spec", lambda name: None)
    with pytest.raises(HandloomError, match=r"pip install 'handloom-controllers\[franka\]'"):
        FrankaRobot(CONFIG).open()


def test_limits_and_thresholds_are_known_without_an_arm():
    robot = FrankaRobot(FrankaConfig(address="nowhere", collision_force_n=25.0, limits_edition="2026"))
    assert robot.limits.edition == "2026"
    assert robot.collision_thresholds.force_n == 25.0
    assert robot.collision_thresholds.torque_nm == robot.arm.thresholds.torque_nm
    joints = FrankaRobot(FrankaConfig(address="nowhere", collision_joint_torque_nm=(9.0,) * 7))
    assert np.array_equal(joints.collision_thresholds.joint_torque_nm, np.full(7, 9.0))


def test_no_process_is_put_around_its_own():
    assert has_own_process(FrankaRobot)
    assert not has_own_process(robots.Robot)


def test_a_report_comes_back_as_it_was_written(tmp_path):
    end = End(
        at_rest=True, speed_rad_per_s=0.0, reflexes=("joint_reflex",), cycles=9, held=1, lost=2, limited=3,
        slowest_us=4.5, scheduling="It runs.",
    )  # fmt: skip
    for report in (Report(), Report(stage="connecting"), Report(stage="ended", sentence="No.", end=end)):
        report.write(tmp_path / "report.json")
        assert Report.read(tmp_path / "report.json") == report
    assert Report.read(tmp_path / "missing.json") == Report()


def test_only_who_was_connecting_met_silence():
    assert Report().why(CONFIG) == ""
    assert "172.16.0.2 does not answer" in Report(stage="connecting").why(CONFIG)
    assert Report(stage="connecting", sentence="It is off.").why(CONFIG) == "It is off."


def test_what_libfranka_says_becomes_a_sentence():
    assert said(RuntimeError("libfranka: Connection  to\nFCI refused")) == "Connection to FCI refused."
    assert said(RuntimeError("libfranka: brakes? Did you open the brakes?")).endswith("brakes?")
