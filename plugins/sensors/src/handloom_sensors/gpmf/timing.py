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
from handloom_sensors.gpmf import knots
from handloom_sensors.gpmf.counting import Numbering, Share, number_samples
from handloom_sensors.gpmf.stamping import difference_us, unwrapped

Int64Array = npt.NDArray[np.int64]


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
    anchors, dropped = knots.increasing(anchors)
    lone = len(anchors) < 2
    period = _single_period_ns(shares, None) if lone else knots.typical_period_ns(anchors)
    by_number = knots.extended(anchors, _final(shares, numbering), period)
    return _timing(shares, numbering, by_number, "STMP", knots.line_residual_ns(anchors), (*notes, *dropped))


def _by_payloads(
    shares: Sequence[Share], times: Sequence[int], end_ns: int | None, notes: tuple[str, ...]
) -> Timing:
    numbering = number_samples(shares, times)
    starts = np.stack([numbering.first, np.array(times, np.int64)], axis=1)
    residual, final = knots.line_residual_ns(starts), _final(shares, numbering)
    if len(starts) > 2 and residual > np.median(np.diff(starts[:, 1])) / 2:
        anchors, dropped = knots.increasing(starts)
        by_number = knots.extended(anchors, final, knots.typical_period_ns(anchors))
        return _timing(shares, numbering, by_number, "payload", residual, (*notes, *dropped, _IRREGULAR))
    slope, start = knots.fitted_line(starts)
    if len(starts) < 2:
        slope = _single_period_ns(shares, end_ns)
    last = max(final, 1)
    line = np.array([[0, round(start)], [last, round(start + slope * last)]], np.int64)
    line, bent = knots.ended_by(line, int(numbering.first[-1]), end_ns)
    return _timing(shares, numbering, line, "payload", residual, (*notes, *bent))


_IRREGULAR = "its samples do not come at an even rate, so each payload's are spread over that payload"


def _final(shares: Sequence[Share], numbering: Numbering) -> int:
    return int(numbering.first[-1]) + shares[-1].count - 1


def _timing(
    shares: Sequence[Share],
    numbering: Numbering,
    by_number: Int64Array,
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
    counts = np.array([share.count for share in shares], np.int64)
    return Timing(
        knots=knots.knots_of_samples(numbering.first, counts, by_number),
        count=int(counts.sum()),
        source=source,
        residual_ns=residual_ns,
        lost=lost,
        notes=(*notes, *numbering.notes, *gaps),
    )


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
