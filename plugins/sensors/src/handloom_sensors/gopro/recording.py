"""Turns what was read of a GoPro's files into streams, attributes and notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from handloom.api import Outputs
from handloom.errors import RecordingError
from handloom.media import MediaInfo
from handloom.streams import Samples, Stream, Video
from handloom_sensors.gopro.extras import extra_streams
from handloom_sensors.gopro.gps import gps_streams
from handloom_sensors.gopro.inertial import Made, filter_streams, inertial_streams
from handloom_sensors.gopro.names import SCALARS, TYPES
from handloom_sensors.gopro.placing import Placed, main_device, place_all
from handloom_sensors.gpmf.decoding import numbers
from handloom_sensors.gpmf.klv import Item
from handloom_sensors.gpmf.reading import read_telemetry
from handloom_sensors.gpmf.telemetry import Payload, Telemetry

_SHORT_NS = 100_000_000
"""Motion data that end this much before the pictures do are worth a note."""


@attrs.frozen(kw_only=True, eq=False)
class Recording:
    """What was read of the files, before it becomes streams.

    Attributes:
        video: The pictures of all chapters.
        info: What the first chapter says of itself.
        payloads: Telemetry of all chapters, on the device's clock.
        settings: The camera's settings by FourCC.
    """

    video: Video
    info: MediaInfo
    payloads: tuple[Payload, ...]
    settings: Mapping[str, str | float]

    def telemetry(self, orientation: str, taken: Mapping[str, Stream]) -> Outputs:
        """Make streams of all telemetry.

        Args:
            orientation: ORIN to go by where the camera recorded none; "" for none.
            taken: Streams there are already; their names are not used again.

        Raises:
            RecordingError: The telemetry is garbage.
        """
        telemetry = read_telemetry(self.payloads)
        placed, notes = place_all(telemetry, self.payloads, self.first_frames_ns(), self.end_ns())
        camera = main_device(telemetry)
        own = {one.stream.key: one for one in reversed(placed) if one.stream.device == camera}
        made = [inertial_streams(own, orientation), filter_streams(own), gps_streams(own), _scalars(own)]
        streams: dict[str, Stream] = {name: stream for each in made for name, stream in each.streams.items()}
        used = frozenset().union(*(each.used for each in made))
        rest = [one for one in placed if own.get(one.stream.key) is not one or one.stream.key not in used]
        extras = extra_streams(rest, camera, frozenset([*taken, *streams]))
        remarks = [*self.coverage(streams), *self.unstamped(own), *_stabilized(self.settings)]
        return Outputs(
            streams={**streams, **extras.streams},
            attributes={
                **self.attributes(telemetry),
                "texts": extras.texts,
                **_motion_attributes(own, self.video),
            },
            notes=(
                *telemetry.notes,
                *notes,
                *(note for each in made for note in each.notes),
                *extras.notes,
                *remarks,
            ),
        )

    def first_frames_ns(self) -> list[int]:
        """Return the stamp of each chapter's first frame."""
        return [int(self.video.stamps[file.first_frame]) for file in self.video.files]

    def end_ns(self) -> int:
        """Return the stamp at which the last frame ends."""
        stamps = self.video.stamps
        return int(stamps[-1] + (np.median(np.diff(stamps)) if len(stamps) > 1 else 0))

    def attributes(self, telemetry: Telemetry) -> dict[str, Any]:
        """Return what the files say of camera and recording."""
        settings = self.settings
        return {
            "camera_model": str(settings.get("MINF") or main_device(telemetry).name),
            "camera_serial": str(settings.get("CASN", "")),
            "firmware": str(settings.get("FMWR") or self.info.metadata.get("firmware", "")),
            "creation_time": self.info.creation_time,
            "timecode": self.info.timecode,
            "devices": [device.name or device.id for device in telemetry.devices],
            "chapters": [file.path.name for file in self.video.files],
            "start_ns": int(self.video.stamps[0]),
            "payloads": len(self.payloads),
            "settings": dict(settings),
        }

    def coverage(self, streams: Mapping[str, Stream]) -> list[str]:
        """Say where pictures have no motion data, or motion data no pictures."""
        names = ("gyroscope", "gyroscope_raw", "accelerometer", "accelerometer_raw")
        stream = next((streams[name] for name in names if name in streams), None)
        if not isinstance(stream, Samples) or not len(stream):
            return ["The telemetry holds no motion data (ACCL, GYRO)."]
        stamps = stream.all_stamps()
        early, late = int(stamps[0] - self.video.stamps[0]), int(self.video.stamps[-1] - stamps[-1])
        found = []
        if early > _SHORT_NS:
            found.append(f"The first {early * 1e-9:.3f} s of the video have no motion data.")
        if late > _SHORT_NS:
            found.append(f"The last {late * 1e-9:.3f} s of the video have no motion data.")
        if -late > _SHORT_NS:
            found.append(f"The motion data go on for {-late * 1e-9:.3f} s after the last frame; all are kept.")
        return found

    def unstamped(self, own: Mapping[str, Placed]) -> list[str]:
        """Say how well time is known where the camera stamped nothing itself."""
        motion = own.get("GYRO", own.get("ACCL"))
        if motion is None or motion.timing.source == "STMP" or not self.payloads:
            return []
        last = self.payloads[-1]
        claimed, shown = (last.pts_ns + last.duration_ns) * 1e-9, self.end_ns() * 1e-9
        beyond = (
            f" The telemetry track claims {claimed:.3f} s, the video {shown:.3f} s." if claimed > shown else ""
        )
        return [
            f"The camera stamped no telemetry (no STMP); its times come from the container and are known to about "
            f"{motion.timing.residual_ns * 1e-6:.0f} ms.{beyond}"
        ]


