"""An arm that can't be moved says why in a sentence; nothing hangs, and no process is left."""

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom.errors import HandloomError
from handloom_simulation.fci import messages


def refusal(robot):
    with pytest.raises(HandloomError) as found:
        robot.open()
    assert robot.pid is None
    assert str(found.value).endswith("."), str(found.value)
    return str(found.value)


def test_nobody_listens(franka, capfd):
    peer, robot = franka()
    peer.close()
    assert "can't be reached: Connection to FCI refused" in refusal(robot)
    assert capfd.readouterr().err == ""  # it is said once


def test_another_version_tells_both(franka):
    _, robot = franka(version=7)
    told = refusal(robot)
    assert "server version: 7" in told
    assert "library version: 10" in told


def test_one_that_hangs_up(franka):
    _, robot = franka(refuse=True)
    assert "can't be reached" in refusal(robot)


def test_one_that_is_silent(franka):
    """libfranka itself would wait for ever."""
    _, robot = franka(silent=True, settings={"connect_s": 1.0})
    assert "does not answer as a Franka arm within 1 s" in refusal(robot)


def test_a_second_client(franka):
    peer, robot = franka()
    robot.open()
    other = type(robot)(robot.config)
    assert "can't be reached" in refusal(other)
    for _ in range(20):
        robot.write(RobotCommand(tau=np.zeros(7)))
        assert robot.read().reflexes == ()
    assert peer.interface.motions


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("user_stopped", "the user stop is pressed"),
        ("guiding", "guided by hand"),
        ("other", "its brakes are closed"),
        ("move", "another program moves it"),
        ("reflex", 'stopped by a reflex ["cartesian_reflex"]'),
    ],
)
def test_another_mode(franka, mode, told):
    peer, robot = franka(mode=mode)
    assert told in refusal(robot)
    assert messages.RECOVER not in peer.interface.asked


def test_it_recovers_only_when_it_is_asked_to(franka):
    peer, robot = franka(mode="reflex", settings={"recover": True})
    robot.open()
    assert robot.read().reflexes == ()
    assert peer.interface.asked.count(messages.RECOVER) == 1


def test_a_machine_without_a_real_time_kernel(franka):
    from pathlib import Path

    if Path("/sys/kernel/realtime").exists():
        pytest.skip("this machine has one")
    _, robot = franka(settings={"realtime": "enforce"})
    assert "may not move a real arm" in refusal(robot)


def test_thresholds_and_load_are_set_before_anything_moves(franka):
    peer, robot = franka(settings={"collision_force_n": 25.0, "payload_kg": 0.4, "payload_com_m": (0, 0, 0.05)})
    robot.open()
    assert robot.collision_thresholds.force_n == peer.body.robot.collision_thresholds.force_n == 25.0
    assert messages.MOVE not in peer.interface.asked
    # The arm's own model carries the load: that is what gravity in the state says.
    carried = robot.read().gravity
    robot.close()
    without = type(robot)(type(robot.config)(address=robot.config.address, realtime="ignore", lock_step=True))
    with without:
        assert abs(carried - without.read().gravity).max() > 0.1
