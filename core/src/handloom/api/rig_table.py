"""A rig from a table of plain values: a `[rig]` of a TOML file, or what `Rig.to_table` wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handloom.api.checked_table import CheckedTable, Problems, is_number
from handloom.api.rig import Rig
from handloom.api.seconds import nanoseconds
from handloom.errors import ClockError, ConfigError, FrameError
from handloom.geometry import CameraModel, FrameTree, camera_from_table
from handloom.time import ClockMap, ClockMaps
from handloom.time.stamp import INT64_LIMIT

UNIT_TOLERANCE = 1e-4
"""How far a typed quaternion may be from norm 1 before it counts as a mistake: four digits are off by 1e-5."""

_ROUNDING = 1e-15
_SLOWEST_PPM = -999_999.0
"""At -1000000 ppm the reference would stand still."""


def rig_from_table(table: Mapping[str, Any]) -> Rig:
    """Make a rig of the `rig` table of a configuration.

    Args:
        table: A configuration with `rig`: `name`; `frames.CHILD` with parent, translation_m and rotation_xyzw;
            `cameras.DEVICE` with a camera's table; `clocks.CLOCK`, one table or several, which map stamps of CLOCK
            to `reference`, with offset_s or offset_ns, uncertainty_s or uncertainty_ns, and optionally drift_ppm,
            drift_uncertainty_ppm and origin_ns.

    Raises:
        ConfigError: With every mistake, each as "rig.block.name.key: found; expected".
    """
    problems = Problems()
    rig = CheckedTable(table.get("rig"), "rig", problems)
    rig.only("name", "frames", "cameras", "clocks")
    name = rig.text("name", optional=True)
    frames = _frames(rig.tables("frames"))
    cameras = _cameras(rig.tables("cameras"))
    clock_maps = _clock_maps(rig)
    if problems.sentences:
        raise ConfigError(problems.sentences)
    return Rig(name=name, frames=frames, cameras=cameras, clock_maps=clock_maps)


def _frames(tables: Mapping[str, CheckedTable]) -> FrameTree:
    tree = FrameTree()
    for child, table in tables.items():
        table.only("parent", "translation_m", "rotation_xyzw")
        parent = table.text("parent")
        translation = table.numbers("translation_m", 3, "metres x y z")
        rotation = _unit_quaternion(table)
        if parent and translation and rotation:
            try:
                tree = tree.with_static(parent, child, [*translation, *rotation])
            except FrameError as error:
                table.problem("parent", f"found '{parent}'; expected a frame that can be its parent: {error}")
    return tree


def _unit_quaternion(table: CheckedTable) -> list[float]:
    """Return the quaternion with the rounding of its digits removed; empty when it is not one."""
    values = table.numbers("rotation_xyzw", 4, "a unit quaternion x y z w")
    norm = float(np.linalg.norm(values)) if values else 1.0
    if abs(norm - 1.0) > UNIT_TOLERANCE:
        unit = f" such as {(np.array(values) / norm).round(9).tolist()}" if 0.0 < norm < np.inf else ""
        table.problem("rotation_xyzw", f"found norm {norm:.6g}; expected a unit quaternion x y z w{unit}.")
        return []
    return [value / norm for value in values] if abs(norm - 1.0) > _ROUNDING else values


def _cameras(tables: Mapping[str, CheckedTable]) -> dict[str, CameraModel]:
    cameras: dict[str, CameraModel] = {}
    for name, table in tables.items():
        if table.values is None:
            continue
        try:
            cameras[name] = camera_from_table(table.values)
        except ConfigError as error:
            for problem in error.problems:
                table.problems.add(f"{table.path}.{problem}")
    return cameras


def _clock_maps(rig: CheckedTable) -> ClockMaps:
    maps = ClockMaps()
    for clock, tables in rig.lists_of_tables("clocks").items():
        for table in tables:
            known = _clock_map(clock, table)
            if known is None:
                continue
            try:
                maps = maps.with_map(known)
            except ClockError as error:
                table.problem(
                    "reference", f"found '{known.target}'; expected one map for a pair of clocks: {error}"
                )
    return maps


def _clock_map(clock: str, table: CheckedTable) -> ClockMap | None:
    table.only(
        *("reference", "offset_s", "offset_ns", "origin_ns", "drift_ppm", "drift_uncertainty_ppm"),
        *("uncertainty_s", "uncertainty_ns"),
    )
    before = len(table.problems.sentences)
    reference = table.text("reference")
    offset_ns = _duration_ns(table, "offset")
    uncertainty_ns = _uncertainty_ns(table)
    origin_ns = table.integer_ns("origin_ns", default=0)
    drift_ppm = table.number("drift_ppm", default=0.0, least=_SLOWEST_PPM)
    drift_uncertainty_ppm = table.number("drift_uncertainty_ppm", default=0.0, least=0.0)
    if len(table.problems.sentences) > before or table.values is None:
        return None
    return ClockMap(
        source=clock,
        target=reference,
        offset_ns=offset_ns,
        origin_ns=origin_ns,
        drift_ppm=drift_ppm,
        uncertainty_ns=uncertainty_ns,
        drift_uncertainty_ppm=drift_uncertainty_ppm,
    )


def _duration_ns(table: CheckedTable, what: str) -> int:
    """Read `WHAT_s` or `WHAT_ns`, exactly one of which must be there."""
    seconds, whole = f"{what}_s", f"{what}_ns"
    if not table.one_of(seconds, whole):
        return 0
    if whole in table:
        return table.integer_ns(whole)
    ns = nanoseconds(table[seconds])
    if ns is None:
        expected = "seconds as a number, or as digits in quotes where 16 digits are not enough"
        table.problem(seconds, f"found {table[seconds]!r}; expected {expected}.")
    return ns or 0


def _uncertainty_ns(table: CheckedTable) -> float:
    """Read `uncertainty_s` or `uncertainty_ns`; a map that nobody can doubt is not a measurement."""
    if not table.one_of("uncertainty_s", "uncertainty_ns"):
        return 0.0
    key, factor = ("uncertainty_ns", 1.0) if "uncertainty_ns" in table else ("uncertainty_s", 1e9)
    value = table[key]
    if not is_number(value) or not 0.0 <= value * factor < INT64_LIMIT:
        table.problem(key, f"found {value!r}; expected one standard deviation, not negative.")
        return 0.0
    return float(value) * factor
