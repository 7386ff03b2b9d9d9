"""Hostile references for a law that commands joint positions, and what its commands break of an arm's limits."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.gate_judge import Allowed, Violations, judge
from benchmarks.law_inputs import hostile
from handloom_controllers.arms import Arm, fr3
from handloom_controllers.cartesian_following import CartesianFollowingConfig, following_config
from handloom_controllers.laws import CompiledFollowing
from handloom_controllers.native import library, new, structs

IntArray = npt.NDArray[np.int64]

_PIECE = 20_000
"""Cycles that are judged at once: one law, from rest."""

_HELD = (1, 3, 10, 100, 1000)
"""For how many cycles a reference stays: what jumps each cycle only makes a joint tremble."""


@attrs.frozen(kw_only=True)
class Fuzzed:
    """What was found.

    Attributes:
        violations: Of the arm's limits.
        refused: Cycles that answered an error; the motion begins anew behind them.
        cycles: How many there were.
    """

    violations: Violations
    refused: int
    cycles: int


def fuzzed(cycles: int, *, seed: int = 0) -> Fuzzed:
    """Return what the law breaks of the FR3's limits over so many cycles."""
    random, arm = np.random.default_rng(seed), fr3()
    found, refused, done = Violations(), 0, 0
    while done < cycles:
        count = min(_PIECE, cycles - done)
        violations, errors = _piece(random, arm, count)
        found, refused, done = found + violations, refused + errors, done + count
    return Fuzzed(violations=found, refused=refused, cycles=done)


def _piece(random: np.random.Generator, arm: Arm, count: int) -> tuple[Violations, int]:
    settings = CartesianFollowingConfig(damping=random.choice([0.01, 0.05, 0.2]))
    config = following_config(settings, arm.limits, arm.home)
    states, references = _inputs(random, config, count)
    law = CompiledFollowing(library(), config)
    commands, statuses = new("hl_command", count), np.zeros(count, dtype=np.int32)
    law.bound_many(states, references, None, commands, statuses)()
    well = statuses == structs.OK
    periods = _periods(states, references, well)
    begins = np.concatenate([[True], ~well[:-1]]) | ((references["flags"] & structs.REFERENCE_FIRST) != 0)
    found = Violations()
    for piece in np.split(np.arange(count), np.flatnonzero(begins)):
        kept = piece[well[piece]]
        if not len(kept):
            continue
        start = states["q"][kept[0], : len(arm.home)]
        q = commands["q"][kept, : len(arm.home)]
        found += judge(_allowed(arm), start, q, period_s=1e-3, periods=periods[kept])
    return found, int((~well).sum())


def _inputs(random: np.random.Generator, config: Any, count: int) -> tuple[Any, Any]:
    """Return hostile cycles that hang together enough for long ways: each is held for a while.

    The arm is measured anywhere that the law itself goes; nowhere does it begin where no speed is allowed.
    """
    states, references = hostile(random, count)
    n, held = int(config["joints"]), int(random.choice(_HELD))
    same = np.arange(count) // held * held
    for array, names in ((states, ("jacobian", "T_base_flange")), (references, ("T_base_tcp", "twist"))):
        for name in names:
            array[name] = array[name][same]
    with np.errstate(all="ignore"):
        references["twist"] *= random.choice([0.0, 1.0, 10.0])
        states["jacobian"] *= random.choice([1.0, 0.1, 1e-3])  # far from, near to and at a singular posture
    margin = config["near_offset"][:n] ** 2 / (2 * config["near_deceleration"][:n])
    states["q"][:, :n] = random.uniform(config["q_lower"][:n] + margin, config["q_upper"][:n] - margin, (count, n))
    return states, references


def _allowed(arm: Arm) -> Allowed:
    limits = arm.limits
    return Allowed(arm=arm, speed=limits.velocity, acceleration=limits.acceleration, jerk=limits.jerk)


def _periods(states: Any, references: Any, well: npt.NDArray[np.bool_]) -> IntArray:
    """Return by how much each command goes on: whole periods of the time that was not gone on by before."""
    periods, ahead = np.zeros(len(states), dtype=np.int64), 0
    for cycle in range(len(states)):
        if not well[cycle] or not well[cycle - 1] or references["flags"][cycle] & structs.REFERENCE_FIRST:
            ahead = 0
        if not well[cycle]:
            continue
        if states["flags"][cycle] & structs.STATE_FRESH:
            measured = min(max(float(states["period_ns"][cycle]) * 1e-6, 0.0), 10.0)
            periods[cycle], ahead = int(max(0.0, measured - ahead) + 0.5), 0
        else:
            periods[cycle], ahead = 1, ahead + 1
    return periods
