"""Follows the fingers' tags from frame to frame: where they are expected first, then along their rail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import CameraModel
from handloom_sensors.width.detecting import Detector, Luma, Seen
from handloom_sensors.width.pattern import Layout
from handloom_sensors.width.places import expected_side_px, rail_box, shrinking, whole
from handloom_sensors.width.posing import TagPose, facing, square_poses
from handloom_sensors.width.reading import reads_as_printed
from handloom_sensors.width.refining import Refined, refine
from handloom_sensors.width.settings import GripperWidthConfig
from handloom_sensors.width.surveying import Surveyor

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_CLOSER_EVERY = 4
"""A tag that stays lost is looked for at full size once in so many frames."""

_SIGNS = (-1.0, 1.0)
"""Side of the camera's middle plane on which the left and the right finger's tag slides."""

_LEAST_FACING = 0.5
"""A tag that is turned by more than 60 degrees from the camera is no finger's."""


@attrs.frozen(kw_only=True, eq=False)
class Sighting:
    """What became of one finger's tag in one frame.

    Attributes:
        reason: "" when it was measured, else why not: missing, depth, ambiguous or unrefined.
        rotation: (3, 3) R_camera_tag; NaN when not measured, as the centre is.
        centre: (3,) m in the camera's frame.
        information: (6, 6), see `Refined`; 0 when not measured.
    """

    reason: str
    rotation: FloatArray = attrs.field(factory=lambda: np.full((3, 3), np.nan))
    centre: FloatArray = attrs.field(factory=lambda: np.full(3, np.nan))
    information: FloatArray = attrs.field(factory=lambda: np.zeros((6, 6)))


@attrs.define
class _Finger:
    """What is known of one finger's tag: where it was last, how fast, and for how many frames it is lost since."""

    rotation: FloatArray = attrs.field(factory=lambda: np.eye(3))
    centre: FloatArray = attrs.field(factory=lambda: np.zeros(3))
    velocity: FloatArray = attrs.field(factory=lambda: np.zeros(3))
    known: bool = False
    lost: int = 0

    @property
    def tracked(self) -> bool:
        """Whether it was measured in the last frame."""
        return self.known and self.lost == 0

    def saw(self, sighting: Sighting) -> None:
        """Take in a frame."""
        if sighting.reason:
            self.lost += 1
            return
        moved = sighting.centre[0] - self.centre[0] if self.tracked else 0.0
        self.velocity = np.array([moved, 0.0, 0.0])
        self.rotation, self.centre = sighting.rotation, sighting.centre
        self.known, self.lost = True, 0


