"""Robot and file: where their limits disagree is said joint by joint, and the doctor warns of it."""

import attrs
import numpy as np

from handloom.api import CollisionThresholds, JointLimits, Ports, Robot
from handloom.errors import HandloomError
from handloom_controllers.arms import compare_limits, load_limits
from handloom_controllers.arms.diagnosis import against, diagnosis, of_robot

NEW = load_limits("fr3", edition="2026").joints
OLD = load_limits("fr3", edition="2025").joints


def changed(key, joint, value, limits=NEW):
    table = getattr(limits, key).copy()
    table[joint] = value
    return attrs.evolve(limits, **{key: table})


class Reporting(Robot):
    """A robot that reports limits."""

    summary = "Reports limits"
    reported: JointLimits | HandloomError = NEW

    @classmethod
    def ports(cls, config):
        return Ports()

    @property
    def limits(self):
        if isinstance(self.reported, HandloomError):
            raise self.reported
        return self.reported

    @property
    def collision_thresholds(self):
        return CollisionThresholds(force_n=1.0, torque_nm=1.0, joint_torque_nm=np.ones(7))

    def open(self):
        raise AssertionError("the doctor opened a robot")

    close = read = stop = write = open


def reporting(limits):
    return type("Other", (Reporting,), {"reported": limits})


def test_limits_that_agree_say_nothing():
    assert compare_limits(NEW, NEW) == ()
    assert compare_limits(changed("upper", 0, NEW.upper[0] + 5e-5), NEW) == ()


def test_every_difference_is_said_by_joint_value_and_file():
    (said,) = compare_limits(changed("upper", 3, -0.05), NEW)
    assert said == (
        "joint4: its upper limit is -0.05 rad, beyond the -0.1169 rad of Franka Robotics, Control parameters "
        "specifications, limits for the Franka Research 3 (2026)."
    )
    (said,) = compare_limits(changed("lower", 5, 0.5), NEW)
    assert "joint6: its lower limit is 0.5 rad, within the 0.4398 rad" in said
    (said,) = compare_limits(changed("torque_rate", 6, np.inf), NEW)
    assert "joint7: its torque rate limit is inf Nm/s, beyond the 1000 Nm/s" in said


def test_two_editions_disagree_in_their_ranges():
    said = compare_limits(NEW, OLD)
    assert len(said) == 12
    assert all("beyond" in sentence for sentence in said)


def test_unknown_on_both_sides_is_no_difference():
    unknown = attrs.evolve(NEW, jerk=np.full(7, np.inf))
    assert compare_limits(unknown, unknown) == ()


def test_other_joints_are_one_sentence():
    other = attrs.evolve(NEW, names=tuple("abcdefg"))
    (said,) = compare_limits(other, NEW)
    assert said.startswith("The robot's joints are a, b, c")


def test_a_robot_that_goes_by_an_edition_is_well():
    for edition in ("strictest", "2025", "2026"):
        found = against("lab", load_limits("fr3", edition=edition).joints, "fr3")
        assert found.level == "ok"
        assert edition in found.sentence


def test_the_doctor_warns_when_robot_and_file_disagree():
    (found,) = of_robot("lab", reporting(changed("upper", 0, 2.95)))
    assert found.level == "warning"
    assert found.subject == "lab"
    assert (
        "disagree on 1 limits of fr3, edition '2026': joint1: its upper limit is 2.95 rad, beyond"
        in found.sentence
    )
    slow = attrs.evolve(NEW, velocity=0.5 * NEW.velocity)
    (found,) = of_robot("lab", reporting(slow))
    assert "disagree on 7 limits" in found.sentence
    assert "And 5 more." in found.sentence


def test_a_robot_of_other_joints_is_none_of_our_files():
    other = attrs.evolve(NEW, names=tuple("abcdefg"))
    assert list(of_robot("lab", reporting(other))) == []


def test_limits_that_cannot_be_told_are_a_warning():
    (found,) = of_robot("lab", reporting(HandloomError("The file is gone; fetch it.")))
    assert found.level == "warning"
    assert "The file is gone; fetch it." in found.sentence


def test_a_robot_that_needs_settings_is_passed_over():
    @attrs.frozen
    class Needs:
        path: str

    assert list(of_robot("lab", type("Needy", (Reporting,), {"Config": Needs}))) == []


def test_the_installed_robots_go_by_our_files():
    findings = list(diagnosis("arms")())
    assert all(finding.level == "ok" for finding in findings), findings
