"""The lines above the numbers of a Motive CSV, read by what they say of themselves, not by where they stand."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import attrs

from handloom.errors import RecordingError

TESTED_VERSIONS = ("1.22", "1.23", "1.24")

_LABELS = ("type", "name", "id", "parent")
_METRES: Mapping[str, float] = MappingProxyType(
    {"meters": 1.0, "metres": 1.0, "centimeters": 100.0, "millimeters": 1000.0, "millimetres": 1000.0}
)
"""By how much a length is divided to give metres, by Length Units in lower case."""

_MOST_HEADER_LINES = 20
"""Twice what any version writes; beyond, the file is something else."""


@attrs.frozen(kw_only=True)
class MotiveHeader:
    """What is above the numbers.

    Attributes:
        name: The file's name, for messages.
        take: The first line's values by key in lower case: "format version", "export frame rate", ...
        rows: The labelled rows in lower-case label: "type", "name", "id", "measure", "axis"; one cell a column.
        lines: How many lines of the file it takes.
    """

    name: str
    take: Mapping[str, str]
    rows: Mapping[str, tuple[str, ...]]
    lines: int

    @property
    def version(self) -> str:
        """Format version, "1.23"."""
        return self.take.get("format version", "")

    def rate_hz(self) -> float:
        """Return the rate that frame numbers count in.

        Raises:
            RecordingError: The file says none, or no number.
        """
        text = self.take.get("export frame rate") or self.take.get("capture frame rate") or ""
        try:
            rate = float(text)
        except ValueError:
            rate = 0.0
        if not 0.0 < rate < 1e6:
            raise RecordingError(
                f"{self.name}: Export Frame Rate is '{text}'; expected frames per second. The time column is too "
                "roughly rounded to do without."
            )
        return rate

    def per_metre(self) -> float:
        """Return how many of the file's units of length are in a metre.

        Raises:
            RecordingError: The file does not say, or says something unknown.
        """
        text = self.take.get("length units", "")
        if text.lower() not in _METRES:
            raise RecordingError(
                f"{self.name}: Length Units is '{text}'; expected Meters, Centimeters or Millimeters. Export "
                "again with one of them."
            )
        return _METRES[text.lower()]

    def check(self) -> None:
        """Refuse what the poses could not be read from.

        Raises:
            RecordingError: Rotations are not quaternions, or poses are relative to something unsaid.
        """
        rotation, space = self.take.get("rotation type", ""), self.take.get("coordinate space", "Global")
        if rotation.lower() != "quaternion":
            raise RecordingError(
                f"{self.name}: Rotation Type is '{rotation}'; expected Quaternion. Export again with it: angles "
                "have an order and a sign that the file does not tell."
            )
        if space.lower() != "global":
            raise RecordingError(
                f"{self.name}: Coordinate Space is '{space}'; expected Global. Export again with it."
            )


def read_header(name: str, lines: Iterable[str]) -> MotiveHeader:
    """Read the lines down to the one that begins with "Frame"; leaves an iterator at the first row of numbers.

    Raises:
        RecordingError: It is no Motive export, or has no such line.
    """
    above: list[list[str]] = []
    for cells in csv.reader(lines):
        if cells and cells[0].strip().lower() == "frame":
            return _header(name, above, cells)
        above.append(cells)
        if not _is_motive(above[0]) or len(above) > _MOST_HEADER_LINES:
            break
    first = ",".join(above[0])[:40] if above else ""
    if above and _is_motive(above[0]):
        raise RecordingError(f"{name}: no line begins with Frame; expected one above the numbers.")
    raise RecordingError(
        f"{name}: begins with '{first}'; expected 'Format Version,1.23,...', as Motive's CSV export does."
    )


def _is_motive(cells: list[str]) -> bool:
    return bool(cells) and cells[0].strip().lower() == "format version"


def _header(name: str, above: list[list[str]], axis: list[str]) -> MotiveHeader:
    rows = {"axis": tuple(cell.strip() for cell in axis)}
    for cells in above[1:]:
        label = next((cell.strip().lower() for cell in cells[:2] if cell.strip()), "")
        measure = any(cell.strip().lower() in ("rotation", "position") for cell in cells[2:])
        if label in _LABELS or measure:
            rows["measure" if measure and label not in _LABELS else label] = tuple(cell.strip() for cell in cells)
    return MotiveHeader(
        name=name, take=MappingProxyType(_pairs(above[0])), rows=MappingProxyType(rows), lines=len(above) + 1
    )


def _pairs(cells: list[str]) -> dict[str, str]:
    """Return keys and values of the first line; the key of a note with commas in it swallows the rest."""
    known = [cell.strip() for cell in cells]
    keys = {cell.lower(): place for place, cell in reversed(list(enumerate(known))) if cell.lower() in _KEYS}
    return {key: known[place + 1] if place + 1 < len(known) else "" for key, place in sorted(keys.items())}


_KEYS = (
    *("format version", "take name", "take notes", "capture frame rate", "export frame rate"),
    *("capture start time", "capture start frame", "total frames in take", "total exported frames"),
    *("rotation type", "length units", "coordinate space"),
)
