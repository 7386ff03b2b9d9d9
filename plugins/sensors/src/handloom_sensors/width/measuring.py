"""From the tracks of both fingers' tags to their separation: one number a frame, or a gap with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import CameraModel
from handloom_sensors.width.posing import corner_points
from handloom_sensors.width.rail import LEAST_FRAMES, fit_rails
from handloom_sensors.width.series import at_stamps
from handloom_sensors.width.settings import GripperWidthConfig
from handloom_sensors.width.track import Track

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

FINGERS = ("left", "right")


@attrs.frozen(kw_only=True, eq=False)
class Separations:
    """How far apart the tags are.

    Attributes:
        metres: (N,) x_right - x_left of the centres in the camera's frame; NaN for a gap.
        tags: (N,) how many tags tell it: 2, 1 under the symmetric jaw, 0 for a gap.
        reasons: (N,) text; "" where there is a separation.
        corners: (N, 16) pixels, left then right tag, each corner x y; NaN where not measured.
        symmetry_plane_m: x of the plane between the fingers; NaN where it was not needed.
        notes: Sentences.
    """

    metres: FloatArray
    tags: FloatArray
    reasons: npt.NDArray[np.str_]
    corners: FloatArray
    symmetry_plane_m: float
    notes: tuple[str, ...]

    def gaps(self) -> dict[str, int]:
        """Return how many frames are gaps for each reason."""
        return dict(sorted(Counter(reason for reason in self.reasons.tolist() if reason).items()))


def separations(
    tracks: tuple[Track, Track], stamps: Int64Array, camera: CameraModel, config: GripperWidthConfig
) -> Separations:
    """Return the separation of both tags in every frame."""
    corners = np.concatenate([_corners(track, camera, config.tag_size_m) for track in tracks], axis=1)
    x, notes = _along(tracks, config)
    reasons = _reasons(tracks, x)
    if config.readout_s:
        rows = np.stack([corners[:, 1:8:2].mean(axis=1), corners[:, 9:16:2].mean(axis=1)])
        late = config.readout_s * ((rows + 0.5) / camera.height - 0.5)
        x = np.stack([at_stamps(each, stamps, late_s) for each, late_s in zip(x, late, strict=True)])
    metres = x[1] - x[0]
    crossed = metres < config.tag_size_m
    metres[crossed], reasons[crossed] = np.nan, "crossed"
    tags = np.where(np.isfinite(metres), 2.0, 0.0)
    plane = np.nan
    if config.symmetric_jaw:
        plane, note = _symmetry_plane(x, tags, config)
        notes += [note] if note else []
        single = np.isfinite(x).sum(axis=0) == 1
        metres = np.where(single, 2.0 * np.abs(np.nansum(x, axis=0) - plane), metres)
        tags, reasons = np.where(single, 1.0, tags), np.where(single, "", reasons)
    return Separations(
        metres=metres, tags=tags, reasons=reasons, corners=corners, symmetry_plane_m=plane, notes=tuple(notes)
    )


def _along(tracks: Sequence[Track], config: GripperWidthConfig) -> tuple[FloatArray, list[str]]:
    """Return x (2, N) of the tags' centres, and what to say of how they were found."""
    x = np.stack([track.centres[:, 0] for track in tracks])
    if config.method == "tags":
        return x, []
    counts = [int(track.measured.sum()) for track in tracks]
    enough = [finger for finger, count in enumerate(counts) if count >= LEAST_FRAMES]
    notes = [
        f"The {FINGERS[finger]} tag was measured in {count} frames, fewer than the {LEAST_FRAMES} that a rail is "
        "fitted to; each frame stands for itself."
        for finger, count in enumerate(counts)
        if 0 < count < LEAST_FRAMES
    ]
    if enough:
        play = {"flex_m": config.flex_m, "turn_rad": config.turn_rad, "tolerance_m": config.rail_tolerance_m}
        for finger, rail in zip(enough, fit_rails([tracks[each] for each in enough], **play), strict=True):
            x[finger] = rail.x
    return x, notes


def _reasons(tracks: tuple[Track, Track], x: FloatArray) -> npt.NDArray[np.str_]:
    """Name why each frame is a gap: what is wrong with the left tag, the right one, or both."""
    each = []
    for track, places in zip(tracks, x, strict=True):
        each.append(np.where((track.reasons == "") & np.isnan(places), "off rail", track.reasons).astype("U16"))
    left, right = each
    both = np.where(left == right, np.char.add("both ", left), "both lost")
    one = np.where(left != "", np.char.add("left ", left), np.char.add("right ", right))
    named = np.where((left != "") & (right != ""), both, one)
    return np.where((left == "") & (right == ""), "", named)


def _symmetry_plane(x: FloatArray, tags: FloatArray, config: GripperWidthConfig) -> tuple[float, str]:
    if config.symmetry_plane_m is not None:
        return config.symmetry_plane_m, ""
    both = tags == 2.0
    if both.any():
        return float(np.median(0.5 * (x[0] + x[1])[both])), ""
    return 0.0, "No frame shows both tags; the plane between the fingers is taken to be the camera's own, x = 0."


def _corners(track: Track, camera: CameraModel, side_m: float) -> FloatArray:
    """Return (N, 8) pixels of a tag's corners."""
    corners = np.full((len(track.reasons), 4, 2), np.nan)
    measured = track.measured
    corners[measured], _ = camera.project(
        corner_points(track.rotations[measured], track.centres[measured], side_m)
    )
    return corners.reshape(-1, 8)
