"""The simulated control interface says and does what a robot would; no client and no socket."""

import struct

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_simulation.arm.settings import MujocoFr3Config
from handloom_simulation.fci import messages
from handloom_simulation.fci.body import Body
from handloom_simulation.fci.description import urdf_of
from handloom_simulation.fci.interface import Interface
from handloom_simulation.fci.server import FciConfig, SimulatedFci

TORQUE_CONTROL = struct.pack("<II6d?7d", 2, 4, *[0.0] * 6, False, *[0.0] * 7)


@pytest.fixture
def robot(compiled):
    """A connected interface; nothing is lost of what it answers."""
    body = Body(MujocoFr3Config())
    body.open()
    interface = Interface(body, version=messages.VERSION, mode="idle")
    interface.obey(messages.CONNECT, 0, struct.pack("<HH", messages.VERSION, 4242))
    return interface


def status(interface):
    answer = interface.answers[-1]
    return struct.unpack_from("<IIIB", answer)[3]


def command(*tau, finished=False):
    found = np.zeros((), dtype=messages.COMMAND)
    found["tau_J_d"][: len(tau)] = tau
    found["torque_command_finished"] = finished
    return found


def state(interface):
    return np.frombuffer(interface.state(), dtype=messages.STATE)[0]


def begin(interface):
    interface.obey(messages.MOVE, 7, TORQUE_CONTROL)
    return status(interface)


def test_messages_are_as_long_as_the_makers():
    """Packed structs; a client takes a state for one only by its length."""
    assert messages.HEADER.itemsize == 12
    assert messages.MOVE_REQUEST.itemsize == len(TORQUE_CONTROL) == 4 + 4 + 6 * 8 + 1 + 7 * 8
    assert messages.COMMAND.itemsize == 8 + (7 + 7 + 16 + 6 + 2) * 8 + 2 + 7 * 8 + 1
    floats = 9 * 16 - 16 - 16 + 1 + 9 + 3 + 1 + 9 + 3
    assert messages.STATE.fields["elbow"][1] == 8 + 4 * (6 * 16 + 1 + 9 + 3 + 1 + 9 + 3), floats
    assert messages.STATE.itemsize - messages.STATE.fields["motion_generator_mode"][1] == 2 + 41 + 41 + 1 + 4


def test_the_description_is_the_same_arm(compiled, tmp_path):
    from handloom_controllers.arms import fr3, load_arm

    arm = fr3()
    (tmp_path / "arm.urdf").write_text(urdf_of(arm))
    read = load_arm(tmp_path / "arm.urdf", flange="link8")
    for q in (np.zeros(7), arm.home, np.linspace(-1, 1, 7)):
        assert np.allclose(read.chain.forward(q), arm.chain.forward(q), atol=1e-9)
    assert np.array_equal(read.limits.upper, arm.limits.upper)


def test_another_version_is_refused_and_its_own_is_told(compiled, robot):
    robot.obey(messages.CONNECT, 1, struct.pack("<HH", 9, 4242))
    assert struct.unpack_from("<IIIBH", robot.answers[-1])[3:] == (messages.INCOMPATIBLE, messages.VERSION)
    assert robot.client_port == 0


def test_torques_move_it_and_the_last_one_brings_it_to_rest(robot):
    assert begin(robot) == messages.MOVE_STARTED
    assert state(robot)["robot_mode"] == messages.MODE_MOVE
    for step in range(100):
        robot.go_on(command(0.02 * step))
    assert state(robot)["dq"][0] > 0.01
    robot.go_on(command(2.0, finished=True))
    for _ in range(500):
        robot.go_on(None)
    assert status(robot) == messages.SUCCESS
    assert state(robot)["robot_mode"] == messages.MODE_IDLE
    assert abs(state(robot)["dq"]).max() == 0


def test_twenty_lost_commands_end_the_motion_and_nineteen_do_not(robot):
    begin(robot)
    robot.go_on(command(0.5))
    for _ in range(19):
        robot.go_on(None)
    robot.go_on(command(0.5))
    assert state(robot)["robot_mode"] == messages.MODE_MOVE
    for _ in range(20):
        robot.go_on(None)
    found = state(robot)
    assert found["robot_mode"] == messages.MODE_REFLEX
    assert np.flatnonzero(found["errors"]).tolist() == [messages.ERRORS["communication_constraints_violation"]]
    assert status(robot) == messages.MOVE_REFLEX


def test_before_the_first_torque_nothing_is_lost(robot):
    begin(robot)
    for _ in range(100):
        robot.go_on(None)
    assert state(robot)["robot_mode"] == messages.MODE_MOVE


def test_a_step_of_the_torque_ends_the_motion(robot):
    begin(robot)
    robot.go_on(command(5.0))
    assert state(robot)["errors"][messages.ERRORS["controller_torque_discontinuity"]]
    robot.obey(messages.RECOVER, 8, b"")
    assert status(robot) == messages.SUCCESS
    assert begin(robot) == messages.MOVE_STARTED


def test_a_robot_in_another_mode_can_not_be_moved(compiled):
    body = Body(MujocoFr3Config())
    body.open()
    for mode in ("guiding", "user_stopped", "other", "reflex"):
        assert begin(Interface(body, version=messages.VERSION, mode=mode)) == messages.MOVE_NOT_POSSIBLE


def test_thresholds_are_taken_and_it_stays_where_it_is(robot):
    before = state(robot)["q"].copy()
    request = np.zeros((), dtype=messages.COLLISION_REQUEST)
    for name in request.dtype.names:
        request[name] = 12.0
    robot.obey(messages.SET_COLLISION, 3, request.tobytes())
    assert status(robot) == messages.SUCCESS
    assert robot.body.robot.collision_thresholds.force_n == 12.0
    assert np.array_equal(state(robot)["q"], before)
    request["upper_force_nominal"] = -1.0
    robot.obey(messages.SET_COLLISION, 4, request.tobytes())
    assert status(robot) == messages.INVALID_ARGUMENT


def test_it_listens_on_this_machine_only():
    with pytest.raises(HandloomError, match="loopback"):
        SimulatedFci(FciConfig(address="192.168.0.1"))
