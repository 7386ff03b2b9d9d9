"""The step `gripper_width`: how far a gripper is open in each frame, by the ArUco tags on its fingers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import FrameStep, InputPort, Inputs, OutputPort, Outputs, Ports, hookimpl
from handloom.errors import StepError
from handloom.geometry import CameraModel
from handloom.media import View, Views
from handloom.streams import Samples, StreamType
from handloom_sensors.width.cameras import camera_for
from handloom_sensors.width.following import Sighting, TagFollower
from handloom_sensors.width.measuring import Separations, separations
from handloom_sensors.width.notes import STROKE_TOLERANCE_M, sentences
from handloom_sensors.width.pattern import Layout, dictionary_of, pattern_of
from handloom_sensors.width.series import bridged
from handloom_sensors.width.settings import GripperWidthConfig
from handloom_sensors.width.track import Track

WIDTH = StreamType(kind="scalar", dtype="float64", unit="m")
TAGS = StreamType(kind="scalar", dtype="float64")
CORNERS = StreamType(kind="vector", dtype="float64", shape=(16,), unit="px")

_DARK_LEVEL = 20
"""A frame without a brighter pixel is black; studio black is 16."""

_DARK_STEP = 16


class GripperWidth(FrameStep):
    """Measures the opening of a gripper in each frame."""

    Config = GripperWidthConfig
    summary = "Gripper opening of each frame, by the tags on its fingers seen through a calibrated camera"

    @classmethod
    def ports(cls, config: GripperWidthConfig) -> Ports:
        """Declare separation, the number of tags behind it, their corners, and the width where it is made here."""
        types = {"separation": WIDTH, "tags": TAGS, "corners": CORNERS}
        if not config.separation_only:
            types = {"width": WIDTH, **types}
        return Ports(
            inputs={"video": InputPort(kinds="video")},
            outputs={name: OutputPort(type=type_, clock_of="video") for name, type_ in types.items()},
        )

    @classmethod
    def views(cls, config: GripperWidthConfig) -> Mapping[str, View]:
        """Ask for the luma plane, which costs nothing."""
        return {"luma": View(format="luma")}

    def start(self, inputs: Inputs) -> None:
        """Begin an episode.

        Raises:
            StepError: The rig has no such camera, or its calibration is not for pictures of this shape.
        """
        video = inputs.video("video")
        self._clock = video.type.clock
        self._named = camera_for(inputs.rig, self.config.camera)
        dictionary = dictionary_of(self.config.dictionary)
        self._dictionary = dictionary
        self._layout = Layout.of([pattern_of(dictionary, tag) for tag in self.config.ids])
        self._follower: TagFollower | None = None
        self._camera: CameraModel | None = None
        self._stamps: list[int] = []
        self._sightings: list[tuple[Sighting, Sighting]] = []

    def frame(self, index: int, stamp: int, views: Views) -> None:
        """Look for the tags in one frame."""
        luma = views.luma
        if self._follower is None:
            self._camera = self._named.for_picture(luma.shape[1], luma.shape[0])
            self._follower = TagFollower(self._camera, self.config, self._dictionary, self._layout)
        found = self._follower.look(luma)
        if found[0].reason and found[1].reason and luma[::_DARK_STEP, ::_DARK_STEP].max() <= _DARK_LEVEL:
            found = (Sighting(reason="dark"), Sighting(reason="dark"))
        self._stamps.append(stamp)
        self._sightings.append(found)

    def finish(self) -> Outputs:
        """Return widths and what stands behind them, gaps and their reasons counted.

        Raises:
            StepError: No frame decoded.
        """
        if not self._stamps or self._camera is None or self._follower is None:
            raise StepError("No frame of the video decoded, so there is no gripper width to tell.")
        stamps = np.array(self._stamps, dtype=np.int64)
        tracks = (
            Track.of([left for left, _ in self._sightings]),
            Track.of([right for _, right in self._sightings]),
        )
        found = separations(tracks, stamps, self._camera, self.config)
        closed = self.config.closed_separation_m
        max_gap_s = 0.0 if self.config.separation_only else self.config.max_gap_s
        width, filled = bridged(found.metres - (closed or 0.0), stamps, max_gap_s)
        data = {"width": width, "separation": found.metres, "tags": found.tags, "corners": found.corners}
        types = self.ports(self.config).outputs
        streams = {
            name: Samples(type=attrs.evolve(types[name].type, clock=self._clock), data=values, stamps=stamps)
            for name, values in data.items()
            if name in types
        }
        attributes = self._attributes(tracks, found, width, filled)
        return Outputs(streams=streams, attributes=attributes, notes=self._notes(found, attributes))

    def _attributes(
        self, tracks: tuple[Track, Track], found: Separations, width: npt.NDArray[np.float64], filled: Any
    ) -> dict[str, Any]:
        config, frames = self.config, len(width)
        stroke = _stroke(config)
        known = width[np.isfinite(width)]
        left, right = config.ids
        return {
            "frames": frames,
            "detection_rate": float((found.tags > 0.0).mean()),
            "left_rate": float(tracks[0].measured.mean()),
            "right_rate": float(tracks[1].measured.mean()),
            "single_tag_frames": int((found.tags == 1.0).sum()),
            "bridged_frames": int(filled.sum()),
            "gaps": found.gaps(),
            "strangers": {str(tag): count for tag, count in sorted(self._strangers.items())},
            "left_id": left,
            "right_id": right,
            "dictionary": config.dictionary,
            "tag_size_m": config.tag_size_m,
            "nominal_depth_m": config.nominal_depth_m,
            "depth_tolerance_m": config.depth_tolerance_m,
            "method": config.method,
            "calibrated": config.closed_separation_m is not None,
            "closed_separation_m": config.closed_separation_m,
            "open_separation_m": config.open_separation_m,
            "over_stroke_frames": int((known > stroke + STROKE_TOLERANCE_M).sum()),
            "under_closed_frames": int((known < -STROKE_TOLERANCE_M).sum()) if config.closed_separation_m else 0,
            "symmetry_plane_m": None if np.isnan(found.symmetry_plane_m) else found.symmetry_plane_m,
        }

    @property
    def _strangers(self) -> Mapping[int, int]:
        assert self._follower is not None
        return self._follower.strangers

    def _notes(self, found: Separations, attributes: Mapping[str, Any]) -> tuple[str, ...]:
        assert self._follower is not None
        return tuple(
            sentences(
                self.config,
                found,
                attributes=attributes,
                strangers=self._strangers,
                mirrored=self._follower.survey.mirrored,
            )
        )


def _stroke(config: GripperWidthConfig) -> float:
    if config.open_separation_m is None:
        return float("inf")
    return config.open_separation_m - (config.closed_separation_m or 0.0)


@hookimpl
def step(kind: str) -> type[FrameStep]:
    """Return the step for `gripper_width`."""
    return GripperWidth
