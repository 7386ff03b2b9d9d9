"""Validators of settings: a number out of range, or a pose that is none, is a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np

from handloom.errors import ConfigError
from handloom_controllers.laws.rotation import read_pose


def numbers(values: Iterable[float]) -> tuple[float, ...]:
    """Convert what may be a list to a tuple."""
    return tuple(values)


def at_least_0(_: Any, field: attrs.Attribute[Any], value: float | None) -> None:
    """Refuse negative and infinite numbers; None is what a preset decides.

    Raises:
        ConfigError: It is one.
    """
    if value is not None and not 0 <= value < math.inf:
        raise ConfigError([f"{field.name} is {value}; expected 0 or more."])


def above_0(_: Any, field: attrs.Attribute[Any], value: float) -> None:
    """Refuse what is not positive.

    Raises:
        ConfigError: It is not.
    """
    if not 0 < value < math.inf:
        raise ConfigError([f"{field.name} is {value}; expected more than 0."])


def a_share(_: Any, field: attrs.Attribute[Any], value: float) -> None:
    """Refuse what is no share of something.

    Raises:
        ConfigError: It is not above 0, or above 1.
    """
    if not 0 < value <= 1:
        raise ConfigError([f"{field.name} is {value}; expected more than 0 and at most 1."])


def less_than_whole(_: Any, field: attrs.Attribute[Any], value: float) -> None:
    """Refuse what is no share of something, or all of it.

    Raises:
        ConfigError: It is not above 0 and below 1.
    """
    if not 0 < value < 1:
        raise ConfigError([f"{field.name} is {value}; expected more than 0 and less than 1."])


def all_at_least_0(_: Any, field: attrs.Attribute[Any], values: tuple[float, ...]) -> None:
    """Refuse a list with a negative or infinite number.

    Raises:
        ConfigError: There is one.
    """
    if not all(0 <= value < math.inf for value in values):
        raise ConfigError([f"{field.name} is {list(values)}; expected numbers of 0 or more."])


def three_numbers(_: Any, field: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    """Refuse what is no vector.

    Raises:
        ConfigError: It is none.
    """
    if len(value) != 3 or not all(math.isfinite(number) for number in value):
        raise ConfigError([f"{field.name} is {list(value)}; expected three numbers x y z."])


def a_pose(_: Any, field: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    """Refuse what is no pose of seven numbers.

    Raises:
        ConfigError: It is none.
    """
    if len(value) != 7 or read_pose(np.array(value, dtype=np.float64)) is None:
        raise ConfigError([f"{field.name} is {list(value)}; expected metres x y z and a unit quaternion x y z w."])
