"""A robot in another process: started, served to the loop through shared memory, and never left behind.

The loop's owner has a `RemoteRobot`; the arm's process, whose command line it is given, ends in `serve(robot)`:

    robot = RemoteRobot(["python", "-m", "my_lab.arm"], limits=limits, collision_thresholds=thresholds)
    with robot, RealTimeLoop(robot, law) as loop: ...
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import Any

from handloom.api import CollisionThresholds, JointLimits, Native, Ports, Robot, RobotCommand, RobotState
from handloom.errors import HandloomError
from handloom_controllers.native import library
from handloom_controllers.native.structs import new
from handloom_controllers.realtime.serving import LINE
from handloom_controllers.realtime.states import command_struct, state_of

COMING_TO_REST_S = 5.0
"""How long the arm's process may take to bring the arm to rest and end, before it is ended."""


_RANGES = {"rate_hz": (1.0, 10_000.0), "patience_s": (0.001, 3600.0), "start_s": (0.001, 3600.0)}


class RemoteRobot(Robot):
    """A robot that runs in a process of its own, compiled table included.

    `open` starts the process and waits for its first sample; `close` lets go, upon which the process brings the
    arm to rest and ends. When either process dies the other notices: this side's read answers HL_ERROR_ROBOT, the
    other side's robot reports communication_constraints_violation and comes to rest by damping.

    Attributes:
        pid: Of the arm's process while it is open, else None.
    """

    summary = "A robot in a process of its own"

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: JointLimits,
        collision_thresholds: CollisionThresholds,
        rate_hz: float = 1000.0,
        patience_s: float = 0.5,
        start_s: float = 60.0,
    ) -> None:
        """Say how the arm's process is started.

        Args:
            command: Its command line; it has to end in `serve`.
            limits: What each joint may do.
            collision_thresholds: From where on the robot stops by itself.
            rate_hz: Commands a second.
            patience_s: How long a read waits for a sample before the arm counts as gone.
            start_s: How long its first sample may take.

        Raises:
            HandloomError: There is no command, or a number is out of range.
        """
        super().__init__()
        for name, value in (("rate_hz", rate_hz), ("patience_s", patience_s), ("start_s", start_s)):
            least, most = _RANGES[name]
            if not least <= value <= most:
                raise HandloomError(f"A remote robot's `{name}` is {value}; expected {least:g} to {most:g}.")
        if not command:
            raise HandloomError("A remote robot needs the command line of the arm's process; found none.")
        self._command, self._rate_hz = tuple(command), rate_hz
        self._patience_s, self._start_s = patience_s, start_s
        self._limits, self._thresholds = limits, collision_thresholds
        self._process: subprocess.Popen[bytes] | None = None
        self._shared = self._table = 0

    @classmethod
    def ports(cls, config: Any) -> Ports:
        """Declare nothing: states and commands come through the contract of robots."""
        return Ports()

    @property
    def limits(self) -> JointLimits:
        """What each joint may do."""
        return self._limits

    @property
    def collision_thresholds(self) -> CollisionThresholds:
        """From where on the robot stops by itself."""
        return self._thresholds

    @property
    def pid(self) -> int | None:
        """Return the process id of the arm's process."""
        return self._process.pid if self._process else None

    def open(self) -> None:
        """Start the arm's process and wait for its first sample.

        Raises:
            HandloomError: It ended before, or gave no sample in time.
        """
        self._library = library()
        period_ns, patience_ns = round(1e9 / self._rate_hz), round(self._patience_s * 1e9)
        self._shared = self._library.call("hl_shared_create", period_ns, patience_ns)
        if not self._shared:
            raise HandloomError("The system gives no memory to share with the arm's process.")
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        line = self._library.call("hl_shared_peer", self._shared)
        # In a session of its own, so that Ctrl-C ends the owner and the arm still comes to rest.
        self._process = subprocess.Popen(
            self._command, pass_fds=(line,), env={**os.environ, LINE: str(line)}, start_new_session=True
        )
        self._library.call("hl_shared_handed_over", self._shared)
        found = self._library.call("hl_shared_wait", self._shared, round(self._start_s * 1e9))
        if found != 1:
            told = f"{' '.join(self._command):.200}"  # one may be given a whole pipeline
            raise HandloomError(f"The arm's process ({told}) {self._why_no_sample(found)}.")
        self._table = self._library.call("hl_shared_robot", self._shared)
        self._state = new("hl_state")
        self._read = self._library.bound("hl_robot_read", self._table, self._state)

    def _why_no_sample(self, found: int) -> str:
        if not found:
            return f"gave no sample within {self._start_s:g} s"
        assert self._process is not None
        try:
            return (
                f"ended with code {self._process.wait(timeout=5.0)} before its first sample; see what it printed"
            )
        except subprocess.TimeoutExpired:
            return "closed its end of the line before its first sample; see what it printed"

    def close(self) -> None:
        """Let go and wait until the arm is at rest and its process has ended; harmless when it is not open."""
        if self._shared:
            self._library.call("hl_shared_destroy", self._shared)
        # One that never served has no arm to bring to rest.
        patience_s = COMING_TO_REST_S if self._table else 0.1
        self._shared = self._table = 0
        process, self._process = self._process, None
        if process is None:
            return
        for ending in (process.terminate, process.kill):
            try:
                process.wait(timeout=patience_s)
                return
            except subprocess.TimeoutExpired:
                ending()
        process.wait()

    def native(self) -> Native | None:
        """Return the table by which the real-time loop reaches the other process."""
        self._opened()
        return Native(address=self._table, owner=self)

    def read(self) -> RobotState:
        """Return the newest measurement; not while a loop has the robot.

        Raises:
            HandloomError: The arm's process is gone.
        """
        self._opened()
        if self._read():
            raise HandloomError("The arm's process is gone, or gave no sample in time.")
        return state_of(self._state)

    def write(self, command: RobotCommand) -> None:
        """Command one cycle; not while a loop has the robot.

        Raises:
            HandloomError: The robot is not open, or the command is for another number of joints or has both
                torques and positions.
        """
        self._opened()
        self._library.call("hl_robot_write", self._table, command_struct(command, len(self.limits.names)))

    def stop(self) -> None:
        """Come to rest by damping, and stay so until it is opened again."""
        if self._table:
            self._library.call("hl_robot_stop", self._table)

    def _opened(self) -> None:
        if not self._table:
            raise HandloomError("The robot is not open; use it inside its `with` block.")
