"""Turn the stamps of the camera's microsecond counter, STMP, into a count that only rises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from handloom_sensors.gpmf.counting import Share

WRAP_US = 2**32
"""STMP has 64 bits, but cameras whose counter has 32 begin again at 0 after 71.6 minutes."""

_AGREE_US = 5e6
"""Counter and container may drift apart by far less than this within a chapter; a damaged stamp is off by more."""


_LARGEST_US = 2**53
"""285 years; more is damage."""


def unwrapped(shares: Sequence[Share]) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    """Return the STMPs with wraps of the 32-bit counter added up, and a note for each that cannot be used.

    A chapter may begin its counter anew; such a step back between chapters is kept as it is.
    """
    found: list[int | None] = []
    notes: list[str] = []
    turns, before, chapter = 0, None, -1
    for index, (share, credible) in enumerate(zip(shares, _credible(shares), strict=True)):
        stamp = share.stamp_us
        if stamp is None or not credible:
            found.append(None)
            if stamp is not None:
                notes.append(f"STMP {stamp} of payload {index} does not fit the others and is not used")
            continue
        if before is not None and _wrapped(before - turns * WRAP_US, stamp):
            turns += 1
        stamp += turns * WRAP_US
        if before is not None and stamp <= before:
            if share.chapter == chapter:
                back = (before - stamp) * 1e-6
                notes.append(f"STMP goes back by {back:.6f} s at payload {index} and is not used there")
                found.append(None)
                continue
            turns, stamp = 0, share.stamp_us or 0
        found.append(stamp)
        before, chapter = stamp, share.chapter
    return tuple(found), tuple(notes)


def _wrapped(before: int, stamp: int) -> bool:
    return before < WRAP_US and stamp < WRAP_US and before - stamp > WRAP_US // 2


def _credible(shares: Sequence[Share]) -> npt.NDArray[np.bool_]:
    """Say which stamps keep step with the container, as most of their chapter do; two alone cannot outvote."""
    credible = np.array([(share.stamp_us or 0) < _LARGEST_US for share in shares], np.bool_)
    stamped = [i for i, share in enumerate(shares) if share.stamp_us is not None and credible[i]]
    for chapter in sorted({share.chapter for share in shares}):
        own = [i for i in stamped if shares[i].chapter == chapter]
        if len(own) > 2 and len({shares[i].pts_ns for i in own}) == len(own):
            credible[own] = _majority(
                np.array([shares[i].stamp_us for i in own], np.float64),
                np.array([shares[i].pts_ns for i in own], np.float64) * 1e-3,
            )
    return credible


def _majority(stamps_us: npt.NDArray[np.float64], pts_us: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which stamps agree with the one that most agree with, wraps of the counter allowed for."""
    offsets = stamps_us - pts_us
    apart = np.abs(offsets[:, None] - offsets[None, :])
    agree = np.minimum(apart, np.abs(apart - WRAP_US)) < _AGREE_US
    most: npt.NDArray[np.bool_] = agree[np.argmax(agree.sum(axis=1))]
    return most


def difference_us(stamp: int, zero: int) -> int:
    """Return stamp - zero, the short way round when a 32-bit counter wrapped between the two."""
    difference = stamp - zero
    if stamp < WRAP_US and zero < WRAP_US and abs(difference) > WRAP_US // 2:
        difference -= WRAP_US if difference > 0 else -WRAP_US
    return difference
