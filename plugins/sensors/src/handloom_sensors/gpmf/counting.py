"""Number the samples of a stream as the camera counted them, so that lost payloads leave gaps of known length."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.gpmf.telemetry import Payload, TelemetryStream

Int64Array = npt.NDArray[np.int64]

_FAR = 2.0
"""Lost samples are believed when the payload's start confirms them within this factor."""


@attrs.frozen(kw_only=True)
class Share:
    """One payload's share of a stream, reduced to what tells its time.

    Attributes:
        count: Samples, at least 1.
        stamp_us: STMP of the first of them; None when not recorded.
        total: TSMP, samples up to and including these; None when not recorded.
        pts_ns: Start of the payload on the device's clock.
        duration_ns: Its length according to the container; 0 when unknown.
        chapter: File it is from.
    """

    count: int
    stamp_us: int | None
    total: int | None
    pts_ns: int
    duration_ns: int = 0
    chapter: int = 0


def shares_of(stream: TelemetryStream, payloads: Sequence[Payload]) -> tuple[Share, ...]:
    """Return the shares of a stream, those without samples left out."""
    return tuple(
        Share(
            count=len(part),
            stamp_us=part.stamp_us,
            total=part.total,
            pts_ns=payloads[part.payload].pts_ns,
            duration_ns=payloads[part.payload].duration_ns,
            chapter=payloads[part.payload].chapter,
        )
        for part in stream.parts
        if len(part)
    )


@attrs.frozen(kw_only=True, eq=False)
class Numbering:
    """The device's own sample numbers.

    Attributes:
        first: (shares,) int64 number of the first sample of each share; the first of all is 0.
        lost: (shares,) int64 samples missing before each share.
        notes: What was not believed.
    """

    first: Int64Array
    lost: Int64Array
    notes: tuple[str, ...] = ()


def number_samples(shares: Sequence[Share], times_ns: Sequence[int]) -> Numbering:
    """Number the samples by TSMP; where there is none, and where the time speaks against it, by counting.

    Args:
        shares: Shares of one stream.
        times_ns: Start of each share, from STMP or the container.
    """
    period = _typical_period_ns(shares, times_ns)
    first, lost, notes = [0], [0], []
    offset = 0 if shares[0].total is None else shares[0].count - shares[0].total
    for index in range(1, len(shares)):
        expected = first[-1] + shares[index - 1].count
        jump = _jump(shares[index], offset, expected)
        if jump and not _believable(jump, shares[index - 1].count, times_ns[index] - times_ns[index - 1], period):
            if shares[index].chapter == shares[index - 1].chapter:
                notes.append(
                    f"TSMP jumps by {jump} samples at payload {index} although the time does not; not believed"
                )
            jump = 0
        first.append(expected + jump)
        lost.append(jump)
        total = shares[index].total
        offset = offset if total is None else first[-1] + shares[index].count - total
    return Numbering(first=np.array(first, np.int64), lost=np.array(lost, np.int64), notes=tuple(notes))


def _jump(share: Share, offset: int, expected: int) -> int:
    return 0 if share.total is None else share.total - share.count + offset - expected


def _believable(jump: int, count: int, elapsed_ns: int, period_ns: float) -> bool:
    if jump < 0:
        return False
    return elapsed_ns / _FAR < (count + jump) * period_ns < elapsed_ns * _FAR


def _typical_period_ns(shares: Sequence[Share], times_ns: Sequence[int]) -> float:
    """Return the median time a sample takes, over payloads; of two, one may lie before a gap, so by durations."""
    counts = np.array([share.count for share in shares], np.float64)
    durations = np.array([share.duration_ns for share in shares], np.float64)
    if len(shares) < 3 and durations.all():
        return float(np.median(durations / counts))
    return float(np.median(np.diff(np.asarray(times_ns, np.int64)) / counts[:-1])) if len(counts) > 1 else 0.0
