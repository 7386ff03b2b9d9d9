"""Moves the poses of tags until all their printed edges lie on the edges of the picture."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import CameraModel
from handloom.geometry.arrays import cross
from handloom_sensors.width.pattern import Layout
from handloom_sensors.width.profiles import Luma, edge_offsets

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_PROFILES = (0.42, 0.3, 0.25, 0.25, 0.25)
"""Half length of the profiles in cells, one for each iteration: far at first, then clear of the next edge."""

_SHORTEST_PX, _LONGEST_PX = 1.2, 8.0
"""Half lengths that a profile keeps within: less holds no edge and its blur, more is slow and no better."""

_SETTLED_PX = 0.08
"""A step that moves the edges by less than this on the whole was the last: a next one would move them a tenth."""

_LEAST_TO_MOVE, _LEAST_SHARE = 0.5, 0.8
"""Edges in sight that a tag needs to be moved by them, and to count as measured in the end."""

_LEAST_NOISE_PX = 0.02
"""No edge is believed to be truer than this: a lens's calibration is not."""

_SHARED_NOISE = 4.0
"""Neighbouring profiles look at the same pixels, so their errors count for a quarter of as many."""

_STEP_M = 1e-6
"""Of the finite differences: far below a pixel, far above what float64 rounds off."""


@attrs.frozen(kw_only=True, eq=False)
class Refined:
    """Tags measured by their edges.

    Attributes:
        rotations: (T, 3, 3) R_camera_tag.
        centres: (T, 3) m in the camera's frame.
        information: (T, 6, 6) inverse covariance of centre (m) and a small turn (rad) about the camera's axes.
        good: (T,) whether enough edges were in sight and the pose settled.
    """

    rotations: FloatArray
    centres: FloatArray
    information: FloatArray
    good: BoolArray


def refine(
    luma: Luma,
    light: FloatArray,
    *,
    camera: CameraModel,
    layout: Layout,
    rotations: FloatArray,
    centres: FloatArray,
    side_m: float,
) -> Refined:
    """Refine the poses of tags by Gauss-Newton on the distances of their edges, along the edges' normals.

    Source: Harris and Stennett, "RAPID, a video rate object tracker", BMVC 1990.

    Args:
        luma: (H, W) picture.
        light: (256,) light of each of its levels.
        camera: The camera that took it.
        layout: What is printed on the T tags.
        rotations: (T, 3, 3) R_camera_tag to start from.
        centres: (T, 3) m to start from.
        side_m: Side of the black squares.
    """
    slope = _Slope.at(camera, layout, rotations, centres, side_m)
    settled = np.zeros(len(centres), dtype=bool)
    bleeding = np.zeros(len(centres))
    for number, reach in enumerate(_PROFILES):
        pixels, seen = _pixels(camera, layout, rotations, centres, side_m)
        half = np.clip(reach * layout.cell * side_m * slope.stretch, _SHORTEST_PX, _LONGEST_PX)
        offsets, there = edge_offsets(luma, light, points=pixels, normals=slope.across, half=half)
        there &= layout.printed & seen
        weights, noise = _weighted(offsets - bleeding[:, None], there)
        share = there.sum(axis=1) / layout.count
        step, information = _solved(slope.rows, weights, offsets, share >= _LEAST_TO_MOVE)
        bleeding, centres = step[:, 6], centres + step[:, :3]
        rotations = _turn(step[:, 3:6]) @ rotations
        settled = np.sqrt(((slope.rows[..., :6] @ step[:, :6, None]) ** 2).mean(axis=(1, 2))) < _SETTLED_PX
        if number and settled.all():
            break
    scale = 1.0 / (_SHARED_NOISE * np.maximum(noise, _LEAST_NOISE_PX) ** 2)
    return Refined(
        rotations=rotations,
        centres=centres,
        information=_without_bleeding(information) * scale[:, None, None],
        good=(share >= _LEAST_SHARE) & settled,
    )


def _pixels(
    camera: CameraModel, layout: Layout, rotations: FloatArray, centres: FloatArray, side_m: float
) -> tuple[FloatArray, BoolArray]:
    arms = side_m * layout.points @ np.swapaxes(rotations[..., :2], -1, -2)
    pixels, seen = camera.project(centres[:, None] + arms)
    return np.where(seen[..., None], pixels, 0.0), seen


