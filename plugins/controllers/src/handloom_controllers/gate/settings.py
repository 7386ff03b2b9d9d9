"""What the safety gate holds a motion to."""

from __future__ import annotations

import math
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom_controllers.arms import Arm

Float64Array = npt.NDArray[np.float64]

_POSITIVE = (
    "period_s",
    "max_speed_deg_per_s",
    "max_acceleration_deg_per_s2",
    "max_jerk_deg_per_s3",
    "silence_s",
    "longest_gap_s",
    "clearance_m",
    "ramp_from",
    "max_width_speed_m_per_s",
)


_CREEP_RAD_PER_S = 0.2
"""Speed that is left to a joint at the end of its range, so that every target there is reached in seconds."""


def check_numbers(settings: attrs.AttrsInstance, whose: str) -> None:
    """Refuse settings that are not finite, and negative ones but for the table's height.

    Args:
        settings: Numbers all of them, None where one is not set.
        whose: They are, to begin the message with.

    Raises:
        HandloomError: There is one.
    """
    for name, value in attrs.asdict(settings).items():
        if value is not None and (not math.isfinite(value) or (value < 0 and name != "table_z_m")):
            raise HandloomError(f"{whose} {name} is {value}; expected a finite number, 0 or more.")


@attrs.frozen(kw_only=True)
class GateSettings:
    """What the gate allows; the arm's own limits hold besides, the smaller of both counts.

    Attributes:
        period_s: Time between two commands; each call covers one, so it has to be called so often.
        max_speed_deg_per_s: Of every joint.
        max_acceleration_deg_per_s2: Of every joint.
        max_jerk_deg_per_s3: Of every joint.
        range_margin_rad: How far from the arm's own limits it stays.
        clip_within_rad: A target no further outside is clipped to the range; one beyond is refused.
        clearance_m: What a target keeps from the table and from the arm's own links; on the way there it is
            never less than half.
        table_z_m: Height of the table in the base; None for no table.
        silence_s: Without a target that may be followed for so long, it brakes to rest.
        ramp_s: From the first target after a rest of that kind, the speed limit grows to its full size so long.
        ramp_from: Share of the speed limit that it begins with.
        longest_gap_s: Longest time between two stamps that is no fault; after a longer one it brakes to rest and
            begins anew.
        min_width_m: Smallest width of the jaw.
        max_width_m: Largest width of the jaw.
        max_width_speed_m_per_s: Speed of the jaw.

    Raises:
        HandloomError: A number is not finite or not positive, or a range is empty.
    """

    period_s: float = 0.01
    max_speed_deg_per_s: float = 300.0
    max_acceleration_deg_per_s2: float = 900.0
    max_jerk_deg_per_s3: float = 15000.0
    range_margin_rad: float = 0.02
    clip_within_rad: float = 0.2
    clearance_m: float = 0.01
    table_z_m: float | None = 0.0
    silence_s: float = 0.2
    ramp_s: float = 0.5
    ramp_from: float = 0.1
    longest_gap_s: float = 0.05
    min_width_m: float = 0.0
    max_width_m: float = 0.08
    max_width_speed_m_per_s: float = 0.2

    def __attrs_post_init__(self) -> None:
        check_numbers(self, "The gate's")
        for name in _POSITIVE:
            if getattr(self, name) == 0:
                raise HandloomError(f"The gate's {name} is 0; expected more.")
        if self.max_width_m <= self.min_width_m:
            raise HandloomError(
                f"The gate's widths go from {self.min_width_m} m to {self.max_width_m} m; the range is empty."
            )
        if self.ramp_from > 1:
            raise HandloomError(f"The gate's ramp_from is {self.ramp_from}; a share is 1 at most.")


class Bounds(NamedTuple):
    """What every joint may do at this gate.

    Attributes:
        lower: (n,) rad.
        upper: (n,) rad.
        speed: (n,) rad/s.
        acceleration: (n,) rad/s^2.
        jerk: (n,) rad/s^3.
        arm: Whose limits hold besides: how slow it must be near the end of its range.
    """

    lower: Float64Array
    upper: Float64Array
    speed: Float64Array
    acceleration: Float64Array
    jerk: Float64Array
    arm: Arm

    def including(self, q: Float64Array) -> Bounds:
        """Return the same with a range that is wide enough for a position outside it."""
        return self._replace(lower=np.minimum(self.lower, q), upper=np.maximum(self.upper, q))

    def slower(self, share: float) -> Bounds:
        """Return the same with a share of the speed."""
        return self._replace(speed=self.speed * share)

    def towards(self, q: Float64Array, target: Float64Array) -> Bounds:
        """Return the same with the speed that is allowed all the way to a target, near a range's end too."""
        if self.arm.near_range is None:
            return self
        least, greatest = self.arm.near_range.velocities(self.arm.limits, target)
        there = np.where(target > q, greatest, -least)
        return self._replace(speed=np.minimum(self.speed, np.maximum(there, _CREEP_RAD_PER_S)))

    def too_fast_there(self, q: Float64Array, dq: Float64Array) -> bool:
        """Tell whether any of (K, n) positions is passed faster than it may be so near the end of the range."""
        if self.arm.near_range is None:
            return False
        least, greatest = self.arm.near_range.velocities(self.arm.limits, q)
        return bool(((dq > greatest + 1e-6) | (dq < least - 1e-6)).any())


def bounds(settings: GateSettings, arm: Arm) -> Bounds:
    """Return the smaller of what the settings and the arm's own limits allow.

    Raises:
        HandloomError: The margin leaves a joint no room.
    """
    limits = arm.limits
    lower, upper = range_within(arm, settings.range_margin_rad)
    return Bounds(
        lower=lower,
        upper=upper,
        speed=np.minimum(limits.velocity, math.radians(settings.max_speed_deg_per_s)),
        acceleration=np.minimum(limits.acceleration, math.radians(settings.max_acceleration_deg_per_s2)),
        jerk=np.minimum(limits.jerk, math.radians(settings.max_jerk_deg_per_s3)),
        arm=arm,
    )


def range_within(arm: Arm, margin_rad: float) -> tuple[Float64Array, Float64Array]:
    """Return (n,) least and (n,) greatest joint positions, rad, that keep a margin from the arm's own.

    Where the arm has to creep near the end of a range, the range ends where it would have to stand still.

    Raises:
        HandloomError: The margin leaves a joint no room.
    """
    limits, near = arm.limits, arm.near_range
    margin = np.full(len(limits.names), margin_rad)
    if near is not None:
        margin = np.maximum(margin, (near.offset + _CREEP_RAD_PER_S) ** 2 / (2 * near.deceleration))
    narrow = limits.upper - limits.lower <= 2 * margin
    if narrow.any():
        place = int(np.argmax(narrow))
        raise HandloomError(
            f"A margin of {margin[place]:.3g} rad at both ends leaves {limits.names[place]} of {arm.name} no room."
        )
    return limits.lower + margin, limits.upper - margin
