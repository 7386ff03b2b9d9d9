"""Strike at the n-th operation on the disk, for every n: kill the process, or let the disk be full from there."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from pathlib import Path

from benchmarks.crash_lab import Bench, CountingDisk, Laboratory
from benchmarks.crash_tally import Tally
from handloom.errors import HandloomError


class KillingDisk(CountingDisk):
    """Kills the process at the n-th operation, a write half done."""

    def __init__(self, fatal: int) -> None:
        super().__init__()
        self._fatal = fatal

    def before(self, operation: str, path: Path) -> None:
        """Count one, and die at the fatal one."""
        super().before(operation, path)
        if self.count == self._fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, path: Path, data: bytes | memoryview) -> None:
        """Write, or die in the middle of it."""
        if self.count + 1 == self._fatal:
            path.write_bytes(bytes(data)[: len(data) // 2])
        super().write(path, data)


class FullDisk(CountingDisk):
    """Has no room from the n-th operation on that needs some, a write half done; removing always works."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self._last = last

    def before(self, operation: str, path: Path) -> None:
        """Count one, and refuse it when the room is used up."""
        super().before(operation, path)
        if self.count >= self._last and operation in ("mkdir", "write", "place", "sync"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    def write(self, path: Path, data: bytes | memoryview) -> None:
        """Write, or fail in the middle of it."""
        if self.count + 1 >= self._last:
            path.write_bytes(bytes(data)[: len(data) // 2])
        super().write(path, data)


def kill_at_operations(laboratory: Laboratory, *, most: int | None = None) -> Tally:
    """Kill a run at each operation: runs that make results, and runs that replace them.

    Args:
        laboratory: What is run.
        most: How many operations of either run, spread evenly from its first to its last; None for every one.
    """
    tally = Tally()
    for changed in (False, True):
        for fatal in _spread(laboratory.operations[changed], most):
            bench = laboratory.bench(f"kill-{changed}-{fatal}", ran=changed)
            survived = _survival(bench, fatal, changed=changed)
            problems = survived + laboratory.problems(bench, changed=changed)
            name = f"{'second' if changed else 'first'} run, operation {fatal}"
            tally.enter(name, problems, struck=not survived)
            shutil.rmtree(bench.folder)
            _tell(tally)
    return tally


def _survival(bench: Bench, fatal: int, *, changed: bool) -> list[str]:
    """Run in a forked process that is to be killed at an operation; return what is wrong when it was not."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            bench.run(changed=changed, disk=KillingDisk(fatal))
        finally:
            os._exit(0)
    _, ending = os.waitpid(child, 0)
    if os.WIFSIGNALED(ending) and os.WTERMSIG(ending) == signal.SIGKILL:
        return []
    # An undisturbed run came to this operation; one that doesn't is another run, or failed before it.
    return [f"the process was not killed; wait status {ending}"]


def _spread(count: int, most: int | None) -> list[int]:
    if most is None or most >= count:
        return list(range(1, count + 1))
    return [1 + number * (count - 1) // max(most - 1, 1) for number in range(most)]


def starve_at_operations(laboratory: Laboratory, *, most: int | None = None) -> Tally:
    """Let the disk be full from each operation on; the run must end with a sentence that says so.

    Args:
        laboratory: What is run.
        most: How many operations of either run, spread evenly from its first to its last; None for every one.
    """
    tally = Tally()
    for changed in (False, True):
        for last in _spread(laboratory.operations[changed], most):
            bench = laboratory.bench(f"full-{changed}-{last}", ran=changed)
            problems = _unexplained(bench, last, changed=changed)
            problems += laboratory.problems(bench, changed=changed)
            name = f"{'second' if changed else 'first'} run, full from operation {last}"
            tally.enter(name, problems, struck=True)
            shutil.rmtree(bench.folder)
            _tell(tally)
    return tally


def _unexplained(bench: Bench, last: int, *, changed: bool) -> list[str]:
    try:
        report = bench.run(changed=changed, disk=FullDisk(last))
    except HandloomError as error:
        return [] if "Disk full" in str(error) else [f"ended with another sentence: {error}"]
    if report.ok or "Disk full" in report.stopped:
        return []
    return [f"ended without saying why: {report.to_json()}"]


def _tell(tally: Tally) -> None:
    if tally.tries % 50 == 0:
        print(f"    {tally.tries} done, {len(tally.bad)} bad", file=sys.stderr, flush=True)
