"""What a session's metadata.json says, read so that a broken file costs only what stood in it.

The Pi rewrites the file in place, and writes the anchors of its clocks only when it is shut down cleanly: after a
crash they are missing, or the file breaks off.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from handloom_sensors.timecode import iso_ns

METADATA = "metadata.json"

EARLIEST_EPOCH_NS = 1_000_000_000_000_000_000
"""Stamps from here on (September 2001) count from 1970; smaller ones from when the Pi was started."""


@attrs.frozen(kw_only=True)
class Metadata:
    """What the file says.

    Attributes:
        values: As written; empty when the file is missing or broken.
        notes: What is wrong with it.
    """

    values: Mapping[str, Any] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()

    def number(self, key: str) -> float | None:
        """Return a number; None where there is none."""
        value = self.values.get(key)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def whole(self, key: str) -> int | None:
        """Return a whole number, every digit of it; None where there is none."""
        return _whole(self.values.get(key))

    def text(self, key: str) -> str:
        """Return a text; "" where there is none."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def instant_ns(self, key: str) -> int | None:
        """Return an ISO 8601 time as int64 ns since 1970; one without a zone is UTC. None where there is none."""
        return iso_ns(self.text(key))

    def size(self) -> tuple[int, int] | None:
        """Return the (width, height) that the camera was configured to; None where the file does not say."""
        value = self.values.get("camera_resolution")
        if isinstance(value, list) and len(value) == 2 and all(_whole(side) for side in value):
            return int(value[0]), int(value[1])
        return None

    def anchor(self) -> tuple[int | None, int | None]:
        """Return (SensorTimestamp, FrameWallClock) of the first frame's metadata, ns; None for what is missing."""
        frame = self.values.get("first_frame_metadata")
        if not isinstance(frame, Mapping):
            return None, None
        return _whole(frame.get("SensorTimestamp")), _whole(frame.get("FrameWallClock"))


def read_metadata(session: Path) -> Metadata:
    """Read the metadata of a session; whatever is wrong with the file is said in the notes."""
    path = session / METADATA
    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text, parse_float=_finite, parse_constant=lambda name: None)
    except FileNotFoundError:
        return Metadata(notes=(f"There is no {METADATA}. {_COST}",))
    except (OSError, UnicodeDecodeError) as error:
        return Metadata(notes=(f"{METADATA} can't be read ({error.__class__.__name__}). {_COST}",))
    except json.JSONDecodeError as error:
        return Metadata(
            notes=(
                f"{METADATA} is no whole JSON ({error.msg} in line {error.lineno}), as when power was lost while "
                f"it was written. {_COST}",
            )
        )
    except (RecursionError, ValueError):  # brackets without end, a number of more digits than Python reads
        return Metadata(notes=(f"{METADATA} is no JSON that a Pi writes. {_COST}",))
    if not isinstance(values, dict):
        return Metadata(notes=(f"{METADATA} holds {type(values).__name__} in place of a table. {_COST}",))
    version = values.get("file_version", 1)
    odd = () if version == 1 else (f"{METADATA} has file_version {version}; 1 is known, and it is read as that.",)
    return Metadata(values=values, notes=odd)


_COST = (
    "Lost with it: when the sound began, how the Pi's clock relates to the date, and what tells whether the GoPro "
    "file belongs to this session."
)


def _finite(digits: str) -> float | None:
    """Return a number; None for one beyond every float, as for NaN: no record of the store could hold it."""
    value = float(digits)
    return value if math.isfinite(value) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
