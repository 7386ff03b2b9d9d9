"""Reads when the frames of one file are shown, from its packets, without decoding them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import MediaError
from handloom.media.demuxing import decoded, only_stream, packets_of
from handloom.media.luma import has_full_range
from handloom.media.opening import open_media, time_base, video_track
from handloom.media.probing import MediaInfo, describe, upright_turn

Int64Array = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True, eq=False)
class Chapter:
    """The frames of one file, in order of display, on the file's own ticks.

    Attributes:
        path: The file.
        info: What the file says of itself.
        time_base: Seconds a tick lasts.
        pts: (N,) ticks, strictly increasing.
        keyframes: (N,) bool.
        last_duration: Ticks that the last frame is shown.
        coded_size: (width, height) before turning.
        full_range: Whether luma uses 0 to 255.
        codec: As FFmpeg names it.
        nominal_rate: Frames a second by the header; 0 when it does not say.
        has_b_frames: Whether frames are stored in another order than shown.
        backward: Frames left out because their time goes back.
        break_note: Where the file breaks off and what is lost; "" when it is whole.
        notes: What else was left out.
    """

    path: Path
    info: MediaInfo
    time_base: Fraction
    pts: Int64Array
    keyframes: npt.NDArray[np.bool_]
    last_duration: int
    coded_size: tuple[int, int]
    full_range: bool
    codec: str
    nominal_rate: Fraction
    has_b_frames: bool
    backward: int
    break_note: str
    notes: tuple[str, ...]

    def looks(self) -> tuple[str, tuple[int, int], int]:
        """Return what all chapters of one recording share: codec, coded size and turn."""
        return self.codec, self.coded_size, self.info.rotation_deg


@attrs.define
class _Tally:
    """What is collected while a file's packets go by."""

    pts: list[int] = attrs.field(factory=list)
    keyframes: list[bool] = attrs.field(factory=list)
    durations: list[int] = attrs.field(factory=list)
    seen: int = 0
    backward: int = 0
    unstamped: int = 0
    damaged: int = 0
    missing: int = 0
    hidden: int = 0
    newest_dts: int | None = None
    cause: str = ""

    def break_off(self, cause: str) -> None:
        self.cause = cause

    def add(self, packet: Any) -> None:
        """Note a packet's frame unless it is never shown, damaged, without a stamp or back in time."""
        self.seen += 1
        if packet.is_discard:
            self.hidden += 1
        elif packet.is_corrupt:
            self.damaged += 1
        elif packet.pts is None:
            self.unstamped += 1
        elif self._goes_back(packet.dts):
            self.backward += 1
        else:
            self.pts.append(packet.pts)
            self.keyframes.append(packet.is_keyframe)
            self.durations.append(packet.duration or 0)

    def _goes_back(self, dts: int | None) -> bool:
        # The order of decoding tells: there B-frames can't be mistaken for a clock that jumps back.
        if dts is None:
            return False
        if self.newest_dts is not None and dts < self.newest_dts:
            return True
        self.newest_dts = dts
        return False


def read_chapter(path: Path) -> Chapter:
    """Read one file's index.

    Raises:
        MediaError: The file can't be opened, or shows no frame.
    """
    with open_media(path) as container:
        stream = video_track(container, path)
        only_stream(container, stream)
        tally = _Tally()
        picture = _read_packets(container, stream, tally)
        if not tally.pts or picture is None:
            raise MediaError(_nothing_shown(path, tally))
        # A stamp shown twice keeps the first frame that has it.
        pts, order = np.unique(np.array(tally.pts, dtype=np.int64), return_index=True)
        base, rate = time_base(stream), Fraction(stream.average_rate or 0)
        return Chapter(
            path=path,
            info=describe(container, path, rotation_deg=upright_turn(picture.rotation)),
            time_base=base,
            pts=pts,
            keyframes=np.array(tally.keyframes)[order],
            last_duration=tally.durations[order[-1]] or _usual_step(pts, rate * base),
            coded_size=(picture.width, picture.height),
            full_range=has_full_range(picture),
            codec=stream.codec_context.codec.canonical_name,
            nominal_rate=rate,
            has_b_frames=bool(stream.codec_context.has_b_frames),
            backward=tally.backward,
            break_note=_break_note(path, tally, base, rate),
            notes=tuple(_notes(path, tally, repeated=len(tally.pts) - len(pts))),
        )


def _read_packets(container: Any, stream: Any, tally: _Tally) -> Any:
    """Note all packets and return the first picture that decodes, None when none does."""
    pictures: list[Any] = []
    for packet in packets_of(container, stream, on_break=tally.break_off):
        tally.add(packet)
        if not pictures:
            pictures = decoded(stream, packet)
    # Containers without a table of all frames list fewer entries than there are packets, or none.
    tally.missing = max(len(stream.index_entries) - tally.seen, 0)
    # An edit list takes what it never needs out of FFmpeg's table, but not out of the header's count.
    tally.hidden += max(stream.frames - max(len(stream.index_entries), tally.seen), 0)
    return next(iter(pictures or decoded(stream, None)), None)


def _usual_step(pts: Int64Array, rate_per_tick: Fraction) -> int:
    """Return the usual ticks between two frames, by the frames or else by the nominal rate."""
    if len(pts) > 1:
        return int(np.median(np.diff(pts)))
    return round(1 / rate_per_tick) if rate_per_tick else 1


def _nothing_shown(path: Path, tally: _Tally) -> str:
    if tally.unstamped:
        return (
            f"{path}: its {tally.unstamped} frames carry no timestamps, as in a raw H.264 stream; record into MP4 "
            f"or MKV, or mux it with the stamps the recorder kept."
        )
    return (
        f"{path}: no frame of the video can be shown ({tally.seen} packets, {tally.damaged} damaged); the "
        f"recording broke off before its first picture, leave it out."
    )


def _break_note(path: Path, tally: _Tally, base: Fraction, rate: Fraction) -> str:
    lost = tally.missing + tally.damaged
    if not (lost or tally.cause):
        return ""
    cause = f" ({tally.cause})" if tally.cause else ""
    seconds = f" ({float(lost / rate):.3f} s)" if rate else ""
    expected = f"; {lost} frames{seconds} that its header counts are missing or damaged" if lost else ""
    kept = float((max(tally.pts) - min(tally.pts)) * base)
    there = f"{len(tally.pts)} frames over {kept:.3f} s are kept"
    return f"{path.name} breaks off or is damaged{cause}: {there}{expected}."


def _notes(path: Path, tally: _Tally, *, repeated: int) -> Iterator[str]:
    for count, what in (
        (repeated, "repeat the timestamp of another frame"),
        (tally.backward, "go back in time"),
        (tally.unstamped, "carry no timestamp"),
    ):
        if count:
            yield f"{path.name}: {count} of {tally.seen} frames {what} and are left out."
    if tally.hidden:
        yield f"{path.name}: its edit list hides {tally.hidden} frames, which are left out."