def _motion_attributes(own: Mapping[str, Placed], video: Video) -> dict[str, Any]:
    motion = own.get("GYRO", own.get("ACCL"))
    if motion is None:
        return {}
    start = next((part.stamp_us for part in motion.stream.parts if part.stamp_us is not None), None)
    return {
        "imu_rate_hz": motion.rate_hz(),
        "imu_lead_ms": float(motion.timing.knots[0, 1] - video.stamps[0]) * 1e-6,
        "imu_time_from": motion.timing.source,
        "stmp_residual_ms": motion.timing.residual_ns * 1e-6,
        "stmp_start_us": start,
    }


def _stabilized(settings: Mapping[str, str | float]) -> list[str]:
    applied = str(settings.get("EISA", "")).strip()
    if settings.get("EISE") != "Y" or applied in ("", "N/A", "N"):
        return []
    return [
        f"Electronic stabilization was on ({applied}): the pictures do not move as the camera did, so poses from "
        f"them and the motion sensors disagree; switch it off for recordings to be tracked."
    ]


def _scalars(own: Mapping[str, Placed]) -> Made:
    """Make the streams that are one telemetry stream as it is, and the motion sensor's temperature."""
    streams: dict[str, Samples] = {}
    used = set()
    for name, key in SCALARS.items():
        if (
            key in own
            and len(own[key].stream.types) == 1
            and own[key].stream.numeric
            and not own[key].stream.listed
        ):
            streams[name] = own[key].samples(TYPES[name], own[key].stream.scaled()[:, 0].copy())
            used.add(key)
    motion = own.get("ACCL", own.get("GYRO"))
    if motion is not None and motion.stream.property("TMPC") is not None:
        streams["temperature"] = _temperature(motion)
    return Made(streams, (), frozenset(used))


def _temperature(motion: Placed) -> Samples:
    celsius = np.array([_number(part.properties.get("TMPC")) for part in motion.stream.parts if len(part)])
    known = np.isfinite(celsius)
    stamps = motion.payload_stamps()[known]
    return Samples(type=TYPES["temperature"], data=celsius[known], stamps=stamps, attributes=motion.attributes())


def _number(item: Item | None) -> float:
    """Return the one number of an item, NaN where there is none or it is damaged."""
    try:
        found = numbers(item) if item is not None else np.empty(0)
    except RecordingError:
        return float("nan")
    return float(found[0]) if len(found) == 1 else float("nan")
