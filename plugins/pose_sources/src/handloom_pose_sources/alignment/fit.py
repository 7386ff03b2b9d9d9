"""Transform and time offsets together, by least squares that disbelieve outliers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose, quaternion
from handloom.time import ClockMap
from handloom_pose_sources.alignment.horn import horn
from handloom_pose_sources.alignment.tracks import Pairs, Take, pairs_of

Float64Array = npt.NDArray[np.float64]

_TUKEY = 4.685
"""Residuals beyond this many standard deviations count nothing; 95 % efficient for normal noise.

Source: Holland and Welsch, "Robust regression using iteratively reweighted least-squares" (1977).
"""

_LEAST_SIGMA_M = 1e-5
"""No tracker is better; exact input would otherwise have no outlier but rounding."""

_SIGMA_PER_MEDIAN = 1.0 / 1.5382
"""Of the distance of three normal coordinates, whose median does not depend on how the axes lie.

Source: the chi distribution with three degrees of freedom.
"""

_HORN_ROUNDS, _MOST_ROUNDS = 10, 30
"""Of the closed form's reweighting and of Gauss-Newton, which ends after a few."""

_STILL = 1e-9
"""A step of less than a nanometre, nanoradian or nanosecond ends the search."""


@attrs.frozen(kw_only=True)
class Prior:
    """How well the clock maps to start from are known, one standard deviation.

    Attributes:
        offset_s: Of the offset; 0 keeps it.
        drift: Of the rate, 1e-6 is one part per million; 0 keeps it.
    """

    offset_s: float
    drift: float


@attrs.frozen(kw_only=True, eq=False)
class Fit:
    """What came out.

    Attributes:
        T_a_b: (7,)
        clock_maps: From the other's clock to the reference's, by episode, with uncertainties of the fit.
        pairs: By episode.
        weights: By episode (M,), 0 for an outlier.
        turn_sigma_rad: (3,) standard error of T_a_b's turn about the axes of a.
    """

    T_a_b: Float64Array
    clock_maps: Mapping[str, ClockMap]
    pairs: Mapping[str, Pairs]
    weights: Mapping[str, Float64Array]
    turn_sigma_rad: Float64Array

    def distances_m(self, episode: str) -> Float64Array:
        """Return (M,) how far the pairs of an episode are apart."""
        distances: Float64Array = np.linalg.norm(_residuals(self.pairs[episode], self.T_a_b), axis=1)
        return distances


def fit(takes: Sequence[Take], starts: Mapping[str, ClockMap], *, prior: Prior, max_gap_ns: int) -> Fit:
    """Find T_a_b, and for each episode offset and drift between the clocks.

    Args:
        takes: At least one; together they have three pairs or more.
        starts: Clock maps to start from, by episode: right to a few 10 ms.
        prior: How right.
        max_gap_ns: Nothing is interpolated between rows further apart.
    """
    maps = dict(starts)
    T_a_b = robust_horn(
        [pairs_of(take, maps[take.episode], pose.IDENTITY, max_gap_ns=max_gap_ns) for take in takes]
    )
    for _ in range(_MOST_ROUNDS):
        pairs = [pairs_of(take, maps[take.episode], T_a_b, max_gap_ns=max_gap_ns) for take in takes]
        sigma, weights = _weights(pairs, T_a_b)
        step, covariance = _step(
            pairs, weights, T_a_b, sigma, prior, [_moved(maps, starts, take) for take in takes]
        )
        T_a_b = _turned(T_a_b, step[:6], _centre(pairs, weights, T_a_b))
        for row, take in enumerate(takes):
            maps[take.episode] = _shifted(maps[take.episode], *step[6 + 2 * row : 8 + 2 * row])
        if np.abs(step).max() < _STILL:
            break
    pairs = [pairs_of(take, maps[take.episode], T_a_b, max_gap_ns=max_gap_ns, turns=True) for take in takes]
    _, weights = _weights(pairs, T_a_b)
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return Fit(
        T_a_b=T_a_b,
        clock_maps={
            take.episode: attrs.evolve(
                maps[take.episode],
                uncertainty_ns=float(spread[6 + 2 * row] * 1e9),
                drift_uncertainty_ppm=float(spread[7 + 2 * row] * 1e6),
            )
            for row, take in enumerate(takes)
        },
        pairs={take.episode: found for take, found in zip(takes, pairs, strict=True)},
        weights={take.episode: found for take, found in zip(takes, weights, strict=True)},
        turn_sigma_rad=spread[:3],
    )


def robust_horn(pairs: Sequence[Pairs]) -> Float64Array:
    """Return T_a_b of all pairs with far ones counting less, (7,): least absolute distances, nearly.

    Source: Weiszfeld's iteration, each round weighted by 1 / distance.
    """
    points_a = np.concatenate([found.points_a for found in pairs])
    points_b = np.concatenate([found.points_b for found in pairs])
    T_a_b = horn(points_a, points_b)
    for _ in range(_HORN_ROUNDS):
        distances = np.linalg.norm(points_a - pose.transform_points(T_a_b, points_b), axis=1)
        T_a_b = horn(points_a, points_b, 1.0 / np.maximum(distances, max(np.median(distances) * 0.1, 1e-9)))
    return T_a_b


