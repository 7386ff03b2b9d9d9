"""Cameras as tables of plain values, the form a rig file and a store keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from handloom.errors import ConfigError, did_you_mean, nearest
from handloom.geometry.cameras.double_sphere import DoubleSphere
from handloom.geometry.cameras.kannala_brandt import KannalaBrandt
from handloom.geometry.cameras.model import SIZES, CameraModel
from handloom.geometry.cameras.pinhole import Pinhole

_MODELS: dict[str, type[CameraModel]] = {camera.model: camera for camera in (Pinhole, KannalaBrandt, DoubleSphere)}


def camera_from_table(table: Mapping[str, Any]) -> CameraModel:
    """Make a camera of a table: `model` and the fields of that model.

    Args:
        table: Plain values: `model`, one of "pinhole", "kannala_brandt" and "double_sphere"; width, height, fx,
            fy, cx, cy; and the model's own coefficients.

    Raises:
        ConfigError: With every mistake of the table, each as "key: found; expected".
    """
    name = table.get("model")
    if not isinstance(name, str) or name not in _MODELS:
        raise ConfigError([_unknown_model(name)])
    camera = _MODELS[name]
    fields = attrs.fields_dict(camera)
    given = {key: value for key, value in table.items() if key != "model"}
    problems = [
        f"{key}: unknown key of a {name} camera{did_you_mean(key, fields)}" for key in given if key not in fields
    ]
    problems += [
        f"{key}: missing; a {name} camera needs it."
        for key, field in fields.items()
        if key not in given and field.default is attrs.NOTHING
    ]
    # A stand-in for what is missing lets the values that are there be checked as well.
    values = {key: 1 for key, field in fields.items() if field.default is attrs.NOTHING}
    values |= {key: _number(key, value) for key, value in given.items() if key in fields}
    try:
        made = camera(**values)
    except ConfigError as error:
        raise ConfigError([*problems, *error.problems]) from error
    if problems:
        raise ConfigError(problems)
    return made


def _unknown_model(name: Any) -> str:
    found = "missing" if name is None else f"found {name!r}"
    return f"model: {found}; expected one of {', '.join(sorted(_MODELS))}{nearest(name, _MODELS)}"


def _number(key: str, value: Any) -> Any:
    """Return a whole TOML number as a float where the field is one, so that 500 and 500.0 make equal cameras."""
    return float(value) if key not in SIZES and type(value) is int else value
