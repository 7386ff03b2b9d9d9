"""A finger's tag slides along a straight rail and hardly turns: fitted over an episode, that steadies each frame.

Four corners tell the direction of a small tag ten times better than its distance, and an error of the distance
shifts the tag sideways where it is far from the camera's axis. The rail knows the distance from all frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.width.track import Track

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

LEAST_FRAMES = 20
"""With fewer sightings a rail is not worth fitting."""

_SLOPE = 0.05
"""How far from parallel to the camera's x a rail is expected to be, rad: it matters where the jaw hardly moves."""

_ITERATIONS = 8
"""Reweighted fits; the last ones change nothing that matters."""

_HUBER = 3.0
"""Sigmas beyond which a frame counts less; 3 keeps nearly all. Source: Huber, "Robust statistics", 1981."""

_OFF_SIGMAS = 6.0
"""A tag this far off its rail, by its own covariance, is not on it."""


@attrs.frozen(kw_only=True, eq=False)
class Rail:
    """Where a tag can be.

    Attributes:
        origin: (6,) centre (m) and turn (rad) beside the mean orientation, at x = 0; its first element is 0.
        direction: (6,) change for a metre of x, the same for all tags of a jaw.
        x: (N,) m, where the tag is on the rail in each frame; NaN where it was not measured.
        off: (N,) whether the tag was measured where the rail can't have it.
    """

    origin: FloatArray
    direction: FloatArray
    x: FloatArray
    off: BoolArray


def fit_rails(tracks: Sequence[Track], *, flex_m: float, turn_rad: float, tolerance_m: float) -> list[Rail]:
    """Fit the parallel rails of the tags of a jaw, and where on them the tags are.

    Weighted least squares on the measured poses, each with its own covariance and that of the play of a real jaw,
    frames far off their rail counting less; x of each frame is eliminated, which makes it the best one for the
    rail. One direction for all tags: an error that grows towards the picture's borders slopes opposite ways left
    and right, and can't pass for a slope of the jaw.

    Args:
        tracks: The sightings of each tag, at least one measured.
        flex_m: How far a tag strays from its rail, one sigma.
        turn_rad: How far it turns, one sigma.
        tolerance_m: A tag farther off the rail than this, and than what its own covariance explains, is off it.
    """
    states = np.concatenate([_states(track) for track in tracks])
    tag = np.repeat(np.arange(len(tracks)), [track.measured.sum() for track in tracks])
    play = np.diag([0.0, flex_m, flex_m, turn_rad, turn_rad, turn_rad]) ** 2
    information = np.concatenate([track.information[track.measured] for track in tracks])
    trusted = np.linalg.inv(np.linalg.inv(information) + play)
    direction = np.eye(6)[0]
    origins = np.stack([np.median(states[tag == each], axis=0) for each in range(len(tracks))])
    middles = origins[:, 0].copy()
    origins[:, 0] = 0.0
    for _ in range(_ITERATIONS):
        x, residuals, free = _slid(states, trusted, origins[tag], direction)
        weights = np.minimum(1.0, _HUBER / np.maximum(_lengths(residuals, free), 1e-12))
        lifted, turned = _step(x - middles[tag], tag, residuals, free * weights[:, None, None], direction)
        direction = direction + turned
        origins = origins + lifted - middles[:, None] * turned
    x, residuals, free = _slid(states, trusted, origins[tag], direction)
    off = (np.linalg.norm(residuals[:, 1:3], axis=1) > tolerance_m) & (_lengths(residuals, free) > _OFF_SIGMAS)
    return [
        Rail(
            origin=origins[each],
            direction=direction,
            x=_spread(np.where(off, np.nan, x)[tag == each], track.measured, np.nan),
            off=_spread(off[tag == each], track.measured, 0.0).astype(bool),
        )
        for each, track in enumerate(tracks)
    ]


def _spread(values: npt.NDArray[Any], rows: BoolArray, rest: float) -> npt.NDArray[Any]:
    """Return values in the rows they belong to, with something else in the rest."""
    spread = np.full(len(rows), rest)
    spread[rows] = values
    return spread


def _lengths(residuals: FloatArray, information: FloatArray) -> FloatArray:
    """Return the lengths (n,) of residuals in sigmas."""
    squares: FloatArray = np.einsum("ni,nij,nj->n", residuals, information, residuals)
    return np.sqrt(np.maximum(squares, 0.0))


def _states(track: Track) -> FloatArray:
    """Return (n, 6): centres, and turns from the mean orientation about the camera's axes."""
    rotations = track.rotations[track.measured]
    left, _, right = np.linalg.svd(rotations.mean(axis=0))
    mean = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
    turns = rotations @ mean.T
    # The turns are small: the antisymmetric part is the rotation vector but for a factor of sin(a) / a.
    vectors = 0.5 * np.stack(
        [turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1]], axis=1
    )
    return np.concatenate([track.centres[track.measured], vectors], axis=1)


def _slid(
    states: FloatArray, trusted: FloatArray, origins: FloatArray, direction: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the best x (n,) on the rails, what remains (n, 6), and the information (n, 6, 6) with x left free."""
    pulled = trusted @ direction
    x = ((states - origins) * pulled).sum(axis=1) / (pulled @ direction)
    residuals = states - origins - x[:, None] * direction
    free = trusted - pulled[:, :, None] * pulled[:, None, :] / (pulled @ direction)[:, None, None]
    return x, residuals, free


def _step(
    beside: FloatArray,
    tag: npt.NDArray[np.intp],
    residuals: FloatArray,
    weights: FloatArray,
    direction: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the changes of the rails' places (T, 6) and of their direction (6,); orientation does not slope."""
    count = int(tag.max()) + 1
    rows = np.zeros((len(tag), 6, 5 * count + 2))
    for state in range(1, 6):
        rows[np.arange(len(tag)), state, 5 * tag + state - 1] = 1.0
    rows[:, 1, -2], rows[:, 2, -1] = beside, beside
    weighted = np.swapaxes(rows, 1, 2) @ weights
    normal, pull = (weighted @ rows).sum(axis=0), (weighted @ residuals[..., None]).sum(axis=0)[:, 0]
    slopes = np.arange(len(pull)) >= len(pull) - 2
    normal[slopes, slopes] += 1.0 / _SLOPE**2
    pull[slopes] -= direction[1:3] / _SLOPE**2
    solved = np.linalg.solve(normal, pull)
    lifted = np.concatenate([np.zeros((count, 1)), solved[:-2].reshape(count, 5)], axis=1)
    return lifted, np.array([0.0, *solved[-2:], 0.0, 0.0, 0.0])
