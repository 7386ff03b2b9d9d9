"""Puts telemetry streams on the device's clock: the one on which video frame 0 keeps its container stamp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom.streams import Samples, StreamType, rate_hz, stamps_at
from handloom_sensors.gpmf.counting import shares_of
from handloom_sensors.gpmf.telemetry import Device, Payload, Telemetry, TelemetryStream
from handloom_sensors.gpmf.timing import Timing, Zero, place, zeros_of

Int64Array = npt.NDArray[np.int64]

FRAME_KEYS = ("CORI", "SHUT", "ISOE", "ISOG")
"""Streams with one sample a frame, the ones to be trusted first: their first STMP is that of the first frame."""


@attrs.frozen(kw_only=True, eq=False)
class Placed:
    """A stream with the time of its samples.

    Attributes:
        stream: The stream.
        timing: When its samples were taken.
    """

    stream: TelemetryStream
    timing: Timing

    def stamps(self) -> Int64Array:
        """Return one stamp a sample, (N,) int64 ns."""
        return stamps_at(self.timing.knots, np.arange(self.timing.count))

    def payload_stamps(self) -> Int64Array:
        """Return the stamp of the first sample of each payload that has any, (payloads,) int64 ns."""
        counts = [len(part) for part in self.stream.parts if len(part)]
        return stamps_at(self.timing.knots, np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64))

    def rate_hz(self) -> float:
        """Return the mean sample rate."""
        return rate_hz(self.timing.knots)

    def samples(self, type_: StreamType, data: npt.NDArray[Any], **attributes: Any) -> Samples:
        """Return samples of one row a sample, with what is known of their time as attributes."""
        own = {**self.attributes(), **attributes}
        if len(data) < 2:
            return Samples(type=type_, data=data, stamps=self.stamps(), attributes=own)
        return Samples(type=type_, data=data, knots=self.timing.knots, attributes=own)

    def attributes(self) -> dict[str, Any]:
        """Return what the file says of the stream and how well its time is known."""
        return {
            "fourcc": self.stream.key,
            "title": self.stream.title,
            "units": list(self.stream.units),
            "time_from": self.timing.source,
            "residual_ms": self.timing.residual_ns * 1e-6,
            "lost_samples": self.timing.lost,
        }


def main_device(telemetry: Telemetry) -> Device:
    """Return the camera: device 1, or the first when there is none."""
    devices = telemetry.devices
    return next((device for device in devices if device.id == "1"), devices[0])


def place_all(
    telemetry: Telemetry, payloads: Sequence[Payload], first_frames_ns: Sequence[int], end_ns: int
) -> tuple[tuple[Placed, ...], tuple[str, ...]]:
    """Place every stream that has samples.

    Args:
        telemetry: What the payloads say.
        payloads: The payloads, their `pts_ns` on the device's clock.
        first_frames_ns: Stamp of each chapter's first frame.
        end_ns: Stamp at which the last frame ends.

    Returns:
        The streams, and notes about what was lost or not believed.
    """
    zeros, notes = _zeros(telemetry, payloads, first_frames_ns)
    placed = []
    for stream in telemetry.streams:
        shares = shares_of(stream, payloads)
        if not shares:
            continue
        who = f"{stream.key} of {stream.device.name or stream.device.id}"
        try:
            timing = place(shares, zeros, end_ns=end_ns)
        except RecordingError as error:
            notes.append(f"{who} can't be placed in time and is left out: {error}")
            continue
        notes += [f"{who}: {note}." for note in timing.notes]
        placed.append(Placed(stream=stream, timing=timing))
    return tuple(placed), tuple(notes)


def _zeros(
    telemetry: Telemetry, payloads: Sequence[Payload], first_frames_ns: Sequence[int]
) -> tuple[tuple[Zero | None, ...], list[str]]:
    camera = main_device(telemetry)
    for key in FRAME_KEYS:
        stream = telemetry.find(key, camera)
        zeros = zeros_of(shares_of(stream, payloads), first_frames_ns) if stream is not None else ()
        if any(zero is not None for zero in zeros):
            return zeros, [
                f"The telemetry of chapter {chapter + 1} stamps no {key}; its samples are placed by the container."
                for chapter, zero in enumerate(zeros)
                if zero is None
            ]
    stamped = any(part.stamp_us is not None for stream in telemetry.streams for part in stream.parts)
    lone = (
        "Streams carry STMP but none that has a sample a frame; all are placed by the container's times instead."
    )
    return (None,) * len(first_frames_ns), [lone] if stamped else []