@attrs.frozen(kw_only=True, eq=False)
class _Slope:
    """How the edges in the picture move with the poses; as good as the same for all iterations.

    Attributes:
        across: (T, M, 2) unit normals of the edges in the picture, from black to white.
        stretch: (T, M) pixels an edge moves along it for a metre along the edge's normal in the tag's plane.
        rows: (T, M, 7) pixels an edge moves along it with the centre, with a turn about the centre, and bleeding.
    """

    across: FloatArray
    stretch: FloatArray
    rows: FloatArray

    @classmethod
    def at(
        cls, camera: CameraModel, layout: Layout, rotations: FloatArray, centres: FloatArray, side_m: float
    ) -> _Slope:
        """Return the slope at poses."""
        tag_axes = np.swapaxes(rotations[..., :2], -1, -2)
        arms, normals = side_m * layout.points @ tag_axes, layout.normals @ tag_axes
        per_metre = _pixels_per_metre(camera, centres[:, None] + arms)
        along = _applied(per_metre, cross(np.broadcast_to(rotations[:, None, :, 2], normals.shape), normals))
        # An edge's normal in the picture is perpendicular to its own image, not the image of its normal.
        across = np.stack([along[..., 1], -along[..., 0]], axis=-1)
        across /= np.maximum(np.hypot(along[..., 0], along[..., 1]), 1e-12)[..., None]
        stretch = (across * _applied(per_metre, normals)).sum(axis=-1)
        across *= np.sign(stretch)[..., None]
        moved = (across[..., None] * per_metre).sum(axis=-2)
        # White that bleeds into black, by glare, blur or a tone curve not undone, moves all edges by as much
        # towards black; with inner edges among them that is told apart from a tag that is smaller or farther.
        rows = np.concatenate([moved, cross(arms, moved), np.ones((*moved.shape[:-1], 1))], axis=-1)
        return cls(across=across, stretch=np.abs(stretch), rows=rows)


def _pixels_per_metre(camera: CameraModel, points: FloatArray) -> FloatArray:
    """Return the change (T, M, 2, 3) of the pixels of points (T, M, 3) m; 0 where the camera does not see them."""
    shifted = np.concatenate([points[None], points + _STEP_M * np.eye(3)[:, None, None, :]])
    pixels, _ = camera.project(shifted)
    slope: FloatArray = np.moveaxis((pixels[1:] - pixels[0]) / _STEP_M, 0, -1)
    return np.where(np.isfinite(slope), slope, 0.0)


def _applied(per_metre: FloatArray, vectors: FloatArray) -> FloatArray:
    return (per_metre @ vectors[..., None])[..., 0]


def _weighted(offsets: FloatArray, there: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return Huber weights (T, M), and the robust spread (T,) of the offsets about 0."""
    sizes = np.abs(offsets)
    ordered = np.sort(np.where(there, sizes, np.inf), axis=1)
    spread = 1.4826 * ordered[np.arange(len(sizes)), there.sum(axis=1) // 2]
    limit = 1.5 * np.maximum(spread, _LEAST_NOISE_PX)[:, None]
    return np.where(there, np.minimum(1.0, limit / np.maximum(sizes, 1e-12)), 0.0), spread


def _solved(
    rows: FloatArray, weights: FloatArray, offsets: FloatArray, enough: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the step (T, 7) and the information (T, 7, 7); a tag with too few edges stays where it is."""
    weighted = np.swapaxes(rows * weights[..., None], 1, 2)
    information, pull = weighted @ rows, weighted @ offsets[..., None]
    information = np.where(enough[:, None, None], information, np.eye(7))
    pull = np.where(enough[:, None, None], pull, 0.0)
    # So little that it moves no pose, and enough where an edge seen end on leaves a direction open.
    information = information + 1e-9 * np.trace(information, axis1=1, axis2=2)[:, None, None] * np.eye(7)
    return np.linalg.solve(information, pull)[..., 0], information


def _without_bleeding(information: FloatArray) -> FloatArray:
    """Return (T, 6, 6): what is known of the pose when nothing is known of the bleeding."""
    shared = information[:, :6, 6:]
    known: FloatArray = information[:, :6, :6] - shared @ np.swapaxes(shared, 1, 2) / information[:, 6:, 6:]
    return known


def _turn(vectors: FloatArray) -> FloatArray:
    """Return rotations (T, 3, 3) of rotation vectors (T, 3), by Rodrigues' formula."""
    x, y, z = vectors.T
    skew = np.zeros((len(vectors), 3, 3))
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -z, y, -x
    skew -= np.swapaxes(skew, 1, 2)
    angle = np.sqrt((vectors**2).sum(axis=1))[:, None, None]
    turned: FloatArray = (
        np.eye(3) + np.sinc(angle / np.pi) * skew + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * skew @ skew
    )
    return turned
