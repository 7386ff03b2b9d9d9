"""How the Pi's own clock relates to the date, and OptiTrack's to both."""

from __future__ import annotations

from typing import Any

import attrs

from handloom.api import clock_map_stream
from handloom.streams import Samples
from handloom.time import ClockMap
from handloom_sensors.polyumi_session.metadata import EARLIEST_EPOCH_NS, Metadata

PI, WALL, OPTITRACK = "@/pi", "@/wall", "optitrack"

ANCHOR_UNCERTAINTY_NS = 1e6
"""How well a frame's FrameWallClock goes with its SensorTimestamp. Source: libcamera, control FrameWallClock: both
are of one instant, the first recovered from the second by a fit to readings that come a fraction of a ms late."""

_CRYSTALS_PPM = 50.0
"""How differently two common crystals may run."""

DRIFT_UNCERTAINTY_PPM = 1.0
"""One pair gives no rate. Both clocks of a Linux machine run on one oscillator; NTP turns them alike."""

ESYNC_UNCERTAINTY_NS = 5e6
"""The Pi takes the date when its program hears of the edge; it was busy recording when it did."""

_SAME_BOOT_NS = 3_600_000_000_000
"""An anchor further than an hour from the first frame was not made in this recording."""


@attrs.frozen(kw_only=True)
class PiClock:
    """What is known of the clock "@/pi", that of the finger camera's stamps.

    Attributes:
        to_wall: The map to the date; None where nothing tells it.
        method: Where it comes from.
        notes: What the person who recorded should know.
    """

    to_wall: ClockMap | None
    method: str = ""
    notes: tuple[str, ...] = ()

    def place(self, stamp: int | None) -> int | None:
        """Return an instant on the Pi's clock, told as a date or on that clock; None where nothing tells it."""
        return self.from_wall(stamp) if stamp is not None and stamp >= EARLIEST_EPOCH_NS else stamp

    def from_wall(self, stamp: int) -> int | None:
        """Return an instant of the date on the Pi's clock; None where nothing tells it."""
        return None if self.to_wall is None else int(self.to_wall.inverse().apply(stamp))

    def wall(self, stamp: int | None) -> int | None:
        """Return the date of an instant told as a date or on the Pi's clock; None where nothing tells it."""
        if stamp is None or stamp >= EARLIEST_EPOCH_NS:
            return stamp
        return None if self.to_wall is None else int(self.to_wall.apply(stamp))

    def stream(self) -> Samples | None:
        """Return the map as a stream."""
        return None if self.to_wall is None else clock_map_stream(self.to_wall, {"method": self.method})


def pi_clock(metadata: Metadata, first_stamp: int | None) -> PiClock:
    """Find out how the stamps relate to the date.

    Args:
        metadata: The session's metadata.
        first_stamp: The first frame's stamp; None without frames.
    """
    sensor, wall = metadata.anchor()
    if first_stamp is not None and first_stamp >= EARLIEST_EPOCH_NS:
        return PiClock(
            to_wall=_map(0, first_stamp),
            method="the frames are stamped with the date",
            notes=(
                "The finger camera's stamps are dates and not times since the Pi was started; used as they are.",
            ),
        )
    if sensor is None or wall is None:
        return PiClock(to_wall=None, notes=(_lost(sensor, wall),))
    if first_stamp is not None and abs(first_stamp - sensor) > _SAME_BOOT_NS:
        return PiClock(to_wall=None, notes=(_foreign(first_stamp, sensor),))
    return PiClock(to_wall=_map(wall - sensor, sensor), method="FrameWallClock and SensorTimestamp of one frame")


def _map(offset_ns: int, origin_ns: int) -> ClockMap:
    return ClockMap(
        source=PI,
        target=WALL,
        offset_ns=offset_ns,
        origin_ns=origin_ns,
        uncertainty_ns=ANCHOR_UNCERTAINTY_NS,
        drift_uncertainty_ppm=DRIFT_UNCERTAINTY_PPM,
    )


def _lost(sensor: int | None, wall: int | None) -> str:
    missing = [name for name, value in (("SensorTimestamp", sensor), ("FrameWallClock", wall)) if value is None]
    return (
        f"The session's metadata hold no {' and no '.join(missing)} of the first frame, which are written only "
        f"when the Pi is shut down cleanly: the Pi's clock can't be mapped to the date, so what is dated (sound, "
        f"OptiTrack) can't be placed beside the finger camera's frames."
    )


def _foreign(first_stamp: int, sensor: int) -> str:
    return (
        f"Frame 0 is stamped {first_stamp * 1e-9:.3f} s, the anchor in the metadata {sensor * 1e-9:.3f} s: "
        f"they are not of one recording, so the Pi's clock is not mapped to the date."
    )


def optitrack_map(metadata: Metadata) -> Samples | None:
    """Return OptiTrack's clock, 0 at the start of its take, mapped to the date; None without a take."""
    start = metadata.instant_ns("optitrack_start_time")
    if start is None:
        return None
    known = ClockMap(
        source=OPTITRACK,
        target=WALL,
        offset_ns=start,
        uncertainty_ns=ESYNC_UNCERTAINTY_NS,
        drift_uncertainty_ppm=_CRYSTALS_PPM,
    )
    attributes: dict[str, Any] = {"method": "optitrack_start_time, when the Pi heard of the eSync edge"}
    return clock_map_stream(known, attributes)
