"""Strike at the n-th operation on the disk, for every n: kill the process, or let the disk be full from there."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from pathlib import Path

from benchmarks.crash_lab import Bench, Laboratory, QuickDisk
from benchmarks.crash_tally import Tally
from handloom.errors import HandloomError


class CountingDisk(QuickDisk):
    """Counts operations."""

    def __init__(self) -> None:
        self.count = 0

    def before(self, operation: str, path: Path) -> None:
        """Count one."""
        self.count += 1


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
    """Has no room from the n-th operation on that needs some; removing always works."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self._last = last

    def before(self, operation: str, path: Path) -> None:
        """Count one, and refuse it when the room is used up."""
        super().before(operation, path)
        if self.count >= self._last and operation in ("mkdir", "write", "place", "sync"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def operations(laboratory: Laboratory, *, changed: bool) -> int:
    """Count the operations of an undisturbed run."""
    disk = CountingDisk()
    bench = laboratory.bench(f"count-{changed}", ran=changed)
    bench.run(changed=changed, disk=disk)
    shutil.rmtree(bench.folder)
    return disk.count


def kill_at_operations(laboratory: Laboratory, *, stride: int) -> Tally:
    """Kill a run at every `stride`-th operation: runs that make results, and runs that replace them."""
    tally = Tally()
    for changed in (False, True):
        for fatal in range(1, operations(laboratory, changed=changed) + 1, stride):
            bench = laboratory.bench(f"kill-{changed}-{fatal}", ran=changed)
            struck = _dies(bench, fatal, changed=changed)
            name = f"{'second' if changed else 'first'} run, operation {fatal}"
            tally.enter(name, laboratory.problems(bench, changed=changed), struck=struck)
            shutil.rmtree(bench.folder)
            _tell(tally)
    return tally


def _dies(bench: Bench, fatal: int, *, changed: bool) -> bool:
    """Run in a forked process that is killed at an operation; say whether it was."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            bench.run(changed=changed, disk=KillingDisk(fatal))
        finally:
            os._exit(0)
    _, ending = os.waitpid(child, 0)
    return os.WIFSIGNALED(ending) and os.WTERMSIG(ending) == signal.SIGKILL


def starve_at_operations(laboratory: Laboratory, *, stride: int) -> Tally:
    """Let the disk be full from every `stride`-th operation on; the run must end with a sentence that says so."""
    tally = Tally()
    for changed in (False, True):
        for last in range(1, operations(laboratory, changed=changed) + 1, stride):
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