def _residuals(pairs: Pairs, T_a_b: Float64Array) -> Float64Array:
    residuals: Float64Array = pairs.points_a - pose.transform_points(T_a_b, pairs.points_b)
    return residuals


def _weights(pairs: Sequence[Pairs], T_a_b: Float64Array) -> tuple[float, list[Float64Array]]:
    """Return the standard deviation of a coordinate, and Tukey's weight of each pair."""
    distances = [np.linalg.norm(_residuals(found, T_a_b), axis=1) for found in pairs]
    sigma = max(_LEAST_SIGMA_M, _SIGMA_PER_MEDIAN * float(np.median(np.concatenate(distances))))
    # A pair is judged as a whole: the distance of three normal coordinates exceeds 4.685 sigma once in 10000.
    scaled = [found / (_TUKEY * sigma) for found in distances]
    return sigma, [np.where(ratio < 1.0, (1.0 - ratio**2) ** 2, 0.0) for ratio in scaled]


def _centre(pairs: Sequence[Pairs], weights: Sequence[Float64Array], T_a_b: Float64Array) -> Float64Array:
    """Return the weighted centre of the points in a, about which turn and shift do not disturb each other."""
    points = pose.transform_points(T_a_b, np.concatenate([found.points_b for found in pairs]))
    share = np.concatenate(weights)
    centre: Float64Array = share @ points / max(share.sum(), 1e-12)
    return centre


def _step(
    pairs: Sequence[Pairs],
    weights: Sequence[Float64Array],
    T_a_b: Float64Array,
    sigma: float,
    prior: Prior,
    moved: Sequence[tuple[float, float]],
) -> tuple[Float64Array, Float64Array]:
    """Return the Gauss-Newton step, [turn, shift, offset, drift, offset, drift, ...], and its covariance."""
    size = 6 + 2 * len(pairs)
    normal, right = np.zeros((size, size)), np.zeros(size)
    centre = _centre(pairs, weights, T_a_b)
    for row, (found, weight) in enumerate(zip(pairs, weights, strict=True)):
        jacobian = _jacobian(found, T_a_b, centre)
        known = (jacobian * (weight / sigma**2)[:, None, None]).reshape(-1, 8)
        columns = np.array([*range(6), 6 + 2 * row, 7 + 2 * row])
        normal[np.ix_(columns, columns)] += known.T @ jacobian.reshape(-1, 8)
        right[columns] += known.T @ _residuals(found, T_a_b).reshape(-1)
        for column, spread, gone in zip(columns[6:], (prior.offset_s, prior.drift), moved[row], strict=True):
            if spread > 0.0:
                normal[column, column] += spread**-2
                right[column] -= gone * spread**-2
    free = np.ones(size, dtype=bool)
    free[6::2], free[7::2] = prior.offset_s > 0.0, prior.drift > 0.0
    step, covariance = np.zeros(size), np.zeros((size, size))
    inverse = np.linalg.pinv(normal[np.ix_(free, free)], hermitian=True)
    covariance[np.ix_(free, free)] = inverse
    step[free] = inverse @ right[free]
    return step, covariance


def _jacobian(pairs: Pairs, T_a_b: Float64Array, centre: Float64Array) -> Float64Array:
    """Return (M, 3, 8): what a residual loses by a turn, a shift, an offset in s and a drift."""
    arm = pose.transform_points(T_a_b, pairs.points_b) - centre
    jacobian = np.zeros((len(pairs), 3, 8))
    jacobian[:, 0, 1], jacobian[:, 0, 2] = arm[:, 2], -arm[:, 1]
    jacobian[:, 1, 0], jacobian[:, 1, 2] = -arm[:, 2], arm[:, 0]
    jacobian[:, 2, 0], jacobian[:, 2, 1] = arm[:, 1], -arm[:, 0]
    jacobian[:, [0, 1, 2], [3, 4, 5]] = 1.0
    jacobian[:, :, 6] = -pairs.velocities_a
    jacobian[:, :, 7] = -pairs.velocities_a * pairs.since_s[:, None]
    return jacobian


def _turned(T_a_b: Float64Array, step: Float64Array, centre: Float64Array) -> Float64Array:
    turn = quaternion.from_rotvec(step[:3])
    moved = np.concatenate([centre + step[3:] - quaternion.rotate(turn, centre), turn])
    return pose.compose(moved, T_a_b)


def _shifted(known: ClockMap, offset_s: float, drift: float) -> ClockMap:
    return attrs.evolve(
        known,
        offset_ns=known.offset_ns + round(offset_s * 1e9),
        drift_ppm=known.drift_ppm + drift * 1e6,
    )


def _moved(maps: Mapping[str, ClockMap], starts: Mapping[str, ClockMap], take: Take) -> tuple[float, float]:
    """Return how far offset, s, and drift have gone from where they started."""
    now, start = maps[take.episode], starts[take.episode]
    return (now.offset_ns - start.offset_ns) * 1e-9, (now.drift_ppm - start.drift_ppm) * 1e-6
