"""Reads sound as it was sampled: every sample, on the track's own time, nothing resampled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import MediaError
from handloom.media.demuxing import frames_of, only_stream
from handloom.media.opening import open_media
from handloom.media.stamps import tick_to_ns
from handloom.streams import Samples, StreamType

FloatArray = npt.NDArray[np.float32]
_NS = 1_000_000_000
_FLOAT32_BITS = 24
"""Bits of a whole number that float32 holds exactly. Source: IEEE 754, binary32 significand."""


@attrs.frozen(kw_only=True)
class IndexedAudio:
    """Sound with what the reader of its files should know.

    Attributes:
        samples: (N, channels) float32, full scale at 1, with knots.
        notes: Gaps, overlaps and rounding: where and how much; empty for a sound recording.
    """

    samples: Samples
    notes: tuple[str, ...] = ()


@attrs.define
class _Timeline:
    """Sound as it is put together: blocks, and a knot wherever the clock does not simply run on."""

    rate: int
    blocks: list[FloatArray] = attrs.field(factory=list)
    knots: list[tuple[int, int]] = attrs.field(factory=list)
    count: int = 0
    gaps: list[tuple[int, int]] = attrs.field(factory=list)
    overlap: int = 0

    def due_ns(self) -> int:
        """Return when the next sample is due if the clock simply runs on from the last knot."""
        sample, stamp = self.knots[-1]
        return stamp + self._span_ns(self.count - sample)

    def add(self, block: FloatArray, stamp: int, tolerance_ns: int) -> None:
        """Append a block that begins at a stamp; what it repeats of the one before is left out."""
        if not self.knots:
            self.knots.append((0, stamp))
        late = stamp - self.due_ns()
        if late < -tolerance_ns:
            cut = min(round(-late * self.rate / _NS), len(block))
            self.overlap += cut
            block = block[cut:]
        elif late > tolerance_ns:
            self.gaps.append((self.due_ns(), late))
            self._jump_to(stamp)
        self.blocks.append(block)
        self.count += len(block)

    def end_ns(self) -> int:
        """Return when the sound ends: one sample after the last."""
        return self.due_ns()

    def _jump_to(self, stamp: int) -> None:
        last = (self.count - 1, self.due_ns() - self._span_ns(1))
        if last[0] > self.knots[-1][0]:
            self.knots.append(last)
        self.knots.append((self.count, stamp))

    def _span_ns(self, samples: int) -> int:
        return tick_to_ns(samples, Fraction(1, self.rate))


def has_audio(path: Path) -> bool:
    """Say whether a file has a sound track that FFmpeg can decode.

    Raises:
        MediaError: The file can't be opened.
    """
    with open_media(path) as container:
        return _track(container) is not None


def read_audio(files: tuple[Path, ...], starts_ns: Sequence[int] | None = None) -> IndexedAudio:
    """Read the sound of a recording, or of its chapters.

    Samples are float32: it holds whole numbers of up to 24 bits exactly, so 16- and 24-bit recordings lose nothing
    (multiply by 2 ** (bits - 1) to get them back); a note says when a deeper recording was rounded. The first
    sample is stamped as FFmpeg reports it, encoder delay taken off where the file declares it. Where packets leave
    a gap the knots jump; samples that repeat time already covered are left out and counted.

    Args:
        files: One file, or chapters in order.
        starts_ns: What to add to each file's own stamps, `start_ns` of the video's files, so that sound and
            pictures of the chapters stay together; None starts a chapter where the sound of the one before ends.

    Raises:
        MediaError: A file has no sound, can't be decoded, or differs in rate or channels from the first.
    """
    if not files:
        raise MediaError("No audio file was given; name one, or the chapters of one recording in order.")
    timeline: _Timeline | None = None
    channels = 0
    notes: list[str] = []
    for chapter, path in enumerate(files):
        with open_media(path) as container:
            stream = _required_track(container, path)
            if timeline is None:
                timeline, channels = _Timeline(stream.codec_context.sample_rate), stream.codec_context.channels
            _check_alike(stream, path, timeline.rate, channels)
            shift = starts_ns[chapter] if starts_ns is not None else None
            notes += _read_into(timeline, container, stream, path, shift)
    assert timeline is not None
    if not timeline.count:
        raise MediaError(f"{files[0]}: the sound track holds no sample that decodes; leave the file out.")
    return IndexedAudio(samples=_samples(timeline, channels), notes=tuple(notes))


def _track(container: Any) -> Any:
    return next((stream for stream in container.streams.audio if stream.codec_context is not None), None)


def _required_track(container: Any, path: Path) -> Any:
    stream = _track(container)
    if stream is None:
        raise MediaError(
            f"{path}: there is no sound track that FFmpeg can decode; name a file that was recorded with sound."
        )
    return stream


def _check_alike(stream: Any, path: Path, rate: int, channels: int) -> None:
    context = stream.codec_context
    if (context.sample_rate, context.channels) != (rate, channels):
        raise MediaError(
            f"{path}: sound of {context.sample_rate} Hz in {context.channels} channels follows sound of {rate} Hz "
            f"in {channels}; only chapters of one recording can be joined."
        )


def _read_into(timeline: _Timeline, container: Any, stream: Any, path: Path, shift: int | None) -> Iterator[str]:
    """Append one file and yield what the reader should know of it."""
    only_stream(container, stream)
    gaps, overlap, start = len(timeline.gaps), timeline.overlap, timeline.count
    base = Fraction(stream.time_base)
    # Half a sample is rounding; a coarse time base (Matroska counts milliseconds) rounds by up to a tick.
    tolerance = max(_NS // (2 * timeline.rate), tick_to_ns(1, base)) + 1
    for frame in frames_of(container, stream):
        block, pts = to_float(frame), frame.pts
        if shift is None and not timeline.knots:
            shift = 0
        own = timeline.due_ns() - (shift or 0) if pts is None and timeline.knots else tick_to_ns(pts or 0, base)
        if shift is None:
            shift = timeline.end_ns() - own
        timeline.add(block, own + shift, tolerance)
    yield from _notes(path, timeline, timeline.gaps[gaps:], timeline.overlap - overlap)
    yield from _rounding_note(path, stream)
    if timeline.count == start:
        yield f"{path.name}: no sample of its sound decodes."


def to_float(frame: Any) -> FloatArray:
    """Return a decoded block as (N, channels) float32, full scale at 1.

    Whole numbers are divided by 2 ** (bits - 1): exact in float32 up to 24 bits.
    """
    raw = frame.to_ndarray()
    block = raw.T if frame.format.is_planar else raw.reshape(-1, frame.layout.nb_channels)
    if block.dtype == np.uint8:
        return np.ascontiguousarray((block.astype(np.float32) - 128) / 128)
    if np.issubdtype(block.dtype, np.integer):
        scale = 2.0 ** (8 * block.dtype.itemsize - 1)
        return np.ascontiguousarray((block / scale).astype(np.float32))
    return np.ascontiguousarray(block.astype(np.float32))


def _notes(path: Path, timeline: _Timeline, gaps: Sequence[tuple[int, int]], overlap: int) -> Iterator[str]:
    if gaps:
        where, length = max(gaps, key=lambda gap: gap[1])
        total = sum(gap[1] for gap in gaps)
        yield (
            f"{path.name}: the sound has {len(gaps)} gaps, {total * 1e-6:.3f} ms together, the longest "
            f"{length * 1e-6:.3f} ms at {where * 1e-9:.3f} s; nothing was filled in."
        )
    if overlap:
        yield (
            f"{path.name}: {overlap} samples ({overlap / timeline.rate * 1e3:.3f} ms) repeat time that earlier "
            f"samples cover and are left out."
        )


def _rounding_note(path: Path, stream: Any) -> Iterator[str]:
    context = stream.codec_context
    bits = {"s32": 32, "s32p": 32, "s64": 64, "s64p": 64, "dbl": 53, "dblp": 53}.get(context.format.name, 0)
    raw = _raw_bits(stream.codec_context.name)
    if min(bits, raw) > _FLOAT32_BITS:
        yield f"{path.name}: its sound of {raw} bits was rounded to the {_FLOAT32_BITS} that float32 holds."


def _raw_bits(codec: str) -> int:
    """Return the bits of a sample by the codec's name; FLAC and 24-bit PCM fit, "pcm_s32le" does not."""
    digits = "".join(filter(str.isdigit, codec.removesuffix("le").removesuffix("be"))) if "pcm" in codec else ""
    return int(digits or _FLOAT32_BITS)


def _samples(timeline: _Timeline, channels: int) -> Samples:
    knots = [*timeline.knots, (timeline.count, timeline.end_ns())]
    return Samples(
        type=StreamType(kind="audio", dtype="float32", shape=(channels,)),
        data=np.concatenate(timeline.blocks),
        knots=np.array(knots, dtype=np.int64),
        attributes={
            "nominal_rate_hz": timeline.rate,
            "gaps_ns": [[start, length] for start, length in timeline.gaps],
            "samples_left_out": timeline.overlap,
        },
    )
