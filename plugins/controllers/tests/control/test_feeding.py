"""A model process answers as this process does, is missed when it dies, and does not outlive its owner."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from handloom_controllers.control.chunk_bytes import from_bytes, to_bytes
from handloom_controllers.control.feeding import LocalFeed, ProcessFeed
from handloom_controllers.control.path import PathPolicy, ToolPath

pytestmark = pytest.mark.real_time

POSES = np.tile([0.4, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0], (21, 1))
POSES[:, 1] = np.linspace(0, 0.1, 21)
POLICY = PathPolicy(
    path=ToolPath(stamps=np.arange(21) * 50_000_000, poses=POSES), horizon=8, period_ns=50_000_000, clock="robot"
)
NAMES = {"frame": "base", "body": "tcp", "clock": "robot"}


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "widths_m")
        for name in ("stamps", "poses", "widths_m", "observed", "frame", "body", "clock")
    )


def answer_of(feed, timeout_s=10.0):
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        chunk = feed.poll()
        if chunk is not None or feed.ended:
            return chunk
        time.sleep(0.005)
    raise AssertionError("no answer")


def test_a_chunk_is_the_same_after_its_way_as_bytes():
    chunk = POLICY.chunk(10**9 + 7, 10**9)
    read, left = from_bytes(to_bytes(chunk) + b"next", **NAMES)
    assert same(read, chunk)
    assert left == b"next"


@pytest.mark.parametrize("cut", [0, 3, 16, 100, -1])
def test_a_chunk_that_is_not_whole_yet_is_waited_for(cut):
    data = to_bytes(POLICY.chunk(0, 0))[:cut]
    assert from_bytes(data, **NAMES) == (None, data)


def test_a_model_process_answers_what_this_process_would():
    feed, here = ProcessFeed(), LocalFeed()
    here.open(POLICY)
    feed.open(POLICY)
    try:
        for observed in (0, 120_000_000, 2_000_000_000):
            feed.ask(observed, 0)
            here.ask(observed, 0)
            assert same(answer_of(feed), here.poll())
    finally:
        feed.close()
    assert feed.pid == 0


def test_the_death_of_the_model_process_is_told_and_costs_nothing_else():
    feed = ProcessFeed()
    feed.open(POLICY)
    try:
        os.kill(feed.pid, signal.SIGKILL)
        feed.ask(0, 0)
        assert answer_of(feed) is None
        assert feed.ended == "The model process is gone (killed by SIGKILL); the arm holds, then stops softly."
        feed.ask(1, 0)
        assert feed.poll() is None
    finally:
        feed.close()


OWNER = """
import sys, time
sys.path.insert(0, {here!r})
from test_feeding import POLICY
from handloom_controllers.control.feeding import ProcessFeed
feed = ProcessFeed()
feed.open(POLICY)
print(feed.pid, flush=True)
time.sleep(60)
"""


def test_the_model_process_goes_when_its_owner_is_killed():
    code = OWNER.format(here=str(Path(__file__).parent))
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with owner:
        model = int(owner.stdout.readline())
        owner.kill()
    until = time.monotonic() + 10
    while runs(model) and time.monotonic() < until:
        time.sleep(0.02)
    assert not runs(model)


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
