"""Control laws: compiled against numpy, through the Python call, and under a fuzzer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from benchmarks.law_inputs import JOINTS, hostile, plausible
from benchmarks.rounds import Times, interleaved, ratio
from handloom.testing.serial_arm import HOME, LIMITS
from handloom_controllers.impedance import ImpedanceConfig, gains_of
from handloom_controllers.laws import CompiledImpedance, NumpyImpedance
from handloom_controllers.laws.kinematics import damped_solve
from handloom_controllers.laws.settings import torque_config
from handloom_controllers.native import library, new, structs

_BATCH = 50
"""Cycles in a row without going back to Python; their structs stay in the processor's cache, as the loop's do."""


def control_bars(*, quick: bool) -> list[Bar]:
    """Return the promises on laws."""
    rounds = 5 if quick else 15

    @cache
    def times() -> Times:
        return _times(rounds)

    return [
        _speed("impedance law in C++ against the same law in numpy", 150, times, "compiled"),
        _speed("impedance law called from Python against numpy", 25, times, "called"),
        Bar(
            name="law violations of torque and torque rate under a fuzzer",
            goal=0,
            compare="<=",
            unit="violations",
            measure=lambda: _fuzzed(10_000 if quick else 1_000_000),
        ),
    ]


def _speed(name: str, goal: float, times: Callable[[], Times], ours: str) -> Bar:
    def measure() -> Measured:
        measured = times()
        figures = {f"{each}_us_a_cycle": 1e6 * float(np.median(values)) for each, values in measured.items()}
        figures["svd_against_closed_form"] = ratio(measured, "projector_by_svd", "projector_in_closed_form")
        return Measured(value=ratio(measured, "numpy", ours), figures=figures)

    return Bar(name=name, goal=goal, compare=">=", unit="numpy / ours", measure=measure)


def _law(kind: Callable[..., Any], *first: Any, **options: Any) -> Any:
    settings = ImpedanceConfig(**options)
    config = torque_config(settings, LIMITS, HOME)
    config["blend_s"] = settings.blend_s
    return kind(*first, config, gains_of(settings, JOINTS))


def _times(rounds: int) -> Times:
    """Return CPU seconds a cycle, by contender."""
    states, references = plausible(np.random.default_rng(1), _BATCH)
    single = np.array(states[1]), np.array(references[1]), new("hl_command")
    compiled, plain = _law(CompiledImpedance, library()), _law(NumpyImpedance)
    many = compiled.bound_many(
        states, references, None, new("hl_command", _BATCH), np.zeros(_BATCH, dtype=np.int32)
    )
    called = compiled.bound(*single)
    jacobian, twist = np.ascontiguousarray(states["jacobian"][1][:, :JOINTS]), references["twist"][1]
    work: dict[str, tuple[Callable[[], Any], int, int]] = {
        "compiled": (many, 400, _BATCH),
        "called": (called, 4000, 1),
        "numpy": (lambda: plain.step(*single), 100, 1),
        "projector_by_svd": (lambda: _by_svd(jacobian, 0.2, twist), 200, 1),
        "projector_in_closed_form": (lambda: damped_solve(jacobian, 0.2, twist), 200, 1),
    }
    taken = interleaved({name: _repeated(call, count) for name, (call, count, _) in work.items()}, rounds=rounds)
    return {name: [spent / (work[name][1] * work[name][2]) for spent in values] for name, values in taken.items()}


def _repeated(call: Callable[[], Any], count: int) -> Callable[[], None]:
    def work() -> None:
        for _ in range(count):
            call()

    return work


def _by_svd(jacobian: npt.NDArray[Any], damping: float, twist: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return what `damped_solve` does, by singular values, as PolyUMI's and franka_ros's laws have it."""
    u, s, vt = np.linalg.svd(jacobian, full_matrices=False)
    solved: npt.NDArray[Any] = vt.T @ (s / (s**2 + damping**2) * (u.T @ twist))
    return solved


@attrs.define(kw_only=True)
class _Tally:
    """What was found: numbers beyond their limits, numbers that are none, cycles that answered an error."""

    torque: int = 0
    torque_rate: int = 0
    not_finite: int = 0
    cycles: int = 0
    refused: int = 0


def _fuzzed(cycles: int) -> Measured:
    """Count violations over hostile inputs: by half with a robot that tells what it applied and loses commands.

    The other half has a robot that tells nothing; then the command before counts.
    """
    tally = _Tally()
    for telling in (True, False):
        random = np.random.default_rng(7 + telling)
        law = _law(CompiledImpedance, library(), payload_kg=0.7, payload_com_m=(0.0, 0.01, 0.08))
        before = np.zeros(structs.MAX_JOINTS)
        for _ in range(cycles // 10_000 // 2 or 1):
            before = _batch(law, random, min(cycles // 2, 10_000), before, telling, tally)
    value = tally.torque + tally.torque_rate + tally.not_finite
    return Measured(value=value, figures={name: float(figure) for name, figure in attrs.asdict(tally).items()})


def _batch(
    law: Any, random: np.random.Generator, count: int, before: npt.NDArray[Any], telling: bool, tally: _Tally
) -> npt.NDArray[Any]:
    """Step through hostile inputs, count, and return what the robot applied last."""
    states, references = hostile(random, count)
    commands, statuses = new("hl_command", count), np.zeros(count, dtype=np.int32)
    lost = (random.random(count) < 0.1).astype(np.uint8)
    if telling:
        states["tau_applied"][0] = before
    else:
        states["tau_applied"], references["flags"] = np.nan, 0
    tally.refused += law.bound_many(states, references, lost if telling else None, commands, statuses)()
    tau = commands["tau"]
    applied = states["tau_applied"] if telling else np.vstack([before, tau[:-1]])
    hair = 1 + 1e-9
    step = np.minimum(1.0, LIMITS.torque_rate * 1e-3)
    tally.not_finite += int((~np.isfinite(tau)).sum())
    tally.torque += int((np.abs(tau[:, :JOINTS]) > LIMITS.torque * hair).sum())
    tally.torque_rate += int((np.abs(tau - applied)[:, :JOINTS] > step * hair).sum())
    tally.cycles += count
    last = states["tau_applied"][-1] if telling and lost[-1] else tau[-1]
    return np.array(last)
