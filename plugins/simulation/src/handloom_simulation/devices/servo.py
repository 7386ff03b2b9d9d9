"""The jaw's angle as a serial-bus servo reports it: whole ticks, late, with a dead band."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom_simulation.devices.clocks import Sampling
from handloom_simulation.gripper import STROKE_M
from handloom_simulation.take import Take

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class ServoSettings:
    """How the jaw's servo measures.

    Attributes:
        ticks_per_turn: Of its magnetic encoder. Source: Feetech STS3215 data sheet, 4096.
        closed_ticks: Reading at width 0.
        open_ticks: Reading at the widest opening.
        dead_band_ticks: The reading keeps its value until the jaw has moved further than this.
        latency_s: From the angle to the stamp that the Pi gives it.
        rate_hz: Of the Pi's polling.
    """

    ticks_per_turn: int = 4096
    closed_ticks: int = 1187
    open_ticks: int = 2318
    dead_band_ticks: int = 1
    latency_s: float = 0.004
    rate_hz: float = 100.0


@attrs.frozen(kw_only=True, eq=False)
class JawTicks:
    """What was reported.

    Attributes:
        stamps: (N,) int64 ns on the Pi's monotonic clock.
        ticks: (N,) int64.
    """

    stamps: Int64Array
    ticks: Int64Array


def measure_jaw(take: Take, sampling: Sampling, settings: ServoSettings) -> JawTicks:
    """Return the servo's readings; the jaw's width is linear in its angle, as with a rack and pinion."""
    seen = sampling.instants_ns() - round(settings.latency_s * 1e9)
    seen = np.clip(seen, take.stamps[0], take.stamps[-1])
    per_metre = (settings.open_ticks - settings.closed_ticks) / STROKE_M
    exact = settings.closed_ticks + take.width_at(seen) * per_metre
    return JawTicks(stamps=sampling.stamps_ns(), ticks=_within_dead_band(exact, settings))


def width_of_ticks(ticks: npt.ArrayLike, settings: ServoSettings) -> FloatArray:
    """Return the width between the pads, m, that a reading stands for."""
    per_metre = (settings.open_ticks - settings.closed_ticks) / STROKE_M
    widths: FloatArray = (np.asarray(ticks, np.float64) - settings.closed_ticks) / per_metre
    return widths


def _within_dead_band(exact: FloatArray, settings: ServoSettings) -> Int64Array:
    readings = np.rint(exact).astype(np.int64) % settings.ticks_per_turn
    kept = int(readings[0]) if len(readings) else 0
    # One after the other: what is reported depends on what was reported before.
    for index, reading in enumerate(readings.tolist()):
        if abs(reading - kept) > settings.dead_band_ticks:
            kept = reading
        readings[index] = kept
    return readings
