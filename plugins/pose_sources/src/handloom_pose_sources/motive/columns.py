"""Which columns of a Motive CSV hold a rigid body, by the labels above them."""

from __future__ import annotations

from collections import Counter

import attrs

from handloom.errors import RecordingError, did_you_mean
from handloom_pose_sources.motive.header import MotiveHeader

_MARKER_ERROR = ("mean marker error", "error per marker")
_LISTED = 12
"""Names that a message lists at the most."""


@attrs.frozen(kw_only=True)
class BodyColumns:
    """Where a rigid body's numbers stand.

    Attributes:
        body: Its name in Motive.
        position: Columns of x, y, z.
        rotation: Columns of the quaternion's x, y, z, w.
        marker_error: Column of the mean marker error; None where it was not exported.
    """

    body: str
    position: tuple[int, ...]
    rotation: tuple[int, ...]
    marker_error: int | None


@attrs.frozen
class _Column:
    """What stands above one column, in lower case but for the name."""

    place: int
    type: str
    name: str
    measure: str
    axis: str


def body_columns(header: MotiveHeader, wanted: str) -> BodyColumns:
    """Return the columns of one rigid body.

    Args:
        header: What is above the numbers.
        wanted: Its name as in Motive; "" takes the only one there is.

    Raises:
        RecordingError: There is no such body, none at all, several to choose from, or its columns are incomplete.
    """
    columns = _columns(header)
    bodies = [column for column in columns if column.type in ("rigid body", "") and column.measure]
    names = list(dict.fromkeys(column.name for column in bodies if column.measure == "rotation"))
    name = _chosen(header, columns, names, wanted)
    own = [column for column in bodies if column.name == name]
    return BodyColumns(
        body=name,
        position=tuple(_only(header, own, "position", axis) for axis in "xyz"),
        rotation=tuple(_only(header, own, "rotation", axis) for axis in "xyzw"),
        marker_error=next((column.place for column in own if column.measure in _MARKER_ERROR), None),
    )


def _columns(header: MotiveHeader) -> list[_Column]:
    if "measure" not in header.rows:
        raise RecordingError(
            f"{header.name}: no line above the numbers says which columns are Rotation and which Position."
        )

    def cell(row: str, place: int) -> str:
        cells = header.rows.get(row, ())
        return cells[place] if place < len(cells) else ""

    return [
        _Column(
            place=place,
            type=cell("type", place).lower(),
            name=cell("name", place) or cell("id", place),
            measure=cell("measure", place).lower(),
            axis=cell("axis", place).lower(),
        )
        for place in range(2, len(header.rows["axis"]))
    ]


def _chosen(header: MotiveHeader, columns: list[_Column], names: list[str], wanted: str) -> str:
    if not names:
        raise RecordingError(
            f"{header.name}: holds no rigid body but {_inventory(columns)}. Make a rigid body of the tool's "
            "markers in Motive and export the take again."
        )
    if not wanted and len(names) > 1:
        raise RecordingError(
            f"{header.name}: holds {len(names)} rigid bodies, {_listed(names)}; choose one with rigid_body."
        )
    if wanted and wanted not in names:
        raise RecordingError(f"{header.name}: has no rigid body '{wanted}'{_instead(wanted, names)}")
    return wanted or names[0]


def _inventory(columns: list[_Column]) -> str:
    """Say what a file holds: how many markers, bones or whatever else, with their names."""
    named = {(column.type or "unlabelled column", column.name): None for column in columns}
    if not named:
        return "nothing"
    counts = Counter(kind for kind, _ in named)
    whole = " and ".join(f"{count} of type '{kind}'" for kind, count in sorted(counts.items()))
    return f"{whole} ({_listed([name for _, name in named])})"


def _listed(names: list[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(f"'{name}'" for name in names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _instead(wanted: str, names: list[str]) -> str:
    near = did_you_mean(wanted, names)
    return near if near != "." else f"; it has {_listed(names)}."


def _only(header: MotiveHeader, own: list[_Column], measure: str, axis: str) -> int:
    places = [column.place for column in own if (column.measure, column.axis) == (measure, axis)]
    if len(places) != 1:
        raise RecordingError(
            f"{header.name}: rigid body '{own[0].name}' has {len(places)} columns {measure.capitalize()} "
            f"{axis.upper()}; expected one. Do two bodies have one name?"
        )
    return places[0]
