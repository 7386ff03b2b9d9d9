"""Reads sound as it was sampled: every sample, on the track's own time, nothing resampled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from handloom.errors import MediaError
from handloom.media.demuxing import frames_of, only_stream
from handloom.media.opening import open_media
from handloom.media.sound_timeline import FloatArray, SoundTimeline
from handloom.media.stamps import tick_to_ns
from handloom.streams import AUDIO, Samples


@attrs.frozen(kw_only=True)
class IndexedAudio:
    """Sound with what the reader of its files should know.

    Attributes:
        samples: (N, channels) float32, full scale at 1, with knots.
        notes: Gaps, overlaps and rounding: where and how much; empty for a sound recording.
    """

    samples: Samples
    notes: tuple[str, ...] = ()


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
    (multiply by 2 ** (bits - 1) to get them back); a note says how many of a deeper recording were rounded.
    The first sample is stamped as FFmpeg reports it, encoder delay taken off where the file declares it. Where
    packets leave a gap the knots jump; samples whose time earlier ones cover are left out and counted.

    Args:
        files: One file, or chapters in order.
        starts_ns: What to add to each file's own stamps, `start_ns` of the video's files, so that sound and
            pictures of the chapters stay together; None starts a chapter where the sound of the one before ends.

    Raises:
        MediaError: A file has no sound, can't be decoded, or differs in rate or channels from the first.
    """
    if not files:
        raise MediaError("No audio file was given; name one, or the chapters of one recording in order.")
    shifts = [None] * len(files) if starts_ns is None else list(starts_ns)
    form = _form(files[0])
    timeline = SoundTimeline(form[0])
    notes = [
        note for path, shift in zip(files, shifts, strict=True) for note in _read_file(timeline, path, shift, form)
    ]
    if not timeline.count:
        raise MediaError(f"{files[0]}: the sound track holds no sample that decodes; leave the file out.")
    samples = Samples(
        type=attrs.evolve(AUDIO, shape=(form[1],)),
        data=timeline.data(),
        knots=timeline.knots(),
        attributes={
            "nominal_rate_hz": timeline.rate,
            "gaps_ns": [list(gap) for gap in timeline.gaps],
            "samples_left_out": timeline.left_out,
        },
    )
    return IndexedAudio(samples=samples, notes=tuple(notes))


def _track(container: Any) -> Any:
    return next((stream for stream in container.streams.audio if stream.codec_context is not None), None)


def _required_track(container: Any, path: Path) -> Any:
    stream = _track(container)
    if stream is None:
        raise MediaError(
            f"{path}: there is no sound track that FFmpeg can decode; name a file recorded with sound."
        )
    return stream


def _form(path: Path) -> tuple[int, int]:
    """Return the rate in Hz and the channels of a file's sound."""
    with open_media(path) as container:
        context = _required_track(container, path).codec_context
        return context.sample_rate, context.channels


def _read_file(timeline: SoundTimeline, path: Path, shift: int | None, form: tuple[int, int]) -> list[str]:
    """Append one file and return what the reader should know of it."""
    gaps, left_out, count, rounded, unknown = len(timeline.gaps), timeline.left_out, timeline.count, 0, 0
    with open_media(path) as container:
        stream = _required_track(container, path)
        context = stream.codec_context
        if (context.sample_rate, context.channels) != form:
            raise MediaError(
                f"{path}: sound of {context.sample_rate} Hz in {context.channels} channels follows sound of "
                f"{form[0]} Hz in {form[1]}; only chapters of one recording can be joined."
            )
        only_stream(container, stream)
        for block, stamp, inexact in _blocks(container, stream):
            if shift is None:
                end = timeline.end_ns()
                shift = end - stamp if end is not None and stamp is not None else 0
            placed = stamp + shift if stamp is not None else None
            timeline.add(block, placed, tolerance_ns=_tolerance_ns(timeline.rate, Fraction(stream.time_base)))
            rounded += inexact
            unknown += int(np.count_nonzero(np.isnan(block)))
    if timeline.count == count:
        return [f"{path.name}: no sample of its sound is kept."]
    return [
        *_gap_notes(path, timeline.gaps[gaps:]),
        *_left_out_notes(path, timeline.left_out - left_out, timeline.rate),
        *(
            [f"{path.name}: {rounded} sound values were rounded to the 24 bits that float32 holds."]
            if rounded
            else []
        ),
        *([f"{path.name}: {unknown} sound values are not numbers and are kept as NaN."] if unknown else []),
    ]


def _tolerance_ns(rate: int, base: Fraction) -> int:
    """Return what counts as rounding: half a sample, or a tick where that is coarser (Matroska's 1 ms)."""
    return max(500_000_000 // rate, tick_to_ns(1, base)) + 1


def _blocks(container: Any, stream: Any) -> Iterator[tuple[FloatArray, int | None, int]]:
    """Yield (samples, stamp of the first in ns, values that float32 could not hold)."""
    base = Fraction(stream.time_base)
    for frame in frames_of(container, stream):
        block, inexact = to_float(frame)
        yield block, None if frame.pts is None else tick_to_ns(frame.pts, base), inexact


def to_float(frame: Any) -> tuple[FloatArray, int]:
    """Return a decoded block as (N, channels) float32, full scale at 1, and how many values had to be rounded.

    Whole numbers are divided by 2 ** (bits - 1): exact in float32 up to 24 bits. Source: IEEE 754, binary32.
    """
    raw = frame.to_ndarray()
    block = raw.T if frame.format.is_planar else raw.reshape(-1, frame.layout.nb_channels)
    if block.dtype == np.float32:
        return np.ascontiguousarray(block), 0
    if block.dtype == np.uint8:
        block = (block.astype(np.int16) - 128).astype(np.int8)
    exact = block / 2.0 ** (8 * block.dtype.itemsize - 1) if np.issubdtype(block.dtype, np.integer) else block
    held = np.ascontiguousarray(exact, dtype=np.float32)
    return held, int(np.count_nonzero((held != exact) & ~np.isnan(exact)))


def _gap_notes(path: Path, gaps: Sequence[tuple[int, int]]) -> list[str]:
    if not gaps:
        return []
    where, length = max(gaps, key=lambda gap: gap[1])
    total = sum(gap[1] for gap in gaps)
    return [
        f"{path.name}: the sound has {len(gaps)} gaps, {total * 1e-6:.3f} ms together, the longest "
        f"{length * 1e-6:.3f} ms at {where * 1e-9:.3f} s; nothing was filled in."
    ]


def _left_out_notes(path: Path, left_out: int, rate: int) -> list[str]:
    if not left_out:
        return []
    return [
        f"{path.name}: {left_out} samples ({left_out / rate * 1e3:.3f} ms) of time that earlier samples cover are "
        f"left out."
    ]
