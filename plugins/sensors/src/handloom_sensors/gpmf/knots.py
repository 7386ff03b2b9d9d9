"""Knots [sample number, ns]: fit, extend, bend, and turn the camera's numbers into indices of what is there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]


def increasing(anchors: Int64Array) -> tuple[Int64Array, tuple[str, ...]]:
    """Drop anchors that do not come after the one before; only damaged times have such.

    Args:
        anchors: (K, 2) of [sample number, ns], numbers increasing.

    Returns:
        The anchors kept, and a note for each that was not.
    """
    kept, notes = [anchors[0]], []
    for anchor in anchors[1:]:  # each is compared with the last one kept, which a vectorised test can't know
        if anchor[1] > kept[-1][1]:
            kept.append(anchor)
        else:
            notes.append(f"the time of sample {int(anchor[0])} is not after the one before and is not used")
    return np.array(kept), tuple(notes)


def typical_period_ns(anchors: Int64Array) -> float:
    """Return the median time a sample takes between two or more anchors."""
    return float(np.median(np.diff(anchors[:, 1]) / np.diff(anchors[:, 0])))


def extended(anchors: Int64Array, final: int, period_ns: float) -> Int64Array:
    """Add the first and the last sample, where they lie outside the anchors, by a period.

    Args:
        anchors: (K, 2) of [sample number, ns].
        final: Number of the last sample.
        period_ns: Time a sample takes.

    Returns:
        At least two anchors.
    """
    rows = [anchors]
    if anchors[0, 0] > 0:
        rows.insert(0, np.array([[0, anchors[0, 1] - round(anchors[0, 0] * period_ns)]], np.int64))
    ahead = max(final, int(anchors[0, 0]) + 1) - int(anchors[-1, 0])
    if ahead > 0:
        rows.append(np.array([[anchors[-1, 0] + ahead, anchors[-1, 1] + round(ahead * period_ns)]], np.int64))
    return np.concatenate(rows)


def knots_of_samples(first: Int64Array, counts: Int64Array, by_number: Int64Array) -> Int64Array:
    """Turn knots over the camera's sample numbers into knots over the samples that are there.

    Where samples were lost two knots are needed, at the last sample before and the first after.

    Args:
        first: (payloads,) number of each payload's first sample.
        counts: (payloads,) samples in each.
        by_number: (K, 2) of [sample number, ns].

    Returns:
        (K, 2) of [sample index, ns].
    """
    index = np.concatenate([[0], np.cumsum(counts)[:-1]])
    after_gap = np.flatnonzero(first[1:] > first[:-1] + counts[:-1]) + 1
    before_gap = after_gap - 1
    borders = [first[after_gap], first[before_gap] + counts[before_gap] - 1]
    wanted = np.unique(np.concatenate([by_number[:, 0], *borders]))
    payload = np.clip(np.searchsorted(first, wanted, side="right") - 1, 0, len(first) - 1)
    within = wanted - first[payload]
    there = (within < counts[payload]) | (payload == len(first) - 1)
    knots = np.stack([index[payload] + within, interpolated(by_number, wanted)], axis=1)
    there_only: Int64Array = knots[there].astype(np.int64)
    return there_only


def interpolated(knots: Int64Array, numbers: Int64Array) -> Int64Array:
    """Return the time of sample numbers, (N,) int64 ns, straight between knots."""
    segment = np.clip(np.searchsorted(knots[:, 0], numbers, side="right") - 1, 0, len(knots) - 2)
    run = knots[segment + 1] - knots[segment]
    ahead = (numbers - knots[segment, 0]) * (run[:, 1] / run[:, 0])
    times: Int64Array = knots[segment, 1] + np.rint(ahead).astype(np.int64)
    return times


def fitted_line(points: Int64Array) -> tuple[float, float]:
    """Fit time = start + slope * number by medians, which one badly flushed payload does not move.

    The slope is the median over pairs of payloads half a recording apart, the start the median that goes with it.

    Args:
        points: (K, 2) of [sample number, ns].

    Returns:
        Slope in ns a sample, and start in ns; a slope of 0 for a single point.
    """
    if len(points) < 2:
        return 0.0, float(points[0, 1])
    relative = points - points[0]
    half = len(points) // 2
    run = relative[half:] - relative[:-half]
    slope = float(np.median(run[:, 1] / run[:, 0]))
    start = float(np.median(relative[:, 1] - slope * relative[:, 0])) + float(points[0, 1])
    return slope, start - slope * float(points[0, 0])


def line_residual_ns(points: Int64Array) -> int:
    """Return how far the farthest point is from the line through all; 0 for fewer than three."""
    if len(points) < 3:
        return 0
    relative = points - points[0]
    slope, start = fitted_line(relative)
    return round(float(np.abs(relative[:, 1] - (start + slope * relative[:, 0])).max()))


def ended_by(line: Int64Array, last_payload: int, end_ns: int | None) -> tuple[Int64Array, tuple[str, ...]]:
    """Let the samples of the last payload end with the video, where a line through all would outlast it.

    Args:
        line: (2, 2) of [sample number, ns].
        last_payload: Number of the last payload's first sample.
        end_ns: End of the video; None when unknown.

    Returns:
        The line, bent at the last payload if need be, and then a note.
    """
    bend = int(interpolated(line, np.array([last_payload]))[0])
    if end_ns is None or line[-1, 1] <= end_ns or last_payload >= line[-1, 0] or end_ns <= bend:
        return line, ()
    excess_s = float(line[-1, 1] - end_ns) * 1e-9
    middle = [[last_payload, bend]] if last_payload else []
    bent = np.array([line[0].tolist(), *middle, [int(line[-1, 0]), end_ns]], np.int64)
    return bent, (f"the last payload is shortened by {excess_s:.4f} s, to end with the video",)
