"""Read the data files of arms: TOML whose mistakes become sentences that name file and key."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError, did_you_mean

Float64Array = npt.NDArray[np.float64]


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
    found = content.get(key)
    if not isinstance(found, dict):
        raise HandloomError(f"{path}: the table [{key}] is missing.")
    return found


def text(content: dict[str, Any], key: str, path: Path) -> str:
    """Return a text.

    Raises:
        HandloomError: It is missing or empty.
    """
    found = content.get(key)
    if not isinstance(found, str) or not found:
        raise HandloomError(f'{path}: `{key} = "..."` is missing.')
    return found


def numbers(content: dict[str, Any], key: str, path: Path, *, count: int) -> Float64Array:
    """Return a list of numbers (count,).

    Raises:
        HandloomError: It is missing, of another length, or not of numbers.
    """
    found = content.get(key)
    if not isinstance(found, list) or not all(isinstance(each, (int, float)) for each in found):
        raise HandloomError(f"{path}: `{key}` is {found!r}; expected a list of {count} numbers.")
    if len(found) != count:
        raise HandloomError(f"{path}: `{key}` has {len(found)} numbers; expected {count}.")
    return np.array(found, dtype=np.float64)
