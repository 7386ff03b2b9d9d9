"""Limits are data: every value has a source, and of two editions the stricter holds."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import HandloomError
from handloom_controllers.arms import load_limits, read_limits, shipped_limits, strictest

TABLES = ("upper", "velocity", "acceleration", "jerk", "torque", "torque_rate")
WRITTEN = """
source = "a lab's notes"
edition = "1"
[joints]
names = ["shoulder", "elbow"]
lower = [-1.0, -2.0]
upper = [1.0, 2.0]
velocity = [3.0, 3.0]
torque = [20.0, 10.0]
"""


def test_every_edition_names_its_source():
    editions = shipped_limits("fr3")
    assert set(editions) == {"2025", "2026"}
    for edition, limits in editions.items():
        assert limits.joints.edition == edition
        assert "Franka" in limits.joints.source


def test_the_default_keeps_every_edition_and_names_both_sources():
    default = load_limits("fr3").joints
    for each in shipped_limits("fr3").values():
        assert (default.lower >= each.joints.lower).all()
        for name in TABLES:
            assert (getattr(default, name) <= getattr(each.joints, name)).all()
        assert each.joints.source in default.source
        assert each.joints.edition in default.edition


def test_the_default_is_no_stricter_than_it_has_to_be():
    default, several = load_limits("fr3"), shipped_limits("fr3").values()
    assert default.joints.upper[0] == 2.7437
    assert np.array_equal(default.joints.lower, np.max([each.joints.lower for each in several], axis=0))
    assert default.cartesian.elbow_velocity == 1.5
    assert np.array_equal(default.near_range.offset, [0.6599, 0.2517, 0.2, 0.3533, 0.5757, 0.4878, 0.4628])


@given(share=st.floats(0.0, 1.0), edition=st.sampled_from(["strictest", "2025", "2026"]))
@settings(max_examples=50, deadline=None)
def test_a_joint_that_keeps_the_velocity_near_its_range_can_stop_within_it(share, edition):
    limits = load_limits("fr3", edition=edition)
    joints, near = limits.joints, limits.near_range
    q = joints.lower + share * (joints.upper - joints.lower)
    least, greatest = near.velocities(joints, q)
    assert (least <= 0).all()
    assert (greatest >= 0).all()
    assert (greatest <= joints.velocity).all()
    assert (least >= -joints.velocity).all()
    assert (q + greatest**2 / (2 * near.deceleration) <= joints.upper + 1e-12).all()
    assert (q - least**2 / (2 * near.deceleration) >= joints.lower - 1e-12).all()


def test_in_the_middle_of_its_range_a_joint_may_use_its_whole_velocity():
    limits = load_limits("fr3", edition="2026")
    _, greatest = limits.near_range.velocities(limits.joints, np.zeros(7))
    assert greatest[2] == limits.joints.velocity[2]
    # sqrt(2 * 6 * 2.9007) - 0.6599, capped
    assert greatest[0] == 2.62
    _, greatest = limits.near_range.velocities(limits.joints, limits.joints.upper - 0.1)
    assert greatest[0] == pytest.approx(np.sqrt(1.2) - 0.6599)


def test_beyond_the_range_there_is_no_way_but_back():
    limits = load_limits("fr3")
    least, greatest = limits.near_range.velocities(limits.joints, limits.joints.upper + 0.01)
    assert not greatest.any()
    assert (least < 0).all()


def test_a_file_may_leave_out_what_nobody_says(tmp_path):
    (tmp_path / "lab.toml").write_text(WRITTEN)
    limits = load_limits(tmp_path / "lab.toml")
    assert limits.joints.names == ("shoulder", "elbow")
    assert np.isinf(limits.joints.jerk).all()
    assert limits.near_range is None
    assert limits.cartesian is None


@pytest.mark.parametrize(
    ("found", "written", "said"),
    [
        ("upper = [1.0, 2.0]", "upper = [1.0]", "`upper` has 1 numbers; expected 2"),
        ("upper = [1.0, 2.0]", "", "`upper` is None"),
        ("upper = [1.0, 2.0]", 'upper = [1.0, "two"]', "expected a list of 2 numbers"),
        ("upper = [1.0, 2.0]", "upper = [1.0, -3.0]", "the range of elbow is empty"),
        ("[joints]", "[joint]", r"the table \[joints\] is missing"),
        ('edition = "1"', "", "`edition"),
        ('edition = "1"', "edition =", "is no TOML"),
        ("upper = [1.0, 2.0]", "upper = [1.0, nan]", "expected a list of 2 numbers"),
        ("upper = [1.0, 2.0]", "upper = [true, 2.0]", "expected a list of 2 numbers"),
        ('edition = "1"', 'edition = "1"\nnear_rage = 3', "`near_rage` is unknown; did you mean 'near_range'"),
        ("upper = [1.0, 2.0]", "upper = [1.0, 2.0]\njerck = [1.0, 1.0]", "`jerck` in .joints. is unknown"),
    ],
)
def test_a_mistake_in_a_file_is_said_in_a_sentence(tmp_path, found, written, said):
    path = tmp_path / "lab.toml"
    path.write_text(WRITTEN.replace(found, written))
    with pytest.raises(HandloomError, match=said):
        read_limits(path)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(HandloomError, match=r"can't be read: No such file"):
        load_limits(tmp_path / "none.toml")


def test_limits_of_other_joints_are_not_mixed(tmp_path):
    (tmp_path / "lab.toml").write_text(WRITTEN)
    with pytest.raises(HandloomError, match="shoulder"):
        strictest([load_limits("fr3"), load_limits(tmp_path / "lab.toml")])


def test_the_strictest_of_one_is_itself():
    limits = load_limits("fr3", edition="2025")
    same = strictest([limits])
    for field in attrs.fields(type(limits.joints)):
        if field.name not in ("edition",):
            assert np.array_equal(getattr(same.joints, field.name), getattr(limits.joints, field.name))
