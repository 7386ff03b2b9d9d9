"""The curves of commanded joints: jerk constant by parts, so that differences of their samples keep their limits.

`cpp/joint_curve.hpp` does the same, one joint at a time. All arrays are (n,), one number a joint.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom_controllers.laws.rotation import Float64Array

BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Bounds:
    """What joints may do.

    Attributes:
        lower: (n,) rad.
        upper: (n,) rad.
        fastest: (n,) rad/s.
        hardest: (n,) rad/s^2.
        jerk: (n,) rad/s^3.
        near: (n,) rad/s^2; with so much room as a joint has to the end of its range and offset^2 / (2 near) behind
            it, its speed towards it is no more than sqrt(2 near room) - offset. Infinite for none.
        offset: (n,) rad/s.
    """

    lower: Float64Array
    upper: Float64Array
    fastest: Float64Array
    hardest: Float64Array
    jerk: Float64Array
    near: Float64Array
    offset: Float64Array


@attrs.frozen(eq=False)
class Step:
    """The end of a step.

    Attributes:
        way: (n,) rad gone.
        v: (n,) rad/s.
        a: (n,) rad/s^2.
    """

    way: Float64Array
    v: Float64Array
    a: Float64Array


@attrs.frozen(kw_only=True, eq=False)
class Braking:
    """The quickest way to rest: jerk against the motion until `peak`, hold it, release it.

    Attributes:
        side: 1 where it goes up once its acceleration is let go, else -1.
        v: (n,) rad/s seen from there, as the next.
        a: (n,) rad/s^2.
        top: (n,) rad/s that it would have at no acceleration, before the braking or in it.
        peak: (n,) rad/s^2.
        lengths_s: (3, n) of the three parts.
    """

    side: Float64Array
    v: Float64Array
    a: Float64Array
    top: Float64Array
    peak: Float64Array
    lengths_s: tuple[Float64Array, Float64Array, Float64Array]


def with_jerk(v: Float64Array, a: Float64Array, jerk: Float64Array, t: Float64Array | float) -> Step:
    """Return where constant jerks lead in a time, s."""
    return Step(t * (v + t * (a / 2 + t * jerk / 6)), v + t * (a + t * jerk / 2), a + t * jerk)


def braking(bounds: Bounds, v: Float64Array, a: Float64Array) -> Braking:
    """Return how each joint comes to rest."""
    side = np.where(v + a * np.abs(a) / (2 * bounds.jerk) >= 0, 1.0, -1.0)
    v, a = side * v, side * a
    top = np.maximum(v + a * a / (2 * bounds.jerk), 0.0)
    peak = np.minimum(bounds.hardest, np.sqrt(top * bounds.jerk))
    release_s = peak / bounds.jerk
    held_s = np.where(peak > 0, np.maximum(top / np.where(peak > 0, peak, 1.0) - release_s, 0.0), 0.0)
    onset_s = np.maximum((a + peak) / bounds.jerk, 0.0)
    return Braking(side=side, v=v, a=a, top=top, peak=peak, lengths_s=(onset_s, held_s, release_s))


def braked(bounds: Bounds, v: Float64Array, a: Float64Array, t: float) -> Step:
    """Return one step on the way to rest; what is at rest stays there."""
    way = braking(bounds, v, a)
    at, left = Step(np.zeros_like(v), way.v, way.a), np.full_like(v, t)
    for jerk, length in zip((-bounds.jerk, np.zeros_like(v), bounds.jerk), way.lengths_s, strict=True):
        now = np.minimum(length, left)
        on = with_jerk(at.v, at.a, jerk, now)
        at, left = Step(at.way + on.way, on.v, on.a), left - now
    rests = left > 0
    return Step(way.side * at.way, way.side * np.where(rests, 0.0, at.v), way.side * np.where(rests, 0.0, at.a))


def breaches(bounds: Bounds, q: Float64Array, step: Step, t: float) -> tuple[BoolArray, BoolArray]:
    """Say which steps leave the range and which are too fast, now or on the way to rest from their end."""
    way = braking(bounds, step.v, step.a)
    release, (_, held_s, release_s) = way.a / bounds.jerk, way.lengths_s
    stop = way.top * (held_s + 2 * release_s) / 2  # from no acceleration to rest
    end = stop + way.top * release - way.a * release * release / 6
    turns = (way.a - np.sqrt(np.maximum(way.a * way.a + 2 * bounds.jerk * way.v, 0.0))) / bounds.jerk
    dip = np.where(way.v < 0, with_jerk(way.v, way.a, -bounds.jerk, turns).way, 0.0)
    onward = np.maximum(np.maximum(end, 0.0), _hurry(bounds, way))
    back = np.minimum(dip, np.minimum(end, 0.0))
    up = way.side > 0
    highest, lowest = np.where(up, onward, -back), np.where(up, back, -onward)
    there = q + step.way
    leaves = (there + highest > bounds.upper) | (there + lowest < bounds.lower)
    greatest = np.where(way.a > 0, way.top, way.v)
    fast = (greatest > bounds.fastest) | (way.v < -bounds.fastest) | (np.abs(step.way) > bounds.fastest * t)
    return leaves, fast


def _hurry(bounds: Bounds, way: Braking) -> Float64Array:
    """Return how much room (n,) the speed near the end of the range needs on the way to rest.

    The speed that is allowed falls faster than the joint's while the braking sets in, and while its deceleration
    is too small: down to `slow` where it stays below `near`. Until then the speed is taken for no less than now.
    """
    onset_s = np.maximum((way.a + np.minimum(way.peak, bounds.near)) / bounds.jerk, 0.0)
    there = with_jerk(way.v, way.a, -bounds.jerk, onset_s).way
    speed = np.maximum(np.where(way.a > 0, way.top, way.v), 0.0)
    spare = bounds.near - bounds.hardest
    slow = np.where(spare > 0, bounds.offset * bounds.hardest / np.where(spare > 0, spare, 1.0), speed)
    slow = np.minimum(slow, speed)
    asked = (slow + bounds.offset) * (slow + bounds.offset) - bounds.offset * bounds.offset
    needed = there + (speed * speed - slow * slow) / (2 * bounds.hardest) + asked / (2 * bounds.near)
    return np.where(np.isinf(bounds.near), 0.0, needed)


def mixed(safe: Step, wished: Step, share: Float64Array) -> Step:
    """Return a mixture of two steps; it keeps the limits of jerk and acceleration that both keep."""
    return Step(
        safe.way + share * (wished.way - safe.way),
        safe.v + share * (wished.v - safe.v),
        safe.a + share * (wished.a - safe.a),
    )


def advance(
    bounds: Bounds, q: Float64Array, step: Step, jerk: Float64Array, t: float
) -> tuple[Float64Array, Step, BoolArray]:
    """Return the positions, the step taken, and which joints were held back by their range.

    It takes the jerks, or as much of them, mixed with braking, as leaves each joint a way to rest that breaks
    nothing. By induction there always is one: braking goes on along the way that the step before left.

    Args:
        bounds: Of the joints.
        q: (n,) rad before.
        step: Velocity and acceleration before.
        jerk: (n,) wished, rad/s^3.
        t: Length of the step, s.
    """
    wished = with_jerk(step.v, step.a, jerk, t)
    leaves, fast = breaches(bounds, q, wished, t)
    breaks = leaves | fast
    share = np.where(breaks, 0.0, 1.0)
    if breaks.any():
        safe, half = braked(bounds, step.v, step.a, t), 0.5
        while half > 1e-5:
            tried = mixed(safe, wished, share + half)
            share = np.where(breaks & ~np.logical_or(*breaches(bounds, q, tried, t)), share + half, share)
            half /= 2
        found = mixed(safe, wished, share)
        wished = Step(
            np.where(breaks, found.way, wished.way),
            np.where(breaks, found.v, wished.v),
            np.where(breaks, found.a, wished.a),
        )
    return np.clip(q + wished.way, bounds.lower, bounds.upper), wished, leaves
