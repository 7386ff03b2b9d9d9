"""The bars of the 1 kHz loop: how late it wakes, against a Python thread, while Python is kept busy."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from handloom_controllers.native import include_dir, library
from handloom_controllers.native.structs import new
from handloom_controllers.native_trajectory import native_config
from handloom_controllers.realtime import LoopSettings

PERIOD_NS = 1_000_000
SLACK_S = 0.05
PARTS = Path(__file__).with_name("control_loop_parts.cpp")

Lateness = npt.NDArray[np.int64]
"""(cycles,) ns between the slot that was waited for and waking."""


def control_bars(*, quick: bool) -> list[Bar]:
    """Return the bars; the first one says whether this user may schedule the loop ahead of others."""
    refusal = fifo_refusal()
    if refusal:
        first = Bar(
            name=f"cycles over 1 ms late, Python busy (SCHED_FIFO refused: {refusal})",
            goal=0.6,
            compare="<=",
            unit="x a Python thread's",
            measure=lambda: Measured(value=_median("misses", quick=quick), figures=_figures(quick=quick)),
        )
    else:
        first = Bar(
            name="p99 wake-up lateness of a Python thread, Python busy (SCHED_FIFO granted)",
            goal=20,
            compare=">=",
            unit="x the C++ loop's",
            measure=lambda: Measured(value=_median("p99", quick=quick), figures=_figures(quick=quick)),
        )
    second = Bar(
        name="p50 wake-up lateness of the C++ loop, Python busy",
        goal=1.5,
        compare="<=",
        unit="x with Python idle",
        measure=lambda: Measured(value=_median("p50", quick=quick)),
    )
    return [first, second]


def fifo_refusal() -> str:
    """Return why this user may not use SCHED_FIFO; "" where it may."""
    before, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError as error:
        return os.strerror(error.errno or 0)
    os.sched_setscheduler(0, before, parameters)
    return ""


def _median(ratio: str, *, quick: bool) -> float:
    return median(_ratios(round_)[ratio] for round_ in _rounds(quick=quick))


def _ratios(lateness: Mapping[str, Lateness]) -> dict[str, float]:
    """Return what one round says."""
    python, cpp, idle = lateness["python_busy"], lateness["cpp_fifo_busy"], lateness["cpp_fifo_idle"]
    return {
        "p99": float(np.percentile(python, 99) / np.percentile(cpp, 99)),
        "p50": float(np.percentile(cpp, 50) / np.percentile(idle, 50)),
        "misses": _over_1_ms(lateness["cpp_other_busy"]) / max(_over_1_ms(python), 1e-9),
    }


def _over_1_ms(lateness: Lateness) -> float:
    return float((lateness > PERIOD_NS).mean())


def _figures(*, quick: bool) -> dict[str, float]:
    """Return the medians over the rounds of what each contender did, and the ratio that is not the bar."""
    rounds = _rounds(quick=quick)
    figures = {"misses_ratio": _median("misses", quick=quick), "p99_ratio": _median("p99", quick=quick)}
    for name in rounds[0]:
        for percent in (50, 99):
            figures[f"{name}_p{percent}_us"] = median(np.percentile(turn[name], percent) * 1e-3 for turn in rounds)
        figures[f"{name}_over_1_ms_percent"] = median(100 * _over_1_ms(turn[name]) for turn in rounds)
    return figures


@cache
def _rounds(*, quick: bool) -> list[dict[str, Lateness]]:
    """Let the contenders run in turn, every other round backwards; FIFO where it is granted."""
    seconds, count = (1.0, 3) if quick else (4.0, 3)
    contenders: dict[str, Callable[[], Lateness]] = {
        "cpp_fifo_idle": lambda: run_loop(seconds, fifo_priority=80),
        "cpp_fifo_busy": lambda: beside_work(lambda: run_loop(seconds, fifo_priority=80)),
        "cpp_other_busy": lambda: beside_work(lambda: run_loop(seconds, fifo_priority=0)),
        "python_busy": lambda: beside_work(lambda: run_thread(seconds)),
    }
    rounds = []
    for number in range(count):
        names = list(contenders) if number % 2 == 0 else list(contenders)[::-1]
        rounds.append({name: contenders[name]() for name in names})
    return [{name: round_[name] for name in contenders} for round_ in rounds]


def run_loop(seconds: float, *, fifo_priority: int) -> Lateness:
    """Run the compiled loop on a robot that stands still."""
    settings = LoopSettings(
        fifo_priority=fifo_priority, telemetry_every=1, telemetry_room=round(2000 * (seconds + SLACK_S))
    )
    called, (robot, law), way = library(), _parts(), native_config(settings.way.trajectory())
    loop = called.call("hl_loop_create", settings.struct(), way, robot, law, None)
    records = new("hl_telemetry", settings.telemetry_room)
    try:
        called.call("hl_loop_start", loop)
        time.sleep(seconds)
        called.call("hl_loop_join", loop, 10**9)
        count = called.call("hl_loop_telemetry", loop, len(records), records)
    finally:
        called.call("hl_loop_destroy", loop)
    return np.array(records["lateness_ns"][:count])


def run_thread(seconds: float) -> Lateness:
    """Run the loop that a user would write instead: a Python thread that sleeps until its slot."""
    lateness: list[int] = []

    def loop() -> None:
        slot = time.monotonic_ns() + PERIOD_NS
        end = slot + round(seconds * 1e9)
        while slot < end:
            time.sleep(max(slot - time.monotonic_ns(), 0) * 1e-9)
            late = time.monotonic_ns() - slot
            lateness.append(late)
            slot += (late // PERIOD_NS + 1) * PERIOD_NS

    thread = threading.Thread(target=loop)
    thread.start()
    thread.join()
    return np.array(lateness, dtype=np.int64)


def beside_work(measure: Callable[[], Lateness]) -> Lateness:
    """Measure while Python is kept busy by a thread that never rests and one that multiplies matrices."""
    with _busy():
        return measure()


@contextmanager
def _busy() -> Iterator[None]:
    done = threading.Event()

    def spin() -> None:
        while not done.is_set():
            sum(range(100))

    def multiply() -> None:
        matrix = np.ones((64, 64))
        while not done.is_set():
            matrix = matrix @ matrix / 64.0

    threads = [threading.Thread(target=work) for work in (spin, multiply)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


@cache
def _parts() -> tuple[int, int]:
    """Compile a robot that stands still and a law that asks for nothing; return the addresses of their tables."""
    compiler = shutil.which("c++") or "g++"
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "libparts.so"
        flags = ["-std=c++17", "-O2", "-shared", "-fPIC", f"-I{include_dir()}"]
        subprocess.run([compiler, *flags, str(PARTS), "-o", str(built)], check=True)
        parts = ctypes.CDLL(str(built))
    parts.idle_robot.restype = parts.idle_law.restype = ctypes.c_void_p
    return parts.idle_robot(), parts.idle_law()
