"""Bars of the safety gate and the IK: nothing that is sent to them makes them break a limit."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import TypeVar
from xml.etree import ElementTree

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.gate_judge import Violations, allowed, judge
from benchmarks.gate_targets import PERIOD_NS, hostile
from benchmarks.harness import Bar, Measured
from handloom.geometry import quaternion
from handloom_controllers.arms import Arm, fr3
from handloom_controllers.differential_ik import DifferentialIk
from handloom_controllers.gate import Gate, GateSettings

T = TypeVar("T")
FloatArray = npt.NDArray[np.float64]

_PIECE = 100_000
"""Targets that are judged at once: one gate, from rest."""

_SHAPED_PIECE = 10_000
"""The same where the arm has its shapes, which cost several times as much."""


def control_bars(*, quick: bool) -> list[Bar]:
    """Return the bars; the fuzz runs once for those it answers."""
    count = 20_000 if quick else 1_000_000
    shaped = 500 if quick else 100_000

    @cache
    def broken() -> Violations:
        return fuzzed(count)

    def limits() -> Measured:
        found = broken()
        figures = {name: float(value) for name, value in attrs.asdict(found).items()}
        return Measured(value=float(found.total - found.not_finite), figures={"targets": float(count), **figures})

    return [
        Bar(
            name="gate, fuzzed: position, velocity, acceleration, jerk",
            goal=0,
            compare="<=",
            unit="violations",
            measure=limits,
        ),
        Bar(
            name="gate, fuzzed: outputs not finite",
            goal=0,
            compare="<=",
            unit="outputs",
            measure=lambda: Measured(value=float(broken().not_finite)),
        ),
        Bar(
            name="gate, fuzzed: nearer than half the clearance",
            goal=0,
            compare="<=",
            unit="outputs",
            measure=lambda: too_near(shaped),
        ),
        *_motion_bars(),
    ]


def _motion_bars() -> list[Bar]:
    """Return the bars of ordinary motions."""
    return [
        Bar(
            name="gate, 100 Hz stream: time of a step", goal=0.5, compare="<=", unit="of 10 ms", measure=gate_step
        ),
        Bar(
            name="IK, 80 mm and 15 degrees: position",
            goal=14,
            compare="<=",
            unit="mm",
            measure=lambda: ik_move()[0],
        ),
        Bar(
            name="IK, 80 mm and 15 degrees: rotation",
            goal=5,
            compare="<=",
            unit="degrees",
            measure=lambda: ik_move()[1],
        ),
    ]


def fuzzed(count: int) -> Violations:
    """Return what a gate breaks over so many hostile targets.

    The arm has no shapes here: what is judged does not need them, and a target that is refused for its shapes is
    one that tests no limit. They are put back in `too_near`.
    """
    return sum(_in_pieces(_fuzzed_piece, count, _PIECE), start=Violations())


def _in_pieces(piece: Callable[[int, int], T], count: int, size: int) -> list[T]:
    """Return what becomes of pieces of a count, each with a seed of its own, on two cores where there are two."""
    pieces = [(seed, min(size, count - begin)) for seed, begin in enumerate(range(0, count, size))]
    if len(pieces) == 1:
        return [piece(*pieces[0])]
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1), mp_context=get_context("spawn")) as pool:
        return list(pool.map(piece, *zip(*pieces, strict=True)))


def _fuzzed_piece(seed: int, count: int) -> Violations:
    return _judged(_without_shapes(fr3()), seed, count)[0]


def _judged(arm: Arm, seed: int, count: int) -> tuple[Violations, FloatArray]:
    """Return what is broken, and (N, n) the outputs."""
    gate = Gate(GateSettings(), arm)
    gate.reset(arm.home)
    q = np.empty((count, len(arm.home)))
    for row, (target, now) in enumerate(hostile(arm, np.random.default_rng(seed), count)):
        answer = gate.step(target, now)
        q[row] = answer.q
        if not (np.isfinite(answer.dq).all() and np.isfinite(answer.ddq).all()):
            q[row] = np.nan
    return judge(allowed(arm), arm.home, q), q


def too_near(count: int) -> Measured:
    """Count outputs that are nearer to something than half the clearance, by MuJoCo's distance of two shapes."""
    wrong, nearest_m = zip(*_in_pieces(_near_piece, count, _SHAPED_PIECE), strict=True)
    return Measured(value=float(sum(wrong)), figures={"targets": float(count), "nearest_m": min(nearest_m)})


