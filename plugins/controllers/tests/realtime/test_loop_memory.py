"""Tests of what the loop's thread must never do, and of memory that stays as it is however long it runs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from .point_robot import chunk_of

HERE = Path(__file__).parent


def test_the_loops_thread_neither_allocates_nor_locks_nor_writes(parts, tmp_path):
    shim = tmp_path / "libcounting.so"
    compiler = shutil.which("c++") or shutil.which("g++")
    flags = ["-std=c++17", "-O2", "-Wall", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(HERE / "counting.cpp"), "-o", str(shim), "-ldl"], check=True)
    # ctypes, because cppyy has threads of its own that are no affair of the loop.
    changed = {"LD_PRELOAD": str(shim), "HANDLOOM_RT_BACKEND": "ctypes", "OPENBLAS_NUM_THREADS": "1"}
    answer = subprocess.run(
        [sys.executable, str(HERE / "counted_process.py"), parts._name],
        env={**os.environ, **changed},
        stdout=subprocess.PIPE,
        check=True,
    )
    told = json.loads(answer.stdout)
    assert told["cycles"] > 100, "the loop did not run, so this test says nothing"
    assert told["chunks"] >= 5
    assert told["refused"] >= 1
    assert told["phase"] == "stopped"
    assert (told["allocations"], told["locks"], told["writes"]) == (0, 0, 0)


def resident_kib():
    """Return how much memory of this process is in place."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def test_memory_stays_flat(make_loop):
    loop = make_loop(telemetry_every=10, hold_s=10.0)

    def minutes(count, first):
        for turn in range(first, first + count * 60):
            times = turn + np.arange(1, 11) * 0.15
            loop.push(chunk_of(times, 0.05 * np.sin(times), observed_s=float(turn)))
            loop.run(1000)
            loop.telemetry()
            loop.faults()

    minutes(2, 0)
    before = resident_kib()
    minutes(5, 120)
    assert resident_kib() - before < 1024
    assert loop.status().stop == "none"
    assert loop.status().chunks_taken == 420
