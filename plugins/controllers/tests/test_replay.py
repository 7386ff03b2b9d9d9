"""A recorded robot: it moves as it moved, a gap is a gap, and commands are held against the recorded ones."""

import attrs
import numpy as np
import pytest

from handloom.api import CartesianCommand, RobotCommand
from handloom.errors import HandloomError, RecordingError
from handloom.geometry import pose
from handloom.testing import RobotContract
from handloom_controllers.arms import fr3
from handloom_controllers.control.telemetry import TelemetryWriter
from handloom_controllers.impedance import Impedance, ImpedanceConfig
from handloom_controllers.native.structs import new
from handloom_controllers.replay import ReplayConfig, ReplayRobot

START = 1_700_000_000_000_000_123
ARM = fr3()


def records(count=600, joints=7):
    """Return telemetry of an arm that swings slowly about its home."""
    times = np.arange(count) * 0.001
    made = new("hl_telemetry", count)
    made["stamp_ns"] = START + np.arange(count) * 1_000_000
    made["joints"] = joints
    made["q"][:, :7] = ARM.home + 0.05 * np.sin(2 * times)[:, None]
    made["dq"][:, :7] = 0.1 * np.cos(2 * times)[:, None]
    made["tau"][:, :7] = 3.0
    made["tau_command"][:, :7] = 1.0 + times[:, None]
    made["wrench_measured"] = np.nan
    made["width_m"] = 0.04
    made["width_reference"] = 0.03
    return made


def written(folder, made):
    with TelemetryWriter(folder / "telemetry.npy") as writer:
        writer.append(made)
    return ReplayRobot(ReplayConfig(file=folder / "telemetry.npy"))


class TestReplayRobot(RobotContract):
    component = ReplayRobot
    moves = False
    most_cycles = 60

    @pytest.fixture(autouse=True)
    def recorded(self, tmp_path):
        self.file = tmp_path / "telemetry.npy"
        written(tmp_path, records())

    def config(self):
        return ReplayConfig(file=self.file)


def test_every_state_is_the_recorded_one(tmp_path):
    made = records(20)
    made["reflexes"][7] = 0b10
    with written(tmp_path, made) as robot:
        for row in made[:-1]:
            state = robot.read()
            assert state.stamp == row["stamp_ns"]
            assert np.array_equal(state.q, row["q"][:7])
            assert np.array_equal(state.dq, row["dq"][:7])
            assert np.array_equal(state.tau, row["tau"][:7])
            assert state.width_m == 0.04
            assert state.compensates_gravity
            assert np.allclose(state.T_base_flange[:3], ARM.chain.forward(state.q)[:3, 3])
            assert state.reflexes == (("joint_velocity_violation",) if row is made[7] or row["reflexes"] else ())
            robot.write(RobotCommand())
        assert robot.over


def test_the_recorded_commands_written_again_differ_by_nothing(tmp_path):
    made = records(50)
    with written(tmp_path, made) as robot:
        for row in made[:-1]:
            robot.write(RobotCommand(tau=row["tau_command"][:7], width_m=0.03))
    found = robot.comparison
    assert found.cycles == found.compared == 49
    assert not found.max_nm.any()
    assert found.max_width_m == 0


def test_other_commands_differ_by_what_they_differ(tmp_path):
    made = records(11)
    offset = np.array([0.5, 0, 0, -2.0, 0, 0, 0])
    with written(tmp_path, made) as robot:
        for place, row in enumerate(made[:-1]):
            robot.write(RobotCommand(tau=row["tau_command"][:7] + (offset if place % 2 else 0), width_m=0.05))
    found = robot.comparison
    assert np.allclose(found.max_nm, np.abs(offset))
    assert np.allclose(found.rms_nm, np.abs(offset) * np.sqrt(0.5))
    assert found.max_width_m == pytest.approx(0.02)
    assert "at most 2 Nm at joint 4" in found.sentence()


def swung(cycle):
    """Return where the tool shall be: a little aside of where it is at home."""
    T_base_tcp = pose.compose(pose.from_matrix(ARM.chain.forward(ARM.home)), ARM.T_flange_tcp)
    T_base_tcp[0] += 0.004
    return CartesianCommand(stamp=START + cycle * 1_000_000, pose=T_base_tcp, twist=np.zeros(6), width_m=0.03)


def asked(robot, config):
    """Return the torques (cycles, 7) that a law of these settings commands along a recording."""
    law = Impedance(config)
    law.start(limits=robot.limits, thresholds=robot.collision_thresholds, state=robot.read())
    torques = []
    while not robot.over:
        command = law.step(robot.read(), swung(len(torques)))
        torques.append(command.tau)
        robot.write(attrs.evolve(command, q=None))
    return np.array(torques)


def test_a_law_asked_again_along_its_own_run_answers_what_it_answered(tmp_path, native_once):
    made = records(60)
    made["tau_command"] = 0
    with written(tmp_path, made) as robot:
        made["tau_command"][:-1, :7] = asked(robot, ImpedanceConfig())
    with written(tmp_path, made) as robot:
        asked(robot, ImpedanceConfig())
        assert robot.comparison.compared == 59
        assert robot.comparison.max_nm.max() < 1e-9
        assert np.abs(made["tau_command"]).max() > 1
    with written(tmp_path, made) as robot:
        asked(robot, ImpedanceConfig(stiffness_n_per_m=1000.0))
        assert robot.comparison.max_nm.max() > 1.5, "the recorded torques hold the law's own back"


