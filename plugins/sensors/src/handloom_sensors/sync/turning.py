"""Turning as a gyroscope and as a tracker tell it: rates on an even grid, and orientation integrated from them."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom.streams import Samples

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Rates:
    """Turning rates of a body, in its own axes.

    Attributes:
        seconds: (N,) since `origin_ns`.
        rates: (N, 3) rad/s.
        known: (N,) whether a rate is.
        origin_ns: Stamp of second 0.
    """

    seconds: FloatArray
    rates: FloatArray
    known: BoolArray
    origin_ns: int

    def on_grid(self, step_s: float, smooth_s: float) -> tuple[FloatArray, BoolArray]:
        """Return rates on an even grid from second 0, (M, 3), and where they are known.

        Each is the mean over a window that fades at both ends: the noise of a tracker, differentiated, is far
        above its motion at the rate of its poses. Known is what has a rate in its own middle third.
        """
        count = int(self.seconds[-1] / step_s) + 1
        cell = np.clip((self.seconds / step_s).astype(np.int64), 0, count - 1)[self.known]
        hits = np.bincount(cell, minlength=count).astype(np.float64)
        reach = max(1, round(0.5 * smooth_s / step_s))
        window = np.hanning(2 * reach + 3)[1:-1]
        weights = np.convolve(hits, window)[reach:-reach]
        sums = [np.bincount(cell, weights=rates, minlength=count) for rates in self.rates[self.known].T]
        smooth = np.stack([np.convolve(one, window)[reach:-reach] for one in sums], axis=1)
        near = np.convolve(hits, np.ones(2 * (reach // 3) + 1))[reach // 3 :][:count] > 0
        return smooth / np.maximum(weights, 1e-12)[:, None], near


def gyroscope_rates(samples: Samples) -> Rates:
    """Return what a gyroscope says."""
    stamps = samples.all_stamps()
    return Rates(
        seconds=(stamps - stamps[0]) * 1e-9,
        rates=samples.data.astype(np.float64),
        known=np.asarray(np.isfinite(samples.data).all(axis=1)),
        origin_ns=int(stamps[0]),
    )


def pose_rates(samples: Samples, max_gap_s: float) -> Rates:
    """Return the mean turning rates between the poses of a stream, at the middles; unknown across lost rows."""
    stamps = samples.all_stamps()
    assert samples.tracked is not None
    seconds = (stamps - stamps[0]) * 1e-9
    length = np.diff(seconds)
    known = samples.tracked[:-1] & samples.tracked[1:] & (length > 0) & (length <= max_gap_s)
    before, after = samples.data[:-1, 3:], samples.data[1:, 3:]
    turned = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(before), after))
    rates = np.where(known[:, None], turned / np.where(length > 0, length, 1.0)[:, None], np.nan)
    return Rates(seconds=0.5 * (seconds[:-1] + seconds[1:]), rates=rates, known=known, origin_ns=int(stamps[0]))


def integrated(seconds: FloatArray, rates: FloatArray) -> FloatArray:
    """Return orientations (N, 4) q_start_now of a body that turns at (N, 3) rad/s, straight between the samples.

    The products are formed by doubling: log2(N) rounds instead of N steps.
    """
    turns = 0.5 * (rates[1:] + rates[:-1]) * np.diff(seconds)[:, None]
    whole = np.concatenate([[[0.0, 0.0, 0.0, 1.0]], quaternion.from_rotvec(turns)])
    reach = 1
    while reach < len(whole):
        whole = np.concatenate([whole[:reach], quaternion.multiply(whole[:-reach], whole[reach:])])
        reach *= 2
    return whole


def orientation_at(seconds: FloatArray, orientations: FloatArray, at: FloatArray) -> FloatArray:
    """Return orientations (M, 4) at times, turning evenly between those known."""
    place = np.clip(np.searchsorted(seconds, at, side="right") - 1, 0, len(seconds) - 2)
    share = (at - seconds[place]) / (seconds[place + 1] - seconds[place])
    turn = quaternion.to_rotvec(
        quaternion.multiply(quaternion.conjugate(orientations[place]), orientations[place + 1])
    )
    return quaternion.multiply(orientations[place], quaternion.from_rotvec(turn * share[:, None]))
