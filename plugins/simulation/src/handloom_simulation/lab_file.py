"""The file behind `handloom simulate --settings`: how the lab looks, acts and records, where not as usual."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import attrs

from handloom.config import Document, load_document, structure
from handloom.errors import ConfigError, did_you_mean
from handloom.streams import TrajectoryLayout
from handloom_simulation.filming import WRIST
from handloom_simulation.gripper import STROKE_M, Transform
from handloom_simulation.motions import TakeSettings
from handloom_simulation.recordings import SceneSettings
from handloom_simulation.render import RenderSettings
from handloom_simulation.scene import LabSettings

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class Replay:
    """A recorded path that the gripper follows instead of a motion of its own.

    Attributes:
        file: Poses with their times, as text.
        format: Which of the known formats it has, or "csv" with `columns`.
        columns: Its columns where the format is "csv".
        T_world_origin: Where the file's world lies in the lab, m and quaternion x y z w; None begins where
            demonstrations do.
        T_body_gripper: How the gripper sits on the body that was recorded.
        width_m: How far the jaw is open.
    """

    file: Path
    format: str = "tum"
    columns: TrajectoryLayout | None = None
    T_world_origin: Transform | None = None
    T_body_gripper: Transform = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    width_m: float = attrs.field(
        default=0.9 * STROKE_M,
        validator=attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(STROKE_M)),
    )


@attrs.frozen(kw_only=True)
class LabFile:
    """The tables of the file; what stands in none of them is as it is without the file.

    Attributes:
        take: How quickly and steadily is acted, and what comes in the way.
        lab: What is to be seen.
        wrist: Exposure, shutter, lens and sensor of the wrist camera.
        recording: Devices, their noise, and when they start and stop.
        replay: A recorded path in the place of a motion; None for none.
    """

    take: TakeSettings = attrs.field(factory=TakeSettings)
    lab: LabSettings = attrs.field(factory=LabSettings)
    wrist: RenderSettings = WRIST
    recording: SceneSettings = attrs.field(factory=SceneSettings)
    replay: Replay | None = None


_BY_OPTION: Mapping[tuple[str, ...], str] = MappingProxyType(
    {
        ("take", "duration_s"): "--seconds",
        ("take", "chirps_s"): "--chirp",
        ("recording", "seed"): "--seed",
        ("recording", "workers"): "--workers",
        ("recording", "task"): "--task",
        ("recording", "encoding", "rate"): "--rate",
    }
)
"""What an option of the command says, so that no file need."""


def read_lab_file(path: Path) -> LabFile:
    """Read the file.

    Raises:
        ConfigError: It is missing or no TOML, or something in it is unknown or does not fit; all of it is told.
    """
    document = load_document(path)
    standard, problems = LabFile(), _strange(document)
    tables: dict[str, Any] = {}
    for name in document.tables:
        table = document.table((name,), problems)
        if name == "replay":
            tables[name], told = structure(document, (name,), table, Replay)
            problems += told
        elif name in _NAMES:
            tables[name] = _filled(document, (name,), table, getattr(standard, name), problems)
    if problems:
        raise ConfigError(problems)
    return attrs.evolve(standard, **tables)


_NAMES = tuple(field.name for field in attrs.fields(LabFile))


def _strange(document: Document) -> list[str]:
    """Return a sentence for each table that is not known, and each setting that an option says."""
    unknown = [name for name in document.tables if name not in _NAMES]
    problems = [document.problem((name,), f"unknown table{did_you_mean(name, _NAMES)}") for name in unknown]
    given = [key for key in _BY_OPTION if _holds(document.tables, key)]
    return problems + [document.problem(key, f"leave it out; {_BY_OPTION[key]} says it.") for key in given]


def _holds(tables: Any, key: tuple[str, ...]) -> bool:
    for name in key:
        if not (isinstance(tables, Mapping) and name in tables):
            return False
        tables = tables[name]
    return True


def _filled(
    document: Document, key: tuple[str, ...], table: Mapping[str, Any], standard: T, problems: list[str]
) -> T:
    """Return settings with what a table says in the place of the standard; a table inside it likewise."""
    inner = {name for name, value in table.items() if isinstance(value, Mapping) and _is_settings(standard, name)}
    plain = {name: value for name, value in table.items() if name not in inner and (*key, name) not in _BY_OPTION}
    made, told = structure(document, key, {**_needed(standard, plain), **plain}, type(standard))
    problems += told
    if made is None:
        return standard
    parts = {
        name: _filled(document, (*key, name), table[name], getattr(standard, name), problems) for name in inner
    }
    changed = {name: getattr(made, name) for name in plain}
    return attrs.evolve(standard, **changed, **parts)  # type: ignore[misc]


def _is_settings(standard: Any, name: str) -> bool:
    return attrs.has(type(getattr(standard, name, None)))


def _needed(standard: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return as TOML values the standard ones of settings without a default, such as a tracker's frame."""
    needed = [field.name for field in attrs.fields(type(standard)) if field.default is attrs.NOTHING]
    values = {name: getattr(standard, name) for name in needed if name not in given}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