def test_gravity_is_the_models_and_without_it_unknown(tmp_path):
    made = records(4)
    with written(tmp_path, made) as robot:
        state = robot.read()
        assert state.gravity[3] == pytest.approx(22.3, abs=0.2)
        assert np.isfinite(state.coriolis).all()
    robot = ReplayRobot(attrs.evolve(robot.config, weight=False))
    with robot:
        assert np.isnan(robot.read().gravity).all()
        assert np.isnan(robot.read().coriolis).all()


def test_commands_without_torques_are_counted_but_not_compared(tmp_path):
    with written(tmp_path, records(5)) as robot:
        robot.write(RobotCommand(q=ARM.home))
        robot.write(RobotCommand())
    found = robot.comparison
    assert (found.cycles, found.compared) == (2, 0)
    assert np.isnan(found.rms_nm).all()
    assert np.isnan(found.max_width_m)
    assert found.sentence().startswith("None of 2 commands")


def test_a_gap_is_a_gap(tmp_path):
    made = np.delete(records(20), [8, 9, 10])
    with written(tmp_path, made) as robot:
        states = []
        for _ in range(19):
            states.append(robot.read())
            robot.write(RobotCommand(tau=np.ones(7)))
    lost = [bool(np.isnan(state.q).all()) for state in states]
    assert [place for place, gone in enumerate(lost) if gone] == [8, 9, 10]
    assert [state.stamp - START for state in states] == [place * 1_000_000 for place in range(19)]
    for name in ("dq", "tau", "jacobian", "T_base_flange", "wrench"):
        assert np.isnan(getattr(states[9], name)).all()
    assert np.isnan(states[9].width_m)
    assert robot.comparison.compared == 16


def test_a_joint_that_was_lost_is_lost(tmp_path):
    made = records(5)
    made["q"][2, 3] = np.nan
    with written(tmp_path, made) as robot:
        robot.write(RobotCommand())
        robot.write(RobotCommand())
        state = robot.read()
    assert np.isnan(state.q[3])
    assert np.isfinite(state.q[2])
    assert np.isnan(state.T_base_flange).all()
    assert np.isnan(state.jacobian).all()


def test_slow_telemetry_is_no_gap(tmp_path):
    with written(tmp_path, records(200)[::10]) as robot:
        stamps = []
        while not robot.over:
            stamps.append(robot.read().stamp)
            assert np.isfinite(robot.read().q).all()
            robot.write(RobotCommand())
    assert np.array_equal(np.diff(stamps), np.full(18, 10_000_000))


def test_after_the_last_state_nothing_more_is_played(tmp_path):
    with written(tmp_path, records(3)) as robot:
        robot.write(RobotCommand())
        robot.write(RobotCommand())
        last = robot.read()
        with pytest.raises(HandloomError, match="is over after 3 cycles; stop the loop"):
            robot.write(RobotCommand())
        assert robot.read().stamp == last.stamp


def test_a_recording_of_another_arm_is_refused(tmp_path):
    with pytest.raises(RecordingError, match="is of a robot with 6 joints; fr3 has 7"):
        written(tmp_path, records(joints=6)).open()


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ([0, 2, 1, 3], "stamps fall after record 1"),
        ([0, 1, 1], "stamps fall after record 1"),
        ([0], "holds 1 records"),
    ],
)
def test_a_recording_that_is_none_is_refused(tmp_path, order, said):
    with pytest.raises(RecordingError, match=said):
        written(tmp_path, records(4)[order]).open()


def test_stamps_an_age_apart_are_no_gap_to_be_filled(tmp_path):
    made = records(4)
    made["stamp_ns"][3] += 10**18
    with pytest.raises(RecordingError, match="s apart; expected one motion"):
        written(tmp_path, made).open()


def test_a_file_that_is_no_telemetry_is_refused(tmp_path):
    np.save(tmp_path / "other.npy", np.zeros(3))
    with pytest.raises(RecordingError, match="not the telemetry"):
        ReplayRobot(ReplayConfig(file=tmp_path / "other.npy")).open()


def test_the_comparison_outlives_the_recording_and_begins_anew_with_it(tmp_path):
    robot = written(tmp_path, records(5))
    with pytest.raises(HandloomError, match="was not open yet"):
        _ = robot.comparison
    with robot:
        robot.write(RobotCommand())
    assert robot.comparison.cycles == 1
    with robot:
        assert robot.comparison.cycles == 0


def test_a_settings_file_may_name_a_urdf(tmp_path):
    config = ReplayConfig(file=tmp_path / "none.npy", arm="examples/arms/none.urdf")
    with pytest.raises(HandloomError, match=r"none\.urdf can't be read"):
        _ = ReplayRobot(config).limits
    assert attrs.evolve(config, arm="fr3").arm == "fr3"
