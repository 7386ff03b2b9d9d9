"""Makes the receiver's fixes into streams: position, speed, time, and how far each can be trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom.streams import Samples
from handloom_sensors.gopro.inertial import Made
from handloom_sensors.gopro.names import TYPES
from handloom_sensors.gopro.placing import Placed
from handloom_sensors.gpmf.decoding import whole_number
from handloom_sensors.gpmf.klv import Item

FloatArray = npt.NDArray[np.float64]

LOCKED = 2
"""Least fix that is a position: 0 is none, 2 flat, 3 in space. Source: gpmf-parser README, GPSF."""

_EPOCH_2000_S = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
_GPSU = re.compile(rb"(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})\.(\d{3})")
_ALTITUDES = {"MSLV": "mean sea level"}


@attrs.frozen(kw_only=True)
class _Fixes:
    """One receiver's output: a row a sample, and quality either a row a sample or a row a payload."""

    placed: Placed
    table: FloatArray
    fix: FloatArray
    fix_of_row: FloatArray
    dop: FloatArray
    time_s: FloatArray
    per_payload: bool
    notes: tuple[str, ...] = ()


def gps_streams(placed: Mapping[str, Placed]) -> Made:
    """Make the GPS streams, from GPS9 where there is one, else from GPS5.

    Rows without a lock are NaN in `gps` and `gps_speed`: what a receiver repeats before it has a fix is no place.
    `gps_fix`, `gps_dop` and `gps_time` (UTC, seconds since 1970) keep every row.
    """
    if "GPS9" in placed and len(placed["GPS9"].stream.types) == 9:
        fixes = _from_gps9(placed["GPS9"])
    elif "GPS5" in placed and len(placed["GPS5"].stream.types) == 5:
        fixes = _from_gps5(placed["GPS5"])
    else:
        return Made()
    return Made(_streams(fixes), (*fixes.notes, *_lock_notes(fixes)), frozenset({fixes.placed.stream.key}))


def _from_gps9(placed: Placed) -> _Fixes:
    table = placed.stream.scaled()
    return _Fixes(
        placed=placed,
        table=table[:, :5],
        fix=table[:, 8],
        fix_of_row=table[:, 8],
        dop=table[:, 7],
        time_s=_EPOCH_2000_S + table[:, 5] * 86400 + table[:, 6],
        per_payload=False,
    )


def _from_gps5(placed: Placed) -> _Fixes:
    parts = [part for part in placed.stream.parts if len(part)]
    properties = [part.properties for part in parts]
    fix = np.array([_number(found.get("GPSF")) for found in properties])
    times = np.array([_utc_s(found.get("GPSU")) for found in properties])
    garbage = int(np.isnan(times).sum())
    notes = (f"GPS gave no readable time (GPSU) in {garbage} of {len(times)} payloads.",) if garbage else ()
    return _Fixes(
        placed=placed,
        table=placed.stream.scaled(),
        fix=fix,
        fix_of_row=np.repeat(fix, [len(part) for part in parts]),
        dop=np.array([_number(found.get("GPSP")) for found in properties]) / 100,
        time_s=times,
        per_payload=True,
        notes=notes,
    )


def _number(item: Item | None) -> float:
    try:
        value = whole_number(item)
    except RecordingError:
        # A damaged quality is an unknown one; the position is then no locked one either.
        value = None
    return float("nan") if value is None else float(value)


def _utc_s(item: Item | None) -> float:
    """Return GPSU, yymmddhhmmss.sss, as seconds since 1970; NaN when it is no such time."""
    match = _GPSU.fullmatch(item.data.split(b"\0", 1)[0].strip()) if item is not None else None
    if match is None:
        return float("nan")
    year, month, day, hour, minute, second, thousandth = (int(group) for group in match.groups())
    try:
        return datetime(2000 + year, month, day, hour, minute, second, thousandth * 1000, tzinfo=UTC).timestamp()
    except ValueError:
        return float("nan")


def _streams(fixes: _Fixes) -> dict[str, Samples]:
    locked = fixes.fix_of_row >= LOCKED
    table = np.where(locked[:, None], fixes.table, np.nan)
    share = float(locked.mean()) if len(locked) else 0.0
    item = fixes.placed.stream.property("GPSA")
    system = item.data.decode("latin-1") if item is not None else ""
    quality = {"gps_fix": fixes.fix, "gps_dop": fixes.dop, "gps_time": fixes.time_s}
    return {
        "gps": fixes.placed.samples(
            TYPES["gps"], table[:, :3].copy(), locked_share=share, altitude_above=_ALTITUDES.get(system, system)
        ),
        "gps_speed": fixes.placed.samples(TYPES["gps_speed"], table[:, 3:5].copy(), columns=["2D", "3D"]),
        **{name: _quality(fixes, name, rows) for name, rows in quality.items()},
    }


def _quality(fixes: _Fixes, name: str, rows: FloatArray) -> Samples:
    if not fixes.per_payload:
        return fixes.placed.samples(TYPES[name], rows.copy())
    stamps = fixes.placed.payload_stamps()
    return Samples(type=TYPES[name], data=rows, stamps=stamps, attributes=fixes.placed.attributes())


def _lock_notes(fixes: _Fixes) -> list[str]:
    lost = int((~(fixes.fix_of_row >= LOCKED)).sum())
    if not lost:
        return []
    return [f"GPS had no lock for {lost} of {len(fixes.fix_of_row)} positions; those are NaN."]
