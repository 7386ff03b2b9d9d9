"""Whatever is killed in the middle of a motion, the arm comes to rest, and nothing is left running."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.control.telemetry import read_telemetry
from handloom_controllers.native.structs import PHASES

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples/pipelines/sim-track.toml"
MARK = "HANDLOOM_TEST_MARK"
PATIENCE_S = 60.0

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the real-time loop is for Linux"),
]


class Motion:
    """`handloom control run` of the example, the arm in a process of its own, under way."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.mark = folder, uuid4().hex
        self.shared_memory = set(Path("/dev/shm").iterdir())
        words = [f"control.folder={folder}", "control.process=true", "control.plots=false", "control.mcap=false"]
        sets = [word for setting in words for word in ("--set", setting)]
        self.command = subprocess.Popen(
            [sys.executable, "-m", "handloom", "control", "run", str(EXAMPLE), *sets],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, MARK: self.mark, "HANDLOOM_RT_BACKEND": "ctypes"},  # it starts sooner
            start_new_session=True,
            # Whoever runs the tests under nohup hands its deafness on.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )

    def wait_until_it_moves(self) -> None:
        until(lambda: self.command.poll() is not None or self._speed() > 0.05, "the tool moves")
        assert self.command.poll() is None, self.command.stdout.read()

    def _speed(self) -> float:
        try:
            records = read_telemetry(self.folder / "telemetry.npy")
        except Exception:  # noqa: BLE001  it is not there yet
            return 0.0
        return float(np.linalg.norm(records["twist"][-1, :3])) if len(records) else 0.0

    def processes(self) -> dict[int, str]:
        """Return all that the command has started and itself, by process id, with their command lines."""
        found = {}
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.mark}".encode() in (place / "environ").read_bytes():
                    found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
        return found

    def kill(self, what: str, number: int = signal.SIGKILL) -> None:
        named = {pid: line for pid, line in self.processes().items() if what in line}
        assert len(named) == 1, named
        os.kill(next(iter(named)), number)

    def end(self) -> tuple[int, str]:
        said, _ = self.command.communicate(timeout=PATIENCE_S)
        return self.command.returncode, said

    def arm(self) -> dict[str, object]:
        """Return what the arm's process told at its end."""
        until((self.folder / "arm.json").exists, "the arm's process tells how it ended")
        return json.loads((self.folder / "arm.json").read_text())

    def was_halted(self) -> bool:
        """Tell whether the machine stood still for longer than an arm, or the watch over the owner, bears."""
        try:
            records = read_telemetry(self.folder / "telemetry.npy")
        except HandloomError:  # it did not come so far
            return False
        slowest = np.maximum(records["lateness_ns"], records["compute_ns"])
        return bool((slowest >= TOLERATED_NS).any()) or self._stopped_by() in {"owner", "stale"}

    def _stopped_by(self) -> str:
        told = self.folder / "telemetry.json"
        return json.loads(told.read_text())["stop"] if told.exists() else ""

    def away(self) -> None:
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        self.command.communicate(timeout=PATIENCE_S)

    def nothing_is_left(self) -> None:
        until(lambda: not self.processes(), "all processes end")
        # Other tests come and go in it, too.
        until(lambda: set(Path("/dev/shm").iterdir()) <= self.shared_memory, "shared memory is given back")


def until(holds, what):
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.02)


def test_an_arm_whose_end_could_not_be_told_is_not_moved(tmp_path, native_library):
    (tmp_path / "out" / "arm.json").mkdir(parents=True)
    motion = Motion(tmp_path / "out")
    code, said = motion.end()
    assert code == 2
    assert "Traceback" not in said
    assert "arm.json: Is a directory." in said
    assert "ended with code 2 before its first sample" in said
    assert not (tmp_path / "out" / "telemetry.npy").exists()
    motion.nothing_is_left()


TRIES = 4
"""Of a motion, on a machine that halts programs for longer than an arm bears."""

TOLERATED_NS = 20_000_000
"""An arm stops by itself after 20 periods without a command, whoever is killed or not."""


@pytest.fixture
def in_motion(tmp_path, native_library):
    """Return a function that does something to a motion under way, anew where the machine halted that before."""

    def carry_out(scenario):
        for number in range(TRIES):
            motion = Motion(tmp_path / f"out{number}")
            try:
                motion.wait_until_it_moves()
                scenario(motion)
                return
            except AssertionError:
                if number == TRIES - 1 or not motion.was_halted():
                    raise
            finally:
                motion.away()

    return carry_out


def test_without_its_model_process_the_arm_holds_then_brakes_softly(in_motion):
    @in_motion
    def _(motion):
        motion.kill("control.model_process")
        code, said = motion.end()
        assert code == 1
        assert "The model process is gone (killed by SIGKILL)" in said
        assert "no chunk came in time" in said
        records = read_telemetry(motion.folder / "telemetry.npy")
        assert PHASES[records["phase"][-1]] == "stopped"
        assert {PHASES[phase] for phase in records["phase"]} >= {"following", "holding"}
        assert np.abs(records["dq"][-1]).max() <= 0.02
        assert motion.arm() == {"at_rest": True, "speed_rad_per_s": 0.0, "reflexes": [], "robot_failed": False}
        motion.nothing_is_left()


def test_without_the_command_that_owns_the_loop_the_arm_comes_to_rest_by_damping(in_motion):
    @in_motion
    def _(motion):
        motion.command.kill()
        motion.end()
        arm = motion.arm()
        assert arm["at_rest"]
        assert arm["reflexes"] == ["communication_constraints_violation"]
        motion.nothing_is_left()
        assert len(read_telemetry(motion.folder / "telemetry.npy")) > 20


def test_without_the_arms_process_the_command_ends_and_says_so(in_motion):
    @in_motion
    def _(motion):
        motion.kill("control.arm_process")
        code, said = motion.end()
        assert code == 1
        assert "the robot answered an error" in said
        motion.nothing_is_left()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_arms_process_that_is_told_to_end_brings_the_arm_to_rest_first(in_motion, number):
    @in_motion
    def _(motion):
        motion.kill("control.arm_process", number)
        code, said = motion.end()
        assert code == 1
        assert "the robot answered an error" in said
        assert "Traceback" not in said
        assert motion.arm()["at_rest"]
        motion.nothing_is_left()


def test_a_model_process_that_is_interrupted_says_nothing_of_its_own(in_motion):
    @in_motion
    def _(motion):
        motion.kill("control.model_process", signal.SIGINT)
        _, said = motion.end()
        assert "The model process is gone (killed by SIGINT)" in said
        assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_asks_for_the_end_gets_a_soft_stop_and_the_telemetry(in_motion, number):
    @in_motion
    def _(motion):
        motion.command.send_signal(number)
        code, said = motion.end()
        assert code == 130
        assert "interrupted: the arm was braked" in said
        records = read_telemetry(motion.folder / "telemetry.npy")
        assert PHASES[records["phase"][-1]] == "stopped"
        assert (records["reflexes"] == 0).all()
        assert motion.arm()["at_rest"]
        motion.nothing_is_left()
