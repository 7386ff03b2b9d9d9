"""Ruckig proposes, the gate checks: when ruckig fails, or is wrong, the arm moves on within its limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ruckig

from benchmarks.gate_judge import allowed, judge
from benchmarks.gate_targets import hostile
from handloom_controllers.arms import fr3
from handloom_controllers.gate import Gate, GateSettings
from handloom_controllers.gate.path import Path
from handloom_controllers.gate.planner import Planner

ARM = fr3()
PERIOD = 10_000_000
NEAR = ARM.home + np.array([0.3, 0.1, -0.2, 0.1, 0.3, -0.2, 0.5])


class _Solver:
    """Ruckig that fails as it is known to."""

    def __init__(self, failure: Exception | int) -> None:
        self._failure = failure

    def calculate(self, *_: Any) -> Any:
        if isinstance(self._failure, Exception):
            # A new one each time: its traceback would keep the gate alive beyond ruckig's own end.
            raise type(self._failure)(*self._failure.args)
        return self._failure


def started() -> Gate:
    gate = Gate(GateSettings(), ARM)
    gate.reset(ARM.home)
    return gate


@pytest.mark.parametrize(
    "failure",
    [
        ruckig.RuckigError("[ruckig] error in step 1, dof: 0"),
        ValueError("a number too large"),
        ruckig.Result.ErrorExecutionTimeCalculation,
    ],
)
def test_where_ruckig_gives_no_way_one_in_closed_form_is_taken(failure: Any) -> None:
    """pantor/ruckig#58, #96, #160: rare numeric failures at certain states."""
    gate = started()
    assert gate._admission is not None
    gate._admission._planner._solver = _Solver(failure)
    answers = [gate.step(NEAR, tick * PERIOD) for tick in range(1, 300)]
    assert "Ruckig finds no way to the target" in answers[0].faults[0].message
    assert {fault.kind for answer in answers for fault in answer.faults} == {"solver_failed"}
    assert np.abs(answers[-1].q - NEAR).max() < 1e-9


def test_hostile_targets_break_no_limit_without_ruckig() -> None:
    gate = started()
    assert gate._admission is not None
    gate._admission._planner._solver = _Solver(ruckig.RuckigError("[ruckig] no"))
    answers = [gate.step(target, now) for target, now in hostile(ARM, np.random.default_rng(7), 250)]
    q = np.array([answer.q for answer in answers])
    assert judge(allowed(ARM), ARM.home, q).total == 0
    assert np.abs(q - ARM.home).max() > 0.05, "it never moved"


@pytest.mark.parametrize("spoiled", ["too much jerk", "too fast", "another end", "not a number"])
def test_a_wrong_way_of_ruckig_is_not_followed(monkeypatch: pytest.MonkeyPatch, spoiled: str) -> None:
    real = Planner.path

    def wrong(self: Planner, start: Any, target: Any, bounds: Any) -> Path:
        if spoiled == "too much jerk":
            return real(self, start, target, bounds._replace(jerk=bounds.jerk * 3))
        if spoiled == "too fast":
            return real(self, start, target, bounds._replace(speed=bounds.speed * 3))
        if spoiled == "another end":
            return real(self, start, target + 0.1, bounds)
        return Path(start, np.full((2, 7), np.nan), np.ones((2, 7)))

    monkeypatch.setattr(Planner, "path", wrong)
    gate = started()
    far = ARM.home + np.array([1.5, 0, 0, 0, 0, 0, 0])
    answers = [gate.step(far, tick * PERIOD) for tick in range(1, 500)]
    q = np.array([answer.q for answer in answers])
    assert judge(allowed(ARM), ARM.home, q).total == 0
    assert "solver_failed" in {fault.kind for answer in answers for fault in answer.faults}
    assert np.abs(q[-1] - far).max() < 1e-6


def test_a_failure_in_the_middle_of_a_motion_is_no_jump() -> None:
    gate, whole = started(), []
    for tick in range(1, 300):
        target = ARM.home + np.array([1.0, 0, 0, 0, 0, 0, 0]) * (1 if tick < 60 else -1)
        if tick == 60:
            assert gate._admission is not None
            gate._admission._planner._solver = _Solver(ruckig.RuckigError("[ruckig] no"))
        whole.append(gate.step(target, tick * PERIOD).q)
    assert judge(allowed(ARM), ARM.home, np.array(whole)).total == 0
