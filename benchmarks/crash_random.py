"""Kill a real run, with its worker processes, at random instants: the runner, a worker, or all of them at once."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.crash_lab import CHANGED, Bench, Laboratory
from benchmarks.crash_tally import Tally

LEAVING_S = 10.0
"""How long the workers of a killed runner may take to notice and leave."""


def kill_at_random(laboratory: Laboratory, *, kills: int, seed: int) -> Tally:
    """Kill runs at instants spread evenly over the time an undisturbed one takes."""
    tally, random_ = Tally(), random.Random(seed)
    durations = {changed: _duration_s(laboratory, changed=changed) for changed in (False, True)}
    for number in range(kills):
        changed = number % 2 == 1
        bench = laboratory.bench(f"random-{number}", ran=changed)
        victim = ("runner", "worker", "everybody")[number % 3]
        delay_s = random_.uniform(0.05, durations[changed])
        killed, left = _strike(bench, delay_s, victim, changed=changed)
        problems = left + laboratory.problems(bench, changed=changed)
        tally.enter(f"{killed or 'nobody'} killed after {delay_s:.3f} s of a run", problems, struck=bool(killed))
        shutil.rmtree(bench.folder)
        if number % 10 == 9:
            print(f"    {number + 1} of {kills} done, {len(tally.bad)} bad", file=sys.stderr, flush=True)
    return tally


def _start(bench: Bench, *, changed: bool) -> subprocess.Popen[bytes]:
    settings = [word for setting in (CHANGED if changed else ()) for word in ("--set", setting)]
    command = [sys.executable, "-m", "handloom", "run", "pipeline.toml", "--json", *settings]
    return subprocess.Popen(
        command,
        cwd=bench.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _duration_s(laboratory: Laboratory, *, changed: bool) -> float:
    bench = laboratory.bench(f"duration-{changed}", ran=changed)
    started = time.monotonic()
    _start(bench, changed=changed).wait()
    shutil.rmtree(bench.folder)
    return time.monotonic() - started


def _strike(bench: Bench, delay_s: float, victim: str, *, changed: bool) -> tuple[str, list[str]]:
    """Start a run and kill; return who was there to be killed ("" for nobody), and what is wrong after.

    Where there is no worker at the instant, the runner is killed in its place.
    """
    process = _start(bench, changed=changed)
    time.sleep(delay_s)
    workers = _children(process.pid)
    if victim == "worker" and workers and _kill(workers[0]):
        code = process.wait()
        return victim, [f"the run did not survive its worker: exit code {code}"] if code else []
    if process.poll() is not None:
        return "", []
    if victim == "everybody":
        os.killpg(process.pid, signal.SIGKILL)
        for worker in workers:
            with suppress(ProcessLookupError):
                os.killpg(worker, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    return "everybody" if victim == "everybody" else "runner", _still_running(workers)


def _kill(pid: int) -> bool:
    """Kill a process; False when it has just gone by itself."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _children(pid: int) -> list[int]:
    """Return the process ids of the children, from /proc."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if folder.name.isdigit() and int(status[1]) == pid:
            found.append(int(folder.name))
    return sorted(found)


def _still_running(workers: list[int]) -> list[str]:
    """Wait until the workers of a killed runner have left; name those that stay."""
    deadline = time.monotonic() + LEAVING_S
    while time.monotonic() < deadline:
        if not any(_runs(pid) for pid in workers):
            return []
        time.sleep(0.02)
    return [f"worker {pid} outlives its runner" for pid in workers if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")