class TagFollower:
    """Measures the tags of both fingers in one frame after the other.

    Attributes:
        strangers: Frames in which a tag of another id was met, by id.
        survey: What looks at whole pictures now and then.
    """

    def __init__(self, camera: CameraModel, config: GripperWidthConfig, dictionary: Any, layout: Layout) -> None:
        self._camera, self._config, self._layout = camera, config, layout
        self._detector = Detector(dictionary)
        self._light = config.light
        self._fingers = (_Finger(), _Finger())
        side = expected_side_px(camera, config.tag_size_m, config.nominal_depth_m)
        self._shrink = shrinking(side)
        self.strangers: Counter[int] = Counter()
        self.survey = Surveyor(detector=self._detector, box=whole(camera), shrink=self._shrink)

    def look(self, luma: Luma) -> tuple[Sighting, Sighting]:
        """Return the sightings of the left and the right finger's tag in a frame."""
        found = self._followed(luma)
        missing = [finger for finger in (0, 1) if finger not in found]
        if missing or self.survey.due:
            found |= self._searched(luma, missing)
        for finger, state in enumerate(self._fingers):
            state.saw(found[finger])
        self.survey.passed(known=any(finger.known for finger in self._fingers))
        return found[0], found[1]

    def _followed(self, luma: Luma) -> dict[int, Sighting]:
        """Measure the tags that were there in the last frame, from where they should be now."""
        rows = [row for row, finger in enumerate(self._fingers) if finger.tracked]
        if not rows:
            return {}
        rotations = np.stack([self._fingers[row].rotation for row in rows])
        centres = np.stack([self._fingers[row].centre + self._fingers[row].velocity for row in rows])
        refined, usable = self._measure(luma, rows, rotations, centres)
        usable &= self._deep_enough(refined.centres)
        return {row: _measured(refined, at) for at, row in enumerate(rows) if usable[at]}

    def _searched(self, luma: Luma, missing: list[int]) -> dict[int, Sighting]:
        """Detect and measure the tags that were not followed."""
        seen = self.survey.look(luma) if self.survey.due else []
        for finger in missing:
            seen += self._along_rail(luma, finger)
        strangers = {each.tag for each in seen} - set(self._config.ids)
        self.strangers.update(strangers)
        return {finger: self._sighting(luma, finger, seen) for finger in missing}

    def _along_rail(self, luma: Luma, finger: int) -> list[Seen]:
        """Detect where a finger's tag may slide; one that was never seen slides beside the other's rail."""
        state, other = self._fingers[finger], self._fingers[1 - finger]
        known = state if state.known else other
        if not known.known:
            return []
        box = rail_box(
            self._camera, known.rotation, known.centre, side_m=self._config.tag_size_m, sign=_SIGNS[finger]
        )
        found = self._detector.find(luma, box, self._shrink)
        if not any(each.tag == self._config.ids[finger] for each in found) and self._looks_twice(state.lost):
            found = self._detector.find(luma, box)
        return found

    def _looks_twice(self, lost: int) -> bool:
        """Say whether a tag that was not found is looked for at full size; in small pictures that costs little."""
        return self._shrink < 1.0 or (self._shrink > 1.0 and lost % _CLOSER_EVERY == 0)

    def _sighting(self, luma: Luma, finger: int, seen: list[Seen]) -> Sighting:
        poses = [self._likeliest(each) for each in _distinct(seen) if each.tag == self._config.ids[finger]]
        if not poses:
            return Sighting(reason="missing")
        near = [pose for pose in poses if pose is not None and self._nearly_deep_enough(pose)]
        if len(near) != 1:
            return Sighting(reason="ambiguous" if near else "depth")
        refined, usable = self._measure(luma, [finger], near[0].rotation[None], near[0].centre[None])
        if not usable[0]:
            return Sighting(reason="unrefined")
        return _measured(refined, 0) if self._deep_enough(refined.centres)[0] else Sighting(reason="depth")

    def _likeliest(self, seen: Seen) -> TagPose | None:
        """Return the pose, of the two that explain four corners about as well, that faces the camera more."""
        poses = square_poses(self._camera, seen.corners, self._config.tag_size_m)
        likely = [pose for pose in poses if pose.error_px < 2.0 * poses[0].error_px + 0.5]
        return max(likely, key=facing, default=None)

    def _nearly_deep_enough(self, pose: TagPose) -> bool:
        """Say whether a rough pose may be a finger's: four unrefined corners tell the depth to some percent."""
        allowed = self._config.depth_tolerance_m + 0.1 * self._config.nominal_depth_m
        return facing(pose) > _LEAST_FACING and abs(pose.centre[2] - self._config.nominal_depth_m) < allowed

    def _deep_enough(self, centres: FloatArray) -> BoolArray:
        within = np.abs(centres[:, 2] - self._config.nominal_depth_m) < self._config.depth_tolerance_m
        return np.asarray(within)

    def _measure(
        self, luma: Luma, fingers: list[int], rotations: FloatArray, centres: FloatArray
    ) -> tuple[Refined, BoolArray]:
        """Refine tags from rough poses, and say which are in full sight: edges agree and cells read right."""
        layout, side_m = self._layout.rows(fingers), self._config.tag_size_m
        refined = refine(
            luma,
            self._light,
            camera=self._camera,
            layout=layout,
            rotations=rotations,
            centres=centres,
            side_m=side_m,
        )
        read = reads_as_printed(
            luma, self._camera, layout=layout, rotations=refined.rotations, centres=refined.centres, side_m=side_m
        )
        return refined, refined.good & read


def _measured(refined: Refined, row: int) -> Sighting:
    return Sighting(
        reason="",
        rotation=refined.rotations[row],
        centre=refined.centres[row],
        information=refined.information[row],
    )


def _distinct(seen: list[Seen]) -> list[Seen]:
    """Drop what was met twice because two searched parts overlap."""
    kept: list[Seen] = []
    for each in seen:
        middle = each.corners.mean(axis=0)
        if not any(
            each.tag == other.tag and np.abs(other.corners.mean(axis=0) - middle).max() < 0.5 * each.side
            for other in kept
        ):
            kept.append(each)
    return kept


def counted(strangers: Mapping[int, int]) -> str:
    """Return "13 (45 frames), 7 (1 frame)" of counts by id."""
    return ", ".join(f"{tag} ({n} frame{'s' * (n != 1)})" for tag, n in sorted(strangers.items()))
