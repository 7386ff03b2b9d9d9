"""The jaw's part of the safety gate: range and speed."""

from __future__ import annotations

import math

import attrs

from handloom.api import Fault
from handloom_controllers.gate.settings import GateSettings


@attrs.frozen(kw_only=True)
class WidthAnswer:
    """What the jaw shall do.

    Attributes:
        width_m: Command; NaN while it was never told where the jaw is.
        faults: What was wrong with the target.
    """

    width_m: float
    faults: tuple[Fault, ...] = ()


class JawGate:
    """Moves the width towards a target no faster than it may."""

    def __init__(self, settings: GateSettings) -> None:
        self._settings = settings
        self._width_m = math.nan

    def reset(self, width_m: float) -> None:
        """Begin at a measured width; NaN for an arm without a jaw."""
        self._width_m = width_m if math.isfinite(width_m) else math.nan

    def step(self, target_m: float | None, now: int) -> WidthAnswer:
        """Return the width of this tick, one period after the one before whatever the stamps say.

        Args:
            target_m: Where the jaw shall be; None leaves it where it is.
            now: int64 ns.
        """
        if target_m is None:
            return WidthAnswer(width_m=self._width_m)
        if not math.isfinite(target_m) or math.isnan(self._width_m):
            return WidthAnswer(width_m=self._width_m, faults=(self._refusal(target_m, now),))
        settings = self._settings
        clipped = min(max(target_m, settings.min_width_m), settings.max_width_m)
        step = settings.max_width_speed_m_per_s * settings.period_s
        self._width_m += min(max(clipped - self._width_m, -step), step)
        faults = () if clipped == target_m else (self._clipped(target_m, now),)
        return WidthAnswer(width_m=self._width_m, faults=faults)

    def _refusal(self, target_m: float, now: int) -> Fault:
        found = (
            "nobody has said where the jaw is; call reset with its width"
            if math.isfinite(target_m)
            else (f"the target width is {target_m} m; expected a finite number, the jaw stays")
        )
        return Fault(kind="not_finite", message=f"{found[0].upper()}{found[1:]}.", stamp=now)

    def _clipped(self, target_m: float, now: int) -> Fault:
        low, high = self._settings.min_width_m, self._settings.max_width_m
        message = f"The target width is {target_m:g} m; it is clipped to the jaw's range, {low:g} m to {high:g} m."
        return Fault(kind="clip_reached", message=message, stamp=now)
