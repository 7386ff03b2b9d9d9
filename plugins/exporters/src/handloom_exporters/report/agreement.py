"""How far two pose sources of one body are apart, once both are in one frame and on one clock."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from handloom.geometry import interpolate_poses, quaternion
from handloom_exporters.report.gathering import FloatArray, Track

_MAX_GAP_NS = 100_000_000
"""The reference is not interpolated over more; a tracker that is lost says nothing of the other."""


@attrs.frozen(kw_only=True, eq=False)
class Agreement:
    """What two sources differ by, at the rows of the one that is compared.

    Attributes:
        reference: Name of the stream it is compared with.
        name: Name of the stream.
        seconds: (N,) s since the episode's zero.
        distances_m: (N,) between the positions; NaN where either is lost.
        turns_rad: (N,) between the orientations, the same.
    """

    reference: str
    name: str
    seconds: FloatArray
    distances_m: FloatArray
    turns_rad: FloatArray

    @property
    def sentence(self) -> str:
        """Root mean square and largest difference, in words."""
        millimetres, degrees = self.distances_m * 1e3, np.degrees(self.turns_rad)
        return (
            f"{self.name} against {self.reference}: root mean square {_rms(millimetres):.2f} mm and "
            f"{_rms(degrees):.2f}°, largest {np.nanmax(millimetres):.2f} mm and {np.nanmax(degrees):.2f}°"
        )


def agreements(tracks: Sequence[Track]) -> tuple[Agreement, ...]:
    """Return what the others differ by from the first, of those that share a clock with it at some time.

    Args:
        tracks: Poses of one body in one frame.
    """
    reference, *others = tracks
    found = (_agreement(reference, other) for other in others if not (reference.own_zero or other.own_zero))
    return tuple(each for each in found if np.isfinite(each.distances_m).any())


def _agreement(reference: Track, other: Track) -> Agreement:
    tracked = np.isfinite(reference.data).all(axis=1)
    stamps, at = ((track.seconds * 1e9).round().astype(np.int64) for track in (reference, other))
    expected, known = interpolate_poses(stamps, reference.data, tracked, at, max_gap_ns=_MAX_GAP_NS)
    known &= np.isfinite(other.data).all(axis=1)
    distances, turns = np.full(len(at), np.nan), np.full(len(at), np.nan)
    distances[known] = np.linalg.norm(other.data[known, :3] - expected[known, :3], axis=1)
    turns[known] = quaternion.angle_between(other.data[known, 3:], expected[known, 3:])
    return Agreement(
        reference=reference.name, name=other.name, seconds=other.seconds, distances_m=distances, turns_rad=turns
    )


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.nanmean(values**2)))
