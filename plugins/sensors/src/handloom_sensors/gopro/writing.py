"""Makes a GoPro's MP4 of a plain one: adds the telemetry track and the camera's settings, re-encoding nothing."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import merge
from pathlib import Path
from typing import Any

import attrs

from handloom.errors import RecordingError
from handloom.media import boxes_in
from handloom_sensors.gpmf import klv
from handloom_sensors.gpmf.telemetry import Device, Payload
from handloom_sensors.gpmf.writer import device_item, number_item, text_item

_TICK = Fraction(1, 1000)
"""GoPro's telemetry track counts milliseconds."""


_FREE = bytes(128)
"""Cameras put a free box behind the settings; telemetry-parser 0.3 reads four bytes past them."""


@attrs.frozen(kw_only=True)
class CameraSettings:
    """What the camera says of itself.

    Attributes:
        model: MINF, "HERO11 Black".
        serial: CASN.
        firmware: FMWR.
        creation_time: ISO 8601, by the camera's clock; "" for none.
        timecode: Of the first frame, "hh:mm:ss:ff"; "" for no timecode track.
        more: Further settings by FourCC: texts and numbers.
    """

    model: str = "HERO11 Black"
    serial: str = "C0000000000000"
    firmware: str = "H22.01.01.10.00"
    creation_time: str = ""
    timecode: str = ""
    more: Mapping[str, str | float] = attrs.field(factory=dict)


def write_gopro_file(source: Path, payloads: Sequence[Payload], target: Path, settings: CameraSettings) -> Path:
    """Copy a video and add what makes it a GoPro's.

    Args:
        source: An MP4 with pictures and perhaps sound; copied packet by packet.
        payloads: Telemetry; `pts_ns` and `duration_ns` on the file's own time, whole milliseconds. Without any
            there is no telemetry track, as after a re-encoding.
        target: The new MP4.
        settings: Written into the header.

    Returns:
        The target.
    """
    import av

    with av.open(f"file:{source}") as old, av.open(f"file:{target}", "w", format="mp4") as new:
        bitexact: Any = av.container.Flags.bitexact
        new.flags |= bitexact.value
        if settings.creation_time:
            new.metadata["creation_time"] = settings.creation_time
        tracks = {s.index: new.add_stream_from_template(s) for s in old.streams if s.type in ("video", "audio")}
        if settings.timecode:
            _set_timecode(tracks[old.streams.video[0].index], settings.timecode, old.streams.video[0].average_rate)
        told = _telemetry(payloads, _telemetry_track(new)) if payloads else iter(())
        for _, _, packet in merge(_media(old, tracks), told, key=lambda entry: entry[:2]):
            new.mux(packet)
    data = bytearray(target.read_bytes())
    _append_to_moov(data, _user_data(settings))
    target.write_bytes(data)
    return target


def _telemetry_track(container: Any) -> Any:
    track = container.add_data_stream("bin_data")
    track.time_base, track.codec_tag = _TICK, "gpmd"
    return track


def _set_timecode(track: Any, timecode: str, rate: Fraction | None) -> None:
    """Ask for a timecode track; the muxer makes none unless it knows the rate that its frames are counted at."""
    track.metadata["timecode"], track.rate = timecode, rate


_Timed = tuple[Fraction, int, Any]


def _media(container: Any, tracks: Mapping[int, Any]) -> Iterator[_Timed]:
    """Yield (time, track, packet) of pictures and sound, in the order they have in the file."""
    newest = Fraction(0)
    for packet in container.demux([stream for stream in container.streams if stream.index in tracks]):
        if packet.dts is None:
            continue
        newest = max(newest, packet.dts * packet.time_base)
        packet.stream = tracks[packet.stream.index]
        yield newest, packet.stream.index, packet


def _telemetry(payloads: Sequence[Payload], stream: Any) -> Iterator[_Timed]:
    import av

    for payload in payloads:
        packet = av.Packet(payload.data)
        packet.stream, packet.time_base, packet.is_keyframe = stream, _TICK, True
        packet.pts = packet.dts = round(payload.pts_ns * 1e-6)
        packet.duration = round(payload.duration_ns * 1e-6)
        yield packet.pts * _TICK, stream.index, packet


def _user_data(settings: CameraSettings) -> bytes:
    items = [
        text_item("FMWR", settings.firmware),
        text_item("CASN", settings.serial),
        text_item("MINF", settings.model),
        *(
            text_item(key, value) if isinstance(value, str) else number_item(key, "f", [value])
            for key, value in sorted(settings.more.items())
        ),
    ]
    header = klv.encode([device_item(Device("1", "Global Settings"), items)])
    firmware = _box(b"FIRM", settings.firmware.encode("latin-1"))
    return _box(b"udta", firmware + _box(b"GPMF", header) + _box(b"free", _FREE))


def _box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), name) + content


def _append_to_moov(data: bytearray, box: bytes) -> None:
    """Append a box to the index, which must be the file's last box, so that nothing moves that it points at."""
    name, start, end = list(boxes_in(data, 0, len(data)))[-1]
    if name != b"moov":
        raise RecordingError(f"The MP4 ends with a box {name!r}; expected its index, moov, as PyAV writes it.")
    struct.pack_into(">I", data, start - 8, end - start + 8 + len(box))
    data += box
