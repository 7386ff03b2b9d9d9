"""When each sample was taken: knots [sample index, ns] from what the file says, never from a rated rate.

With STMP, the camera's own microsecond counter stamps the first sample of every payload; the knots are those
stamps, straight in between, so that a drifting sensor clock is followed. Without, only the payloads' places in the
container are known; their sample counts wobble with the moment of flushing, so that a line through all of them is
the better clock, and the last payload, which claims more time than it holds, is placed by that line.

Source: https://github.com/gopro/gpmf-parser, README, "GPMF Timing and Clocks" and "Sample Jitter".
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom_sensors.gpmf.counting import Numbering, Share, number_samples
from handloom_sensors.gpmf.stamping import difference_us, unwrapped

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class Zero:
    """Where the camera's counter stands at a known instant, usually a chapter's first frame.

    Attributes:
        stamp_us: STMP of that instant.
        time_ns: The instant on the device's clock.
    """

    stamp_us: int
    time_ns: int


@attrs.frozen(kw_only=True, eq=False)
class Timing:
    """The time of every sample of a stream.

    Attributes:
        knots: (K, 2) int64 of [sample index, ns], straight in between.
        count: Samples.
        source: "STMP", or "payload" when only the container's times were there.
        residual_ns: Largest distance of a payload's start from one straight line through all of them.
        lost: Samples that the camera counted but the file lacks.
        notes: What was lost or not believed.
    """

    knots: Int64Array
    count: int
    source: str
    residual_ns: int
    lost: int = 0
    notes: tuple[str, ...] = ()


def zeros_of(shares: Sequence[Share], first_frames_ns: Sequence[int]) -> tuple[Zero | None, ...]:
    """Return the zero of each chapter: the STMP of the first sample taken with a frame, and that frame's stamp.

    A chapter whose counter goes on from the one before shares its zero, so that time runs through; a chapter whose
    counter begins anew has its own.

    Args:
        shares: Shares of CORI or SHUT, which have one sample a frame.
        first_frames_ns: Stamp of each chapter's first frame.
    """
    stamps, _ = unwrapped(shares)
    zeros: list[Zero | None] = []
    for chapter, frame_ns in enumerate(first_frames_ns):
        own = next(
            (
                stamp
                for share, stamp in zip(shares, stamps, strict=True)
                if share.chapter == chapter and stamp is not None
            ),
            None,
        )
        before = zeros[-1] if zeros else None
        if own is not None and not (before and _continues(before, own, frame_ns)):
            before = Zero(stamp_us=own, time_ns=frame_ns)
        zeros.append(before if own is not None else None)
    return tuple(zeros)


def _continues(zero: Zero, stamp_us: int, frame_ns: int) -> bool:
    second = 1_000_000_000
    return abs(zero.time_ns + (stamp_us - zero.stamp_us) * 1000 - frame_ns) < second


def place(shares: Sequence[Share], zeros: Sequence[Zero | None], *, end_ns: int | None = None) -> Timing:
    """Place the samples of a stream in time.

    Args:
        shares: Its shares, at least one.
        zeros: The zero of each chapter; None where the camera recorded none.
        end_ns: End of the video, which the samples of a recording without STMP do not outlast.

    Raises:
        RecordingError: Neither STMP nor the container tells the time of more than one instant.
    """
    stamps, notes = unwrapped(shares)
    known = _known_times(shares, stamps, zeros)
    times = [share.pts_ns if time is None else time for share, time in zip(shares, known, strict=True)]
    if any(time is not None for time in known):
        return _by_stamps(shares, known, times, notes)
    return _by_payloads(shares, times, end_ns, notes)


def _known_times(
    shares: Sequence[Share], stamps_us: Sequence[int | None], zeros: Sequence[Zero | None]
) -> list[int | None]:
    """Return when each share begins, None where no counter says so.

    Between a zero and the first stamp that refers to it the counter may have wrapped; later stamps count on.
    """
    firsts: dict[Zero, int] = {}
    times: list[int | None] = []
    for share, stamp in zip(shares, stamps_us, strict=True):
        zero = zeros[share.chapter] if share.chapter < len(zeros) else None
        if zero is None or stamp is None:
            times.append(None)
            continue
        first = firsts.setdefault(zero, stamp)
        since_us = difference_us(first, zero.stamp_us) + stamp - first
        times.append(zero.time_ns + since_us * 1000)
    return times


def _by_stamps(
    shares: Sequence[Share], known: Sequence[int | None], times: Sequence[int], notes: tuple[str, ...]
) -> Timing:
    numbering = number_samples(shares, times)
    anchored = np.array([time is not None for time in known])
    anchors = np.stack([numbering.first[anchored], np.array(times, np.int64)[anchored]], axis=1)
    anchors, dropped = _increasing(anchors)
    if len(anchors) > 1:
        period = float(np.median(np.diff(anchors[:, 1]) / np.diff(anchors[:, 0])))
    else:
        period = _single_period_ns(shares, None)
    knots = _knots(shares, numbering, _extended(anchors, numbering, shares, period))
    return _timing(shares, numbering, knots, "STMP", _line_residual(anchors), (*notes, *dropped))


def _by_payloads(
    shares: Sequence[Share], times: Sequence[int], end_ns: int | None, notes: tuple[str, ...]
) -> Timing:
    numbering = number_samples(shares, times)
    starts = np.stack([numbering.first, np.array(times, np.int64)], axis=1)
    if _irregular(starts):
        anchors, dropped = _increasing(starts)
        period = float(np.median(np.diff(anchors[:, 1]) / np.diff(anchors[:, 0])))
        knots = _knots(shares, numbering, _extended(anchors, numbering, shares, period))
        return _timing(shares, numbering, knots, "payload", _line_residual(starts), (*notes, *dropped, _IRREGULAR))
    slope, start = _line(starts)
    if len(starts) < 2:
        slope, start = _single_period_ns(shares, end_ns), float(starts[0, 1])
    final = int(numbering.first[-1]) + shares[-1].count - 1
    line = np.array([[0, round(start)], [max(final, 1), round(start + slope * max(final, 1))]], np.int64)
    line, bounded = _bounded(line, int(numbering.first[-1]), slope, end_ns)
    knots = _knots(shares, numbering, line)
    return _timing(shares, numbering, knots, "payload", _line_residual(starts), (*notes, *bounded))


_IRREGULAR = "its samples do not come at an even rate, so each payload's are spread over that payload"


def _irregular(starts: Int64Array) -> bool:
    """Say whether payloads start so far off one line that no even rate can be behind them."""
    return len(starts) > 2 and _line_residual(starts) > np.median(np.diff(starts[:, 1])) / 2


def _timing(
    shares: Sequence[Share],
    numbering: Numbering,
    knots: Int64Array,
    source: str,
    residual_ns: int,
    notes: tuple[str, ...],
) -> Timing:
    lost = int(numbering.lost.sum())
    gaps = tuple(
        f"{count} samples are missing before payload {index}"
        for index, count in enumerate(numbering.lost.tolist())
        if count
    )
    count = sum(share.count for share in shares)
    return Timing(
        knots=knots,
        count=count,
        source=source,
        residual_ns=residual_ns,
        lost=lost,
        notes=(*notes, *numbering.notes, *gaps),
    )


def _increasing(anchors: Int64Array) -> tuple[Int64Array, tuple[str, ...]]:
    """Drop anchors that do not come after the one before; only a damaged counter has such."""
    kept, notes = [anchors[0]], []
    for anchor in anchors[1:]:  # each is compared with the last one kept, which a vectorised test can't know
        if anchor[1] > kept[-1][1]:
            kept.append(anchor)
        else:
            notes.append(f"STMP at sample {int(anchor[0])} does not come after the one before and is not used")
    return np.array(kept), tuple(notes)


def _single_period_ns(shares: Sequence[Share], end_ns: int | None) -> float:
    """Return the period within a lone payload, from how long the container says it lasts."""
    duration = shares[-1].duration_ns
    if end_ns is not None and end_ns > shares[-1].pts_ns:
        duration = min(duration, end_ns - shares[-1].pts_ns)
    if duration <= 0 and shares[-1].count > 1:
        raise RecordingError(
            f"A stream of {shares[-1].count} samples in a single payload of unknown duration has no rate; "
            f"a payload's duration comes from the container, so read the MP4 rather than a raw payload."
        )
    return max(duration, 1) / shares[-1].count


def _extended(anchors: Int64Array, numbering: Numbering, shares: Sequence[Share], period_ns: float) -> Int64Array:
    """Add the first and the last sample, where they lie outside the anchors, by the typical period."""
    final = int(numbering.first[-1]) + shares[-1].count - 1
    rows = [anchors]
    if anchors[0, 0] > 0:
        rows.insert(0, np.array([[0, anchors[0, 1] - round(anchors[0, 0] * period_ns)]], np.int64))
    ahead = max(final, int(anchors[0, 0]) + 1) - int(anchors[-1, 0])
    if ahead > 0:
        rows.append(np.array([[anchors[-1, 0] + ahead, anchors[-1, 1] + round(ahead * period_ns)]], np.int64))
    return np.concatenate(rows)


def _knots(shares: Sequence[Share], numbering: Numbering, by_number: Int64Array) -> Int64Array:
    """Turn knots over the device's sample numbers into knots over the samples that are there.

    Where samples were lost two knots are needed, at the last sample before and the first after.
    """
    index = np.concatenate([[0], np.cumsum([share.count for share in shares])])
    number = np.array([*numbering.first, numbering.first[-1] + shares[-1].count], np.int64)
    gaps = np.flatnonzero(numbering.lost)
    wanted = np.concatenate(
        [by_number[:, 0], numbering.first[gaps], number[gaps - 1] + np.diff(index)[gaps - 1] - 1]
    )
    wanted = np.unique(wanted)
    share = np.clip(np.searchsorted(number, wanted, side="right") - 1, 0, len(shares) - 1)
    present = index[share] + wanted - number[share]
    inside = (wanted - number[share] < np.diff(index)[share]) | (share == len(shares) - 1)
    times = _interpolated(by_number, wanted)
    return np.stack([present[inside], times[inside]], axis=1).astype(np.int64)


def _interpolated(knots: Int64Array, numbers: Int64Array) -> Int64Array:
    segment = np.clip(np.searchsorted(knots[:, 0], numbers, side="right") - 1, 0, len(knots) - 2)
    run = knots[segment + 1] - knots[segment]
    ahead = (numbers - knots[segment, 0]) * (run[:, 1] / run[:, 0])
    times: Int64Array = knots[segment, 1] + np.rint(ahead).astype(np.int64)
    return times


def _bounded(
    line: Int64Array, last_payload: int, slope: float, end_ns: int | None
) -> tuple[Int64Array, tuple[str, ...]]:
    """Let the samples of the last payload end with the video."""
    excess = 0 if end_ns is None else int(line[-1, 1]) - end_ns
    bend = round(line[0, 1] + slope * last_payload)
    if excess <= 0 or last_payload >= line[-1, 0] or end_ns is None or end_ns <= bend:
        return line, ()
    middle = np.array([[last_payload, bend]], np.int64) if last_payload else np.empty((0, 2), np.int64)
    bounded = np.concatenate([line[:1], middle, np.array([[line[-1, 0], end_ns]], np.int64)])
    return bounded, (f"the last payload is shortened by {excess * 1e-9:.4f} s, to end with the video",)


def _line(points: Int64Array) -> tuple[float, float]:
    """Fit time = start + slope * number by medians, which one badly flushed payload does not move.

    The slope is the median over pairs of payloads half a recording apart, the start the median that goes with it.
    """
    if len(points) < 2:
        return 0.0, float(points[0, 1])
    relative = points - points[0]
    half = len(points) // 2
    run = relative[half:] - relative[:-half]
    slope = float(np.median(run[:, 1] / run[:, 0]))
    start = float(np.median(relative[:, 1] - slope * relative[:, 0])) + float(points[0, 1])
    return slope, start - slope * float(points[0, 0])


def _line_residual(points: Int64Array) -> int:
    if len(points) < 3:
        return 0
    relative = points - points[0]
    slope, start = _line(relative)
    return round(float(np.abs(relative[:, 1] - (start + slope * relative[:, 0])).max()))
