"""What a record of telemetry says in an MCAP file, as JSON messages whose keys carry their units."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from handloom_controllers.native.structs import EVENTS, FAULTS, PHASES, REFLEXES, names_of

Row = Mapping[str, Any]
"""A record as plain numbers and lists, by field."""

_XYZ = ("x", "y", "z")
_NUMBER: dict[str, Any] = {"type": "number", "description": "null where it is not known"}
_NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_XYZ_SCHEMA: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(_XYZ, _NUMBER)}


@attrs.frozen(kw_only=True)
class JsonTopic:
    """A channel of numbers.

    Attributes:
        name: "/force".
        schema: Its JSON schema.
        message: Makes a message of a record.
    """

    name: str
    schema: Mapping[str, Any]
    message: Callable[[Row], Mapping[str, Any]]


def json_topics(joints: Sequence[str]) -> tuple[JsonTopic, ...]:
    """Return the channels of numbers.

    Args:
        joints: Names of the joints.
    """
    by_joint = {"type": "object", "properties": dict.fromkeys(joints, _NUMBER)}
    return (
        _topic("joints", dict.fromkeys(_JOINT_FIELDS, by_joint), lambda row: _joints(row, joints)),
        _topic("force", dict.fromkeys(_FORCE_FIELDS, _XYZ_SCHEMA), _force),
        _topic("error", {"position_m": _XYZ_SCHEMA, "rotation_vector_part": _XYZ_SCHEMA}, _error),
        _topic("gripper", dict.fromkeys(("width_m", "reference_m", "force_n"), _NUMBER), _gripper),
        _topic("loop", _LOOP_FIELDS, _loop),
    )


_JOINT_FIELDS = {"position_rad": "q", "velocity_rad_per_s": "dq", "torque_nm": "tau", "command_nm": "tau_command"}
_FORCE_FIELDS = {
    "command_n": ("wrench_command", 0),
    "command_nm": ("wrench_command", 3),
    "measured_n": ("wrench_measured", 0),
    "measured_nm": ("wrench_measured", 3),
}
_LOOP_FIELDS: Mapping[str, Any] = {
    "lateness_us": _NUMBER,
    "compute_us": _NUMBER,
    "missed": {"type": "integer"},
    "chunks": {"type": "integer"},
    "phase": {"type": "string"},
    "faults": _NAMES,
    "events": _NAMES,
    "reflexes": _NAMES,
}


def _topic(name: str, fields: Mapping[str, Any], message: Callable[[Row], Mapping[str, Any]]) -> JsonTopic:
    schema = {"title": f"handloom.control.{name.capitalize()}", "type": "object", "properties": dict(fields)}
    return JsonTopic(name=f"/{name}", schema=schema, message=message)


def _joints(row: Row, joints: Sequence[str]) -> dict[str, Any]:
    # The unused rest of the loop's fixed arrays is left out.
    return {key: _named(joints, row[field][: len(joints)]) for key, field in _JOINT_FIELDS.items()}


def _force(row: Row) -> dict[str, Any]:
    return {key: _named(_XYZ, row[field][at : at + 3]) for key, (field, at) in _FORCE_FIELDS.items()}


def _error(row: Row) -> dict[str, Any]:
    error = row["error"]
    return {"position_m": _named(_XYZ, error[:3]), "rotation_vector_part": _named(_XYZ, error[3:])}


def _gripper(row: Row) -> dict[str, Any]:
    return {
        "width_m": _number(row["width_m"]),
        "reference_m": _number(row["width_reference"]),
        "force_n": _number(row["width_force"]),
    }


def _loop(row: Row) -> dict[str, Any]:
    return {
        "lateness_us": row["lateness_ns"] * 1e-3,
        "compute_us": row["compute_ns"] * 1e-3,
        "missed": row["missed"],
        "chunks": row["chunks"],
        "phase": PHASES[row["phase"]],
        "faults": names_of(row["faults"], FAULTS),
        "events": names_of(row["events"], EVENTS),
        "reflexes": names_of(row["reflexes"], REFLEXES),
    }


def _named(names: Sequence[str], values: Sequence[float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in zip(names, values, strict=True)}


def _number(value: float) -> float | None:
    """Return a number as JSON has it, which knows no NaN."""
    return value if math.isfinite(value) else None
