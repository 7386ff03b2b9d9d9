"""What the control interface of the robot answers and does; no socket and no clock."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from handloom_simulation.fci import messages
from handloom_simulation.fci.body import Body, Report
from handloom_simulation.fci.description import urdf_of
from handloom_simulation.fci.motion import Motion

ModeName: TypeAlias = Literal["idle", "guiding", "reflex", "user_stopped", "other", "move"]

MODES: dict[ModeName, int] = {
    "other": messages.MODE_OTHER,
    "idle": messages.MODE_IDLE,
    "move": messages.MODE_MOVE,
    "guiding": messages.MODE_GUIDING,
    "reflex": messages.MODE_REFLEX,
    "user_stopped": messages.MODE_USER_STOPPED,
}

_BRAKING_AT_MOST = 2000


class Interface:
    """The robot behind the interface, with at most one client.

    Attributes:
        body: The arm; ask it for the truth, or push it.
        mode: Of the robot, `messages.MODE_*`.
        asked: The commands that came, by their numbers in `messages`.
        motions: What was moved, the last one last.
        answers: What is to be sent to the client, whole messages.
        client_port: Where the client listens for states; 0 before it has said so.
    """

    def __init__(self, body: Body, *, version: int, mode: ModeName) -> None:
        self.body = body
        self.mode = MODES[mode]
        self.asked: list[int] = []
        self.motions: list[Motion] = []
        self.answers: list[bytes] = []
        self.client_port = 0
        self._version = version
        self._motion: Motion | None = None
        self._reflexes: tuple[str, ...] = ("cartesian_reflex",) if mode == "reflex" else ()
        self._report = Report(body)
        self._urdf = urdf_of(body.robot.arm).encode()
        self._sent = 0
        self._actions: dict[int, Callable[[bytes], int]] = {
            messages.SET_COLLISION: self._behave,
            messages.SET_LOAD: self._load,
            messages.RECOVER: self._recover,
            messages.STOP_MOVE: self._stop,
        }

    @property
    def is_waiting(self) -> bool:
        """Whether a motion waits for its next command."""
        return self._motion is not None and self._motion.begun

    @property
    def sent(self) -> int:
        """Number of the newest state."""
        return self._sent

    def meet(self) -> None:
        """Begin with a new client."""
        self.client_port = self._sent = 0
        self.answers.clear()

    def go_on(self, command: Any) -> None:
        """Let a millisecond pass with its command, or without one."""
        motion = self._motion
        if motion is None:
            self._brake()
            return
        motion.go_on(command)
        self._end_if_over(motion)

    def end_motion(
        self, *reflexes: str, mode: int = messages.MODE_REFLEX, answer: int = messages.MOVE_REFLEX
    ) -> None:
        """End the motion for a reason that is not in the arm's own physics."""
        if self._motion is None:
            return
        self._motion.end(*reflexes, answer=answer)
        self._end_if_over(self._motion)
        self.mode = mode

    def desert(self) -> None:
        """The client is gone, and with it the commands of what it moved."""
        self.end_motion("communication_constraints_violation")
        for _ in range(_BRAKING_AT_MOST):
            if self.body.at_rest():
                break
            self.body.brake()

    def state(self) -> bytes:
        """Return the next state."""
        message, moving = self._report.message, self._motion is not None
        self._sent += 1
        self._report.fill(self.body.state)
        message["message_id"] = self._sent
        message["robot_mode"] = messages.MODE_MOVE if moving else self.mode
        message["motion_generator_mode"] = messages.GENERATOR_NONE if moving else messages.GENERATOR_IDLE
        message["controller_mode"] = messages.CONTROLLER_EXTERNAL if moving else messages.CONTROLLER_OTHER
        for name, place in messages.ERRORS.items():
            message["errors"][place] = message["reflex_reason"][place] = name in self._reflexes
        message["control_command_success_rate"] = self._motion.success_rate if self._motion else 0.0
        return message.tobytes()

    def obey(self, command: int, identity: int, payload: bytes) -> None:
        """Do what a command says, and answer."""
        self.asked.append(command)
        if command == messages.CONNECT:
            self._connect(identity, payload)
        elif command == messages.MOVE:
            self._answer(command, identity, struct.pack("<B", self._begin(identity, payload)))
        elif command == messages.GET_MODEL:
            self._answer(command, identity, struct.pack("<B", messages.SUCCESS) + self._urdf)
        else:
            action = self._actions.get(command, _take_note)
            self._answer(command, identity, struct.pack("<B", action(payload)))

    def _answer(self, command: int, identity: int, payload: bytes) -> None:
        header = struct.pack("<III", command, identity, messages.HEADER.itemsize + len(payload))
        self.answers.append(header + payload)

    def _brake(self) -> None:
        if self.mode != messages.MODE_IDLE and not self.body.at_rest():
            self.body.brake()

    def _end_if_over(self, motion: Motion) -> None:
        if not motion.is_over:
            return
        self._motion, self._reflexes = None, motion.reflexes
        self.mode = messages.MODE_REFLEX if motion.reflexes else messages.MODE_IDLE
        self._answer(messages.MOVE, motion.identity, struct.pack("<B", motion.answer))

    def _connect(self, identity: int, payload: bytes) -> None:
        request = np.frombuffer(payload, dtype=messages.CONNECT_REQUEST)[0]
        fits = int(request["version"]) == self._version
        status = messages.SUCCESS if fits else messages.INCOMPATIBLE
        self._answer(messages.CONNECT, identity, struct.pack("<BH", status, self._version))
        self.client_port = int(request["udp_port"]) if fits else 0

    def _begin(self, identity: int, payload: bytes) -> int:
        request = np.frombuffer(payload, dtype=messages.MOVE_REQUEST)[0]
        asked = int(request["controller"]), int(request["generator"])
        if self._motion is not None or self.mode != messages.MODE_IDLE:
            return messages.MOVE_NOT_POSSIBLE
        if asked != (messages.ASKED_EXTERNAL, messages.ASKED_NO_GENERATOR):
            return messages.MOVE_INVALID
        self._motion = Motion(identity, self.body)
        self.motions.append(self._motion)
        return messages.MOVE_STARTED

    def _behave(self, payload: bytes) -> int:
        request = np.frombuffer(payload, dtype=messages.COLLISION_REQUEST)[0]
        torques, wrench = request["upper_torque_nominal"], request["upper_force_nominal"]
        if self._motion is not None or self.mode != messages.MODE_IDLE:
            return messages.NOT_POSSIBLE
        if not (np.concatenate([torques, wrench]) > 0).all():
            return messages.INVALID_ARGUMENT
        self.body.behave(torques, float(wrench[:3].min()), float(wrench[3:].min()))
        return messages.SUCCESS

    def _load(self, payload: bytes) -> int:
        """Tell the client's model of a load; the simulated arm itself does not carry it."""
        request = np.frombuffer(payload, dtype=messages.LOAD_REQUEST)[0]
        if self._motion is not None:
            return messages.NOT_POSSIBLE
        if not request["mass"] >= 0:
            return messages.INVALID_ARGUMENT
        for name, field in (("m_load", "mass"), ("F_x_Cload", "com"), ("I_load", "inertia")):
            self._report.message[name] = request[field]
        return messages.SUCCESS

    def _recover(self, _: bytes) -> int:
        if self._motion is not None or self.mode not in (messages.MODE_IDLE, messages.MODE_REFLEX):
            return messages.NOT_POSSIBLE
        self.body.restart()
        self._reflexes, self.mode = (), messages.MODE_IDLE
        return messages.SUCCESS

    def _stop(self, _: bytes) -> int:
        if self._motion is None:
            return messages.NOT_POSSIBLE
        self._motion.finish(messages.MOVE_PREEMPTED)
        return messages.SUCCESS


def _take_note(_: bytes) -> int:
    """Of settings that mean nothing to an arm under torque control."""
    return messages.SUCCESS
