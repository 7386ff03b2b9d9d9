"""A few of the crashes of `benchmarks/crash.py` in every test run, and a disk that is really full."""

import os
import subprocess
import sys

import pytest

from benchmarks.crash_injected import kill_at_operations, starve_at_operations
from benchmarks.crash_lab import Laboratory
from benchmarks.crash_random import kill_at_random

KILLS_A_RUN, STARVED_A_RUN, RANDOM = 5, 3, 4
PAGE = 4096

pytestmark = [
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="kills and counts processes as Linux has them"
    ),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    return Laboratory.make(tmp_path_factory.mktemp("laboratory"))


def test_a_run_killed_at_an_operation_resumes_to_the_bytes_of_an_undisturbed_one(laboratory):
    tally = kill_at_operations(laboratory, most=KILLS_A_RUN)
    assert tally.bad == []
    assert tally.struck == 2 * KILLS_A_RUN


def test_a_run_killed_at_any_instant_resumes_to_the_bytes_of_an_undisturbed_one(laboratory):
    tally = kill_at_random(laboratory, kills=RANDOM, seed=7)
    assert tally.bad == []
    assert tally.tries == RANDOM


def test_a_disk_full_from_an_operation_on_ends_a_run_with_a_sentence_and_costs_nothing_made(laboratory):
    tally = starve_at_operations(laboratory, most=STARVED_A_RUN)
    assert tally.bad == []
    assert tally.tries == 2 * STARVED_A_RUN


def pages(folder):
    """Return the pages that a file system in memory needs for a folder's files; its directories take none."""
    return sum(-(-path.stat().st_size // PAGE) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def small_disk(laboratory, tmp_path):
    """Mount a disk with room for a part of what a run makes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    size = PAGE * (pages(laboratory.folder / "undisturbed") * 6 // 10)
    mounted = mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk)
    if mounted.returncode:
        pytest.skip(f"can't mount a small disk here; mount says: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


def mount(*words):
    if os.geteuid() != 0:
        return subprocess.CompletedProcess(words, 1, "", "only root can mount")
    return subprocess.run(["mount", *words], capture_output=True, text=True, check=False)


def test_a_disk_that_is_really_full_ends_a_run_with_a_sentence_and_leaves_a_store_that_holds(
    laboratory, small_disk, handloom
):
    folder = laboratory.bench("really-full").folder
    to_disk = ("run", "pipeline.toml", "--set", f"scene.store={small_disk / 'scene'}")
    full = handloom(*to_disk, cwd=folder)
    assert full.returncode == 1
    assert "Disk full" in full.stdout
    assert "Traceback" not in full.stderr
    proved = handloom("verify", small_disk / "scene", cwd=folder)
    assert proved.returncode == 0, proved.stdout
    assert mount("-o", "remount,size=64m", small_disk).returncode == 0
    resumed = handloom(*to_disk, cwd=folder)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert handloom("verify", small_disk / "scene", cwd=folder).returncode == 0
