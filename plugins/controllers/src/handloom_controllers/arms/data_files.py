"""Read the data files of arms: TOML whose mistakes become sentences that name file and key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError, did_you_mean

Float64Array = npt.NDArray[np.float64]

_SAID_BY = ("source", "edition")
_FORMAT: Mapping[str, tuple[str, ...]] = {
    "arm": ("flange", "torque_controlled", "compensates_gravity", "home", "tcp"),
    "drive": ("reflected_inertia", "friction", "damping"),
    "joints": ("names", "lower", "upper", "velocity", "acceleration", "jerk", "torque", "torque_rate"),
    "near_range": ("offset", "deceleration"),
    "cartesian": ("velocity", "acceleration", "jerk", "elbow_velocity"),
    "thresholds": ("force_n", "torque_nm", "joint_torque_nm"),
}
"""What a file that a person writes may hold: of an arm beside its URDF, or of limits alone."""


def data_folder() -> Path:
    """Return the folder of the files that are shipped."""
    return Path(str(resources.files("handloom_controllers.arms") / "data"))


def arm_names() -> tuple[str, ...]:
    """Return the names of the arms that are shipped."""
    return tuple(sorted(path.stem for path in data_folder().glob("*.toml") if "_" not in path.stem))


def shipped(file: str) -> Path:
    """Return a file that is shipped.

    Raises:
        HandloomError: There is none of this name.
    """
    path = data_folder() / file
    if not path.is_file():
        name = file.removesuffix(".toml")
        raise HandloomError(f"No arm '{name}' is known{did_you_mean(name, arm_names())}")
    return path


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a file.

    Raises:
        HandloomError: It can't be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HandloomError(f"{path} can't be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise HandloomError(f"{path} is no TOML: {error}.") from error


def table(content: dict[str, Any], key: str, path: Path) -> dict[str, Any]:
    """Return a table.

    Raises:
        HandloomError: It is missing.
    """
    if key not in content:
        raise HandloomError(f"{path}: the table [{key}] is missing.")
    found = content[key]
    if not isinstance(found, dict):
        raise HandloomError(f"{path}: `{key}` is {found!r}; expected a table, [{key}].")
    return found


def check_keys(content: dict[str, Any], path: Path) -> None:
    """Refuse what nobody would read: a threshold that is misspelt would be none.

    Raises:
        HandloomError: A table is none, or a key is unknown.
    """
    for name in content:
        if name in _SAID_BY:
            continue
        if name not in _FORMAT:
            raise HandloomError(f"{path}: `{name}` is unknown{did_you_mean(name, (*_FORMAT, *_SAID_BY))}")
        known = (*_FORMAT[name], *_SAID_BY)
        for key in table(content, name, path):
            if key not in known:
                raise HandloomError(f"{path}: `{key}` in [{name}] is unknown{did_you_mean(key, known)}")


def table_or_none(content: dict[str, Any], key: str, path: Path) -> dict[str, Any]:
    """Return a table; an empty one where it is left out.

    Raises:
        HandloomError: Something else stands there.
    """
    return table(content, key, path) if key in content else {}


def text(content: dict[str, Any], key: str, path: Path) -> str:
    """Return a text.

    Raises:
        HandloomError: It is missing or empty.
    """
    found = content.get(key)
    if not isinstance(found, str) or not found:
        raise HandloomError(f'{path}: `{key} = "..."` is missing.')
    return found


def truth(content: dict[str, Any], key: str, path: Path, *, otherwise: bool) -> bool:
    """Return true or false; what is said otherwise where it is left out.

    Raises:
        HandloomError: It is neither.
    """
    found = content.get(key, otherwise)
    if not isinstance(found, bool):
        raise HandloomError(f"{path}: `{key}` is {found!r}; expected true or false.")
    return found


def number(content: dict[str, Any], key: str, path: Path, *, otherwise: float, least: float = -math.inf) -> float:
    """Return a number, infinite where it is none; what is said otherwise where it is left out.

    Raises:
        HandloomError: It is no number, or less than the least.
    """
    found = content.get(key, otherwise)
    if not (_is_number(found) and found >= least):
        raise HandloomError(f"{path}: `{key}` is {found!r}; expected a number{_bound(least)}.")
    return float(found)


def numbers(
    content: dict[str, Any],
    key: str,
    path: Path,
    *,
    count: int,
    least: float = -math.inf,
    infinite: bool = False,
) -> Float64Array:
    """Return a list of numbers (count,).

    Args:
        content: Where it stands.
        key: Its name.
        path: The file.
        count: How many there have to be.
        least: Smallest that is taken.
        infinite: Whether infinity is taken, as for a limit that is none.

    Raises:
        HandloomError: It is missing, of another length, or not of such numbers.
    """
    found = content.get(key)
    if not isinstance(found, list) or not all(_is_number(each) for each in found):
        raise HandloomError(f"{path}: `{key}` is {found!r}; expected a list of {count} numbers.")
    if len(found) != count:
        raise HandloomError(f"{path}: `{key}` has {len(found)} numbers; expected {count}.")
    if not all(each >= least and (infinite or math.isfinite(each)) for each in found):
        told = "" if infinite else "finite "
        raise HandloomError(f"{path}: `{key}` is {found}; expected {told}numbers{_bound(least)}.")
    return np.array(found, dtype=np.float64)


def _is_number(found: Any) -> bool:
    """NaN is none, nor is true."""
    return isinstance(found, (int, float)) and not isinstance(found, bool) and not math.isnan(found)


def _bound(least: float) -> str:
    return "" if least == -math.inf else f" of {least:g} or more"
