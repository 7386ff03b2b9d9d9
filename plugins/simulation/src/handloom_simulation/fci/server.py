"""A Franka Control Interface on a loopback address, with the simulated FR3 behind it.

`SimulatedFci` answers an unmodified libfranka of protocol version 10: TCP port 1337 for its commands, UDP for the
robot's state once a millisecond and the torques in answer. It knows torque control only.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from typing import Any

import attrs
import numpy as np

from handloom.errors import HandloomError
from handloom_simulation.arm.settings import MujocoFr3Config
from handloom_simulation.fci import messages
from handloom_simulation.fci.body import Body
from handloom_simulation.fci.interface import Interface, ModeName

PERIOD_S = 0.001

_LOOK_S = 0.02


@attrs.frozen(kw_only=True)
class FciConfig:
    """Settings.

    Attributes:
        address: Loopback address to listen on; libfranka knows one port only, so each interface has its own.
        lock_step: A millisecond of a motion passes when its command has come, so that a busy machine changes
            nothing in what the arm does. Otherwise it passes by the clock, and a command that is late is lost.
        patience_s: In lock step, how long a command may take before its millisecond passes without.
        version: Protocol version that it claims.
        mode: In which mode the robot is found.
        refuse: Reset every connection, as an interface that is busy.
        silent: Answer nothing.
        arm: The arm behind it.
    """

    address: str = "127.0.0.1"
    lock_step: bool = True
    patience_s: float = 10.0
    version: int = messages.VERSION
    mode: ModeName = "idle"
    refuse: bool = False
    silent: bool = False
    arm: MujocoFr3Config = attrs.field(factory=MujocoFr3Config)


class SimulatedFci:
    """The interface, on a thread of its own between `open` and `close`.

    Attributes:
        body: The arm; ask it for the truth, or push it.
        interface: What the robot answers and does.
    """

    interface: Interface

    def __init__(self, config: FciConfig | None = None) -> None:
        self.config = config or FciConfig()
        if not self.config.address.startswith("127."):
            raise HandloomError(
                f"A simulated arm is for this machine only; {self.config.address} is not loopback."
            )
        self.body = Body(self.config.arm)
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._ended_well = False
        self._client: socket.socket | None = None
        self._pending = b""
        self._next_s = 0.0
        self._user_stop = False
        self._reflex = ""

    def open(self) -> None:
        """Build the arm and listen.

        Raises:
            HandloomError: The address is taken, or the arm can't be built.
        """
        self.body.open()
        self.interface = Interface(self.body, version=self.config.version, mode=self.config.mode)
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind((self.config.address, messages.PORT))
        except OSError as error:
            self._listener.close()
            self.body.robot.close()
            place = f"{self.config.address}:{messages.PORT}"
            raise HandloomError(f"{place} can't be listened on ({error}); choose another 127.x.y.z.") from error
        self._listener.listen(4)
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind((self.config.address, 0))
        self._ending.clear()
        self._thread = threading.Thread(target=self._run, name="SimulatedFci", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let go; harmless when it is not open.

        Raises:
            HandloomError: Its thread has failed before.
        """
        if self._thread is None:
            return
        self._ending.set()
        self._thread.join()
        self._thread = None
        for each in (self._listener, self._udp, self._client):
            if each is not None:
                each.close()
        if not self._ended_well:
            raise HandloomError("The simulated interface has failed; its thread printed why.")

    def __enter__(self) -> SimulatedFci:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def raise_reflex(self, name: str) -> None:
        """End the motion with an error of `messages.ERRORS`, in its next millisecond."""
        self._reflex = name

    def press_user_stop(self) -> None:
        """End the motion as the user stop does."""
        self._user_stop = True

    def _run(self) -> None:
        while not self._ending.is_set():
            if self._client is None or not self.interface.client_port:
                self._look(self._udp, _LOOK_S)
            else:
                self._pass_a_millisecond()
        self._ended_well = True

    def _look(self, udp: socket.socket, timeout_s: float) -> bool:
        """Wait until something comes, hear commands by TCP, and tell whether there is one by UDP."""
        sockets = [udp, self._listener] + ([self._client] if self._client else [])
        ready, _, _ = select.select(sockets, [], [], timeout_s)
        if self._listener in ready:
            self._meet()
        elif self._client in ready:
            self._hear()
        return udp in ready

    def _meet(self) -> None:
        client, _ = self._listener.accept()
        if self.config.refuse or self._client is not None:
            _reset(client)
            return
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client, self._pending, self._next_s = client, b"", time.monotonic()
        self.interface.meet()

    def _pass_a_millisecond(self) -> None:
        command = self._command()
        interface = self.interface
        if self._client is None:
            return
        reflex, self._reflex = self._reflex, ""
        if self._user_stop:
            self._user_stop = False
            interface.end_motion(mode=messages.MODE_USER_STOPPED, answer=messages.MOVE_EMERGENCY)
        elif reflex:
            interface.end_motion(reflex)
        else:
            interface.go_on(command)
        self._udp.sendto(interface.state(), (self.config.address, interface.client_port))
        self._send()

    def _command(self) -> Any:
        """Wait until the millisecond is over; return its command, None without one."""
        waits = self.interface.is_waiting and self.config.lock_step
        until_s = self._next_s + (self.config.patience_s if waits else 0.0)
        found = None
        while self._client is not None and not self._ending.is_set():
            left_s = until_s - time.monotonic()
            if self._look(self._udp, min(max(left_s, 0.0), _LOOK_S)):
                found = self._newest(found)
            if left_s <= 0 or (found is not None and self.config.lock_step):
                break
        now_s = time.monotonic()
        # Milliseconds that were overslept are not made good by several at once.
        late = waits or now_s > self._next_s + 10 * PERIOD_S
        self._next_s = (now_s if late else self._next_s) + PERIOD_S
        return found

    def _newest(self, known: Any) -> Any:
        """Return a command that answers the newest state, or by the clock the one before; else what is known."""
        data = self._udp.recv(4096)
        if len(data) != messages.COMMAND.itemsize:
            return known
        found = np.frombuffer(data, dtype=messages.COMMAND)[0]
        oldest = self.interface.sent - (0 if self.config.lock_step else 1)
        return found if found["message_id"] >= oldest else known

    def _hear(self) -> None:
        """Read from the client's command line, and do what is whole."""
        assert self._client is not None
        try:
            data = self._client.recv(4096)
        except OSError:
            data = b""
        if not data:
            self._client.close()
            self._client = None
            self.interface.desert()
            return
        self._pending += data
        size = messages.HEADER.itemsize
        while len(self._pending) >= size:
            header = np.frombuffer(self._pending[:size], dtype=messages.HEADER)[0]
            end = int(header["size"])
            if len(self._pending) < end:
                break
            payload, self._pending = self._pending[size:end], self._pending[end:]
            if not self.config.silent:
                self.interface.obey(int(header["command"]), int(header["id"]), payload)
        self._send()

    def _send(self) -> None:
        answers, self.interface.answers = self.interface.answers, []
        for answer in answers:
            try:
                if self._client is not None:
                    self._client.sendall(answer)
            except OSError:
                return  # its end is heard of soon


def _reset(client: socket.socket) -> None:
    """Hang up in such a way that the other end gets an error, not an end."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