def _near_piece(seed: int, count: int) -> tuple[int, float]:
    """Return how many outputs are wrong, and the nearest distance of all, m."""
    import mujoco

    arm, settings = fr3(), GateSettings()
    found, q = _judged(arm, seed, count)
    spec = mujoco.MjSpec.from_string(arm.mjcf)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.1], pos=[0, 0, settings.table_z_m])
    model = spec.compile()
    data, pairs = mujoco.MjData(model), _pairs(model)
    nearest = []
    for position in np.unique(q[::5], axis=0):
        data.qpos[:] = position
        mujoco.mj_kinematics(model, data)
        nearest.append(min(mujoco.mj_geomDistance(model, data, *pair, 0.3, None) for pair in pairs))
    near = np.array(nearest)
    return int((near < 0.5 * settings.clearance_m).sum()) + found.total, float(near.min())


def _pairs(model: object) -> list[tuple[int, int]]:
    """Return the pairs of shapes that are not neighbours by the arm's build."""
    body = model.body_weldid[model.geom_bodyid]  # type: ignore[attr-defined]
    above = model.body_weldid[model.body_parentid[body]]  # type: ignore[attr-defined]
    excluded = set(model.exclude_signature.tolist())  # type: ignore[attr-defined]
    return [
        (first, second)
        for first in range(len(body))
        for second in range(first + 1, len(body))
        if body[first] != body[second]
        and above[first] != body[second]
        and above[second] != body[first]
        and (min(body[first], body[second]) << 16) + max(body[first], body[second]) not in excluded
    ]


def gate_step() -> Measured:
    """Return the time of one step of the gate, shapes and all, while it follows a moving target."""
    arm = fr3()
    gate = Gate(GateSettings(), arm)
    gate.reset(arm.home)
    times = []
    for tick in range(1, 1001):
        target = arm.home + 0.3 * np.sin(0.01 * tick * np.arange(1, 8))
        before = time.process_time()
        gate.step(target, tick * PERIOD_NS)
        times.append(time.process_time() - before)
    share = np.array(times) / 0.01
    return Measured(value=float(np.median(share)), figures={"p99_of_10_ms": float(np.quantile(share, 0.99))})


@cache
def ik_move() -> tuple[Measured, Measured]:
    """Return the worst ends, mm and degrees, of moves by 80 mm with a swing of 15 degrees in 1 s, at 30 Hz."""
    arm = fr3()
    ik = DifferentialIk(arm)
    rng = np.random.default_rng(0)
    ends, times = [], []
    for _ in range(40):
        ik.reset(arm.home)
        start = ik.pose()
        move, axis = rng.normal(size=(2, 3))
        move, axis = 0.08 * move / np.linalg.norm(move), axis / np.linalg.norm(axis)
        for frame in range(1, 31):
            swing = quaternion.from_rotvec(axis * np.radians(15) * frame / 30)
            target = np.concatenate([start[:3] + move * frame / 30, quaternion.multiply(swing, start[3:])])
            before = time.process_time()
            answer = ik.step(target, 1 / 30)
            times.append(time.process_time() - before)
        ends.append((answer.error_m * 1e3, np.degrees(answer.error_rad)))
    worst = np.max(ends, axis=0)
    spent = {"step_cpu_ms": float(np.median(times)) * 1e3}
    return Measured(value=float(worst[0]), figures=spent), Measured(value=float(worst[1]))


def _without_shapes(arm: Arm) -> Arm:
    tree = ElementTree.fromstring(arm.mjcf)
    for body in tree.iter("body"):
        for geom in body.findall("geom"):
            body.remove(geom)
    return attrs.evolve(arm, mjcf=ElementTree.tostring(tree, encoding="unicode"))
