"""States and references for laws, whole arrays at once: plausible ones, and what a fuzzer makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.testing.serial_arm import LIMITS
from handloom_controllers.native import new, structs

Structs = npt.NDArray[np.void]

JOINTS = len(LIMITS.names)
BAD = np.array([np.nan, np.inf, -np.inf, 1e308, -1e308, 1e9, -1e9, 1e-308])
_STATE_FIELDS = ("q", "dq", "coriolis", "gravity", "tau_applied", "jacobian", "T_base_flange")
_REFERENCE_FIELDS = ("T_base_tcp", "twist")


def plausible(random: np.random.Generator, count: int) -> tuple[Structs, Structs]:
    """Return states and references that don't hang together but could each be: the first is the first cycle.

    Jacobians are those of no arm in particular, so that every direction of every column is tried.
    """
    states, references = new("hl_state", count), new("hl_reference", count)
    states["joints"], states["period_ns"] = JOINTS, 1_000_000
    states["flags"] = structs.STATE_FRESH | structs.STATE_COMPENSATES_GRAVITY * random.integers(0, 2, count)
    states["q"][:, :JOINTS] = random.uniform(1.1 * LIMITS.lower, 1.1 * LIMITS.upper, (count, JOINTS))
    states["dq"][:, :JOINTS] = random.normal(scale=0.5 * LIMITS.velocity, size=(count, JOINTS))
    for name in ("coriolis", "gravity", "tau_applied"):
        states[name][:, :JOINTS] = random.normal(scale=5.0, size=(count, JOINTS))
    states["jacobian"][:, :, :JOINTS] = random.normal(scale=0.4, size=(count, 6, JOINTS))
    states["T_base_flange"] = _poses(random, count)
    near = random.normal(scale=0.02, size=(count, 7))
    references["T_base_tcp"] = np.where(random.random((count, 1)) < 0.5, states["T_base_flange"], 0) + near
    references["T_base_tcp"][:, 3:] /= np.linalg.norm(references["T_base_tcp"][:, 3:], axis=1, keepdims=True)
    references["twist"] = random.normal(scale=0.3, size=(count, 6))
    references["width_m"] = 0.04
    references["flags"][0] = structs.REFERENCE_FIRST
    return states, references


def hostile(
    random: np.random.Generator, count: int, *, bad: npt.NDArray[np.float64] = BAD
) -> tuple[Structs, Structs]:
    """Return the same with bad numbers, warped time, silence, wrong counts, and cycles that begin anew."""
    states, references = plausible(random, count)
    for array, fields in ((states, _STATE_FIELDS), (references, _REFERENCE_FIELDS)):
        for name in fields:
            _spoil(random, array[name], 0.01, bad)
    warped = random.random(count) < 0.1
    states["period_ns"][warped] = random.integers(-(2**62), 2**62, int(warped.sum()))
    silent = random.random(count) < 0.1
    states["flags"][silent] &= ~np.uint32(structs.STATE_FRESH)
    references["flags"][random.random(count) < 0.01] = structs.REFERENCE_FIRST
    references["T_base_tcp"][random.random(count) < 0.01, 3:] = 0.0
    references["width_m"][random.random(count) < 0.05] = np.nan
    states["joints"][random.random(count) < 0.005] = random.integers(0, 2**32, dtype=np.uint32)
    return states, references


def _poses(random: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    poses = random.normal(scale=0.5, size=(count, 7))
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    return poses


def _spoil(
    random: np.random.Generator, values: npt.NDArray[Any], share: float, bad: npt.NDArray[np.float64]
) -> None:
    """Put one bad number into some of the rows, among the first seven columns."""
    rows = np.flatnonzero(random.random(len(values)) < share)
    columns = random.integers(0, min(JOINTS, values.shape[-1]), len(rows))
    place = (rows, random.integers(0, 6, len(rows)), columns) if values.ndim == 3 else (rows, columns)
    values[place] = random.choice(bad, len(rows))
