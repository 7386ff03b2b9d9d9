"""Validators of a simulated arm's settings: a number that no arm can have is a sentence, not a strange motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import attrs

from handloom.errors import HandloomError

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]

INT64 = 2**63


def number(
    least: float = -math.inf,
    most: float = math.inf,
    *,
    above: bool = False,
    unknown: bool = False,
    infinite: bool = False,
) -> Validator:
    """Return what refuses a number, or one of several, outside a range.

    Args:
        least: Smallest.
        most: Largest.
        above: Whether the smallest itself is refused.
        unknown: Whether NaN stands for what is not set.
        infinite: Whether infinity is taken, as for a limit that is none.
    """
    bound = "more than" if above else "at least"
    expected = "a finite number" if least == -math.inf else f"{bound} {least:g}"
    expected += f", at most {most:g}" if most < math.inf else ""

    def check(_: Any, field: attrs.Attribute[Any], value: Any) -> None:
        for each in value if isinstance(value, Iterable) else (value,):
            if unknown and math.isnan(each):
                continue
            fits = math.isfinite(each) or (infinite and each == math.inf)
            if not (fits and least <= each <= most) or (above and each == least):
                raise HandloomError(f"{field.name} is {value}; expected {expected}.")

    return check


def whole(least: int, most: int) -> Validator:
    """Return what refuses a whole number outside a range; None is not set."""

    def check(_: Any, field: attrs.Attribute[Any], value: int | None) -> None:
        if value is not None and not least <= value <= most:
            raise HandloomError(f"{field.name} is {value}; expected {least} to {most}.")

    return check


def a_turn(_: Any, field: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    """Refuse a quaternion that stands for no rotation.

    Raises:
        HandloomError: It is not of norm 1.
    """
    if not abs(math.hypot(*value) - 1) < 1e-3:
        raise HandloomError(f"{field.name} is {value}; expected a quaternion x y z w of norm 1.")
