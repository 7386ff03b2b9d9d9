"""A cubic of three coordinates over one segment: its value, its greatest speed, and how far it swings out."""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(eq=False)
class Cubic:
    """From 0 at u = 0 to a way at u = 1.

    Attributes:
        first: (3,) coefficient of u, the slope at u = 0.
        second: (3,) of u^2.
        third: (3,) of u^3.
    """

    first: Float64Array
    second: Float64Array
    third: Float64Array

    @classmethod
    def between(cls, way: Float64Array, slope_0: Float64Array, slope_1: Float64Array) -> Cubic:
        """Return the cubic to a (3,) way with these (3,) derivatives by u at both ends."""
        return cls(slope_0, 3 * way - 2 * slope_0 - slope_1, slope_0 + slope_1 - 2 * way)

    def value(self, u: float) -> Float64Array:
        """Return the (3,) way so far, u in 0..1."""
        way: Float64Array = u * (self.first + u * (self.second + u * self.third))
        return way

    def rate(self, u: float) -> Float64Array:
        """Return the (3,) derivative by u."""
        rate: Float64Array = self.first + u * (2 * self.second + u * 3 * self.third)
        return rate

    def peak(self) -> float:
        """Return the greatest length of the derivative by u on 0..1, exactly.

        Its square is a quartic that opens upwards: it has one maximum inside at most, where it is concave.
        """
        a, b, c = self.first, 2 * self.second, 3 * self.third
        ends = max(a @ a, (a + b + c) @ (a + b + c))
        if (a + b / 2) @ (a + b / 2) <= ends:  # the hull of the rate's Bezier points
            return math.sqrt(ends)
        slope, bc, cc = float(2 * a @ c + b @ b), float(b @ c), float(c @ c)
        if not (36 * bc * bc > 24 * cc * slope and cc > 0):
            return math.sqrt(ends)
        inside = self.rate(min(max(_turn_of_square(float(a @ b), slope, bc, cc), 0.0), 1.0))
        return math.sqrt(max(ends, inside @ inside))

    def swings_out(self, duration_s: float, *, braking: float, margin: float) -> bool:
        """Say whether what is ahead leaves the box of here and the end by more than a margin and braking.

        From anywhere on it, and on any axis: a bend inside the box of its ends counts too. A swing at its
        beginning is as good as braking where it slows down at least as hard until it turns.

        Args:
            duration_s: Time that it takes from u = 0 to u = 1.
            braking: Deceleration, by s^2.
            margin: In the unit of the way.
        """
        hard = braking * duration_s * duration_s
        return any(
            _leaves(*coefficients, hard=hard, margin=margin)
            for coefficients in zip(self.first.tolist(), self.second.tolist(), self.third.tolist(), strict=True)
        )


def _turn_of_square(constant: float, slope: float, bc: float, cc: float) -> float:
    """Return where the concave part of the square of the rate has its maximum, by Newton's method.

    From the middle of the concave part it comes from one side, and so never leaves it.
    """
    u = -bc / (2 * cc)
    for _ in range(40):
        rise = constant + u * (slope + u * (3 * bc + u * 2 * cc))
        bend = slope + u * (6 * bc + u * 6 * cc)
        if not bend < 0:
            break
        u -= rise / bend
        if abs(rise / bend) < 1e-12:
            break
    return u


def _leaves(first: float, second: float, third: float, *, hard: float, margin: float) -> bool:
    """Say the same of one axis; `hard` is the deceleration by u^2."""
    a, b, c = first, 2 * second, 3 * third
    end = first + second + third
    before = 0.0  # the beginning, or where it turned last
    braked = a != 0  # from the beginning to the first turn
    sign = -1.0 if a > 0 else 1.0
    for u in _roots(a, b, c):
        at = u * (a + u * (b / 2 + u * (c / 3)))
        braked = braked and sign * b >= hard and sign * (b + 2 * c * u) >= hard
        if max(at - max(before, end), min(before, end) - at) > margin and not braked:
            return True
        before, braked = at, False
    return False


def _roots(a: float, b: float, c: float) -> list[float]:
    """Return the roots of a + b u + c u^2 inside 0..1, in order."""
    discriminant = b * b - 4 * a * c
    if not discriminant > 0:
        return []
    # The root of a quadratic that loses no digits, and the other one from it.
    q = -(b + math.copysign(math.sqrt(discriminant), b)) / 2
    both = (q / c if c else 2.0, a / q if q else 2.0)
    return sorted(u for u in both if 0 < u < 1)
