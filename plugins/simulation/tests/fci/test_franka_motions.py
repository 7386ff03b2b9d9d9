"""The arm comes to rest whatever goes away, is late or is wrong, and what stopped it is told by its name."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom.errors import HandloomError
from handloom_simulation.fci import messages

pytestmark = pytest.mark.real_time

OWNER = """
import sys
import numpy as np
from handloom.api import RobotCommand
from handloom_controllers.franka.robot import FrankaRobot
from handloom_controllers.franka.settings import FrankaConfig
robot = FrankaRobot(FrankaConfig(address=sys.argv[1], realtime="ignore", lock_step=True, connect_s=60.0))
told = False
with robot:
    tau = np.zeros(7)
    for cycle in range(1_000_000):
        state = robot.read()
        tau[0] = min(tau[0] + 0.01, 2.0) if state.dq[0] < 0.2 else 0.0
        robot.write(RobotCommand(tau=tau))
        if not told and state.dq[0] > 0.15:
            told = True
            print(robot.pid, flush=True)
"""


def wait_for(there, seconds=60.0):
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def set_going(robot, speed=0.15):
    """Push joint 1 until it turns; return the torques."""
    robot.open()
    tau = np.zeros(7)
    for _ in range(2000):
        state = robot.read()
        assert state.reflexes == ()
        if state.dq[0] > speed:
            return tau
        tau[0] = min(tau[0] + 0.01, 2.0)
        robot.write(RobotCommand(tau=tau))
    raise AssertionError("it does not move")


def go_on(robot, tau, cycles=2000):
    """Command the same until a reflex is told."""
    for _ in range(cycles):
        robot.write(RobotCommand(tau=tau))
        state = robot.read()
        if state.reflexes:
            break
    return state


def rested(peer):
    wait_for(lambda: peer.interface.mode != messages.MODE_MOVE and peer.body.at_rest())
    return peer.interface.motions[-1]


def test_when_its_owner_is_killed_the_arm_comes_to_rest_by_its_process(fci, wheel):
    peer = fci()
    owner = subprocess.Popen([sys.executable, "-c", OWNER, peer.config.address], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(owner.stdout.readline())
        owner.kill()
        wait_for(lambda: not is_running(pid))
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
    motion = rested(peer)
    assert motion.answer == messages.SUCCESS  # finished as a motion should be, not broken off
    assert motion.reflexes == ()
    assert np.abs(peer.body.state["dq"]).max() == 0


def test_when_its_process_is_killed_the_arm_stops_by_itself(franka):
    peer, robot = franka()
    tau = set_going(robot)
    os.kill(robot.pid, signal.SIGKILL)
    with pytest.raises(HandloomError, match="gone"):
        go_on(robot, tau)
    assert rested(peer).reflexes == ("communication_constraints_violation",)


def test_when_its_process_hangs_the_arm_stops_by_itself_and_says_so_later(franka):
    peer, robot = franka(patience_s=0.05)
    tau = set_going(robot)
    pid = robot.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        assert rested(peer).reflexes == ("communication_constraints_violation",)
        assert peer.interface.motions[-1].lost >= 20
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: go_on(robot, tau).reflexes == ("communication_constraints_violation",))


def test_when_the_loop_falls_silent_the_process_brings_the_arm_to_rest(franka):
    peer, robot = franka(settings={"lock_step": False, "deadline_s": 0.5})
    set_going(robot)
    time.sleep(0.7)
    motion = rested(peer)
    assert motion.answer == messages.SUCCESS
    robot.read()
    assert robot.read().reflexes == ("communication_constraints_violation",)
    robot.close()
    assert robot.end.at_rest


def test_closing_a_moving_arm_waits_until_it_is_at_rest(franka):
    peer, robot = franka()
    set_going(robot)
    robot.close()
    assert robot.end.at_rest
    assert robot.end.reflexes == ()
    assert robot.end.held == 0
    assert robot.end.slowest_us > 0
    assert rested(peer).answer == messages.SUCCESS
    assert rested(peer).lost == 0


def test_a_collision_is_told_by_its_name(franka):
    peer, robot = franka(settings={"collision_force_n": 20.0})
    tau = set_going(robot)
    peer.body.plant.push([60.0, 0, 0, 0, 0, 0], 1.0)
    state = go_on(robot, tau)
    assert "cartesian_reflex" in state.reflexes
    assert set(state.reflexes) == set(rested(peer).reflexes)
    # What pushes the arm along x is felt along x.
    assert state.wrench[0] > 10


@pytest.mark.parametrize(
    "name", ["joint_velocity_violation", "power_limit_violation", "controller_torque_discontinuity"]
)
def test_an_error_of_the_arm_is_told_by_its_name(franka, name):
    peer, robot = franka()
    tau = set_going(robot)
    peer.raise_reflex(name)
    assert go_on(robot, tau).reflexes == (name,)


def test_an_error_that_has_no_name_here_is_told_in_the_arms_words(franka, capfd):
    peer, robot = franka()
    tau = set_going(robot)
    peer.raise_reflex("cartesian_velocity_violation")
    assert go_on(robot, tau).reflexes == ("instability_detected",)
    robot.close()
    assert "cartesian_velocity_violation" in capfd.readouterr().err


def test_the_user_stop_ends_the_motion(franka, capfd):
    peer, robot = franka()
    tau = set_going(robot)
    peer.press_user_stop()
    assert go_on(robot, tau).reflexes
    robot.close()
    assert "User Stop pressed" in capfd.readouterr().err
    assert rested(peer).reflexes == ()


def test_a_step_of_the_torque_is_spread_over_cycles(franka):
    """The arm would stop itself at more than 1 Nm; libfranka limits nothing on this way."""
    peer, robot = franka()
    robot.open()
    for torque in (5.0, -5.0) * 10:
        robot.write(RobotCommand(tau=np.array([0, 0, 0, 0, 0, 0, torque])))
        assert robot.read().reflexes == ()
    robot.close()
    assert robot.end.limited > 5
    assert rested(peer).reflexes == ()


@pytest.mark.parametrize(
    ("torque", "name"),
    [(13.0, "tau_j_range_violation"), (np.nan, "command_not_finite"), (np.inf, "command_not_finite")],
)
def test_a_torque_that_may_not_be_is_not_given_on(franka, torque, name):
    peer, robot = franka()
    tau = set_going(robot)
    tau[6] = torque
    assert go_on(robot, tau).reflexes == (name,)
    assert rested(peer).answer == messages.SUCCESS


def test_joint_positions_are_refused(franka):
    _, robot = franka()
    robot.open()
    with pytest.raises(HandloomError, match="takes torques"):
        robot.write(RobotCommand(q=robot.read().q))


def test_a_robot_that_goes_away_is_told(franka):
    peer, robot = franka()
    tau = set_going(robot)
    peer.close()
    with pytest.raises(HandloomError, match="connection to the arm is lost"):
        go_on(robot, tau, cycles=20_000)


def test_nothing_moves_before_the_first_torque(franka):
    peer, robot = franka()
    robot.open()
    for _ in range(50):
        robot.read()
        robot.write(RobotCommand())
    assert messages.MOVE not in peer.interface.asked
