"""Ways to rest in closed form: brake, or brake and then move to a target; no root is searched, so none is missed.

The gate brakes by it, and moves by it where ruckig gives no answer.

Source: jerk-limited profiles as in Biagiotti and Melchiorri, Trajectory Planning for Automatic Machines and
Robots, 2008, section 3.4.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom_controllers.gate.path import Motion, Path, at_rest
from handloom_controllers.gate.settings import Bounds

Float64Array = npt.NDArray[np.float64]


def brake(start: Motion, bounds: Bounds) -> Path:
    """Return the quickest way to rest, for each joint by itself."""
    return Path(start, *_brake(start, bounds))


def brake_then_move(start: Motion, target: Float64Array, bounds: Bounds) -> Path:
    """Return the way that first comes to rest and then goes to a target, each joint by itself.

    Args:
        start: Where it begins.
        target: (n,) rad.
        bounds: What it keeps.
    """
    durations, jerks = _brake(start, bounds)
    distance = target - Path(start, durations, jerks).end
    moving, pushing = _move(distance, bounds)
    return Path(start, np.concatenate([durations, moving]), np.concatenate([jerks, pushing]))


def move(start: Float64Array, target: Float64Array, bounds: Bounds) -> Path:
    """Return the quickest way from rest to rest, for each joint by itself."""
    return Path(at_rest(start), *_move(target - start, bounds))


def _brake(start: Motion, bounds: Bounds) -> tuple[Float64Array, Float64Array]:
    """Return (3, n) durations and jerks: push against the motion, keep pushing, let go."""
    limit, jerk = bounds.acceleration, bounds.jerk
    left = start.dq + start.ddq * np.abs(start.ddq) / (2 * jerk)
    sign = np.where(left > 0, -1.0, 1.0)
    # Seen along the push: speed to win, and the acceleration there is.
    gain, pushed = -sign * start.dq, sign * start.ddq
    peak = np.sqrt(np.maximum(jerk * gain + 0.5 * pushed * pushed, 0.0))
    top = np.minimum(peak, limit)
    keep = np.where(peak > limit, (gain - (limit * limit - 0.5 * pushed * pushed) / jerk) / limit, 0.0)
    durations = np.stack([np.maximum(top - pushed, 0.0) / jerk, np.maximum(keep, 0.0), top / jerk])
    return durations, np.stack([sign * jerk, np.zeros_like(jerk), -sign * jerk])


def _move(distance: Float64Array, bounds: Bounds) -> tuple[Float64Array, Float64Array]:
    """Return (7, n) durations and jerks from rest to rest."""
    length, sign = np.abs(distance), np.sign(distance)
    speed, limit, jerk = bounds.speed, bounds.acceleration, bounds.jerk
    # With a cruise at full speed, the acceleration reaching its limit or not.
    ramp = np.minimum(limit / jerk, np.sqrt(speed / jerk))
    hold = np.maximum(speed / (jerk * ramp) - ramp, 0.0)
    cruise = (length - speed * (2 * ramp + hold)) / speed
    # Too short for a cruise: the acceleration reaches its limit, or not even that.
    full = limit / jerk
    short_hold = 0.5 * (np.sqrt(full * full + 4 * length / limit) - 3 * full)
    short_ramp = np.where(short_hold > 0, full, np.cbrt(0.5 * length / jerk))
    fast = cruise >= 0
    ramp = np.where(fast, ramp, short_ramp)
    hold = np.where(fast, hold, np.maximum(short_hold, 0.0))
    durations = np.stack([ramp, hold, ramp, np.maximum(cruise, 0.0), ramp, hold, ramp])
    push, none = sign * jerk, np.zeros_like(jerk)
    return durations, np.stack([push, none, -push, none, -push, none, push])
