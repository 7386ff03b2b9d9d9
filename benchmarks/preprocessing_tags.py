"""Following the fingers' tags against detecting them in every whole frame: the same tags, for how much less."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from benchmarks.rounds import interleaved, medians, ratio
from benchmarks.width_clips import whole_clip
from handloom.geometry import CameraModel
from handloom.media import View, decode, index_video
from handloom_sensors.width import GripperWidthConfig
from handloom_sensors.width.detecting import Detector
from handloom_sensors.width.following import TagFollower
from handloom_sensors.width.pattern import Layout, dictionary_of, pattern_of
from handloom_sensors.width.places import whole
from handloom_sensors.width.posing import corner_points, square_poses
from handloom_sensors.width.refining import refine

Luma = npt.NDArray[np.uint8]
Corners = list[dict[int, npt.NDArray[np.float64]]]
"""Of each frame, by id, the (4, 2) corners in pixels."""

LARGEST_DIFFERENCE_PX = 0.25
_CONFIG = GripperWidthConfig()


def tag_bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars of the tag half of preprocessing; both read the same rounds."""

    @cache
    def found() -> Mapping[str, float]:
        return measure_tags(frames=30 if quick else 60, rounds=1 if quick else 3)

    return (
        Bar(
            name="finger tags in every whole 2.7K frame instead of followed",
            goal=5.0,
            compare=">=",
            unit="x CPU of following them",
            measure=lambda: Measured(value=found()["whole_over_followed"], figures=found()),
        ),
        Bar(
            name="frames in which both find other tags",
            goal=0.0,
            compare="<=",
            unit="frames",
            measure=lambda: Measured(value=found()["frames_that_differ"]),
        ),
        Bar(
            name="corners of the tags that both find",
            goal=LARGEST_DIFFERENCE_PX,
            compare="<=",
            unit="px apart at most",
            measure=lambda: Measured(value=found()["largest_difference_px"]),
        ),
    )


def measure_tags(*, frames: int, rounds: int) -> dict[str, float]:
    """Follow and detect the tags of the same decoded frames, in interleaved rounds."""
    clip = whole_clip(frames=frames)
    video = index_video((clip.path,)).video
    pictures = [views.luma.copy() for _, _, views in decode(video, {"luma": View(format="luma")})]
    dictionary = dictionary_of(_CONFIG.dictionary)
    followed, whole_frames = (
        follow(pictures, clip.camera, dictionary),
        detect(pictures, clip.camera, dictionary),
    )
    times = interleaved(
        {
            "followed": lambda: follow(pictures, clip.camera, dictionary),
            "whole": lambda: detect(pictures, clip.camera, dictionary),
        },
        rounds=rounds,
    )
    return {
        "whole_over_followed": ratio(times, "whole", "followed"),
        "frames_that_differ": float(sum(set(a) != set(b) for a, b in zip(followed, whole_frames, strict=True))),
        "largest_difference_px": _largest_difference(followed, whole_frames),
        "tags_found": float(sum(len(frame) for frame in whole_frames)),
        "frames": float(len(pictures)),
        **medians(times),
    }


def follow(pictures: list[Luma], camera: CameraModel, dictionary: Any) -> Corners:
    """Return the corners that the step's own follower finds, frame after frame."""
    follower = TagFollower(camera, _CONFIG, dictionary, _layout(dictionary))
    found: Corners = []
    for picture in pictures:
        sightings = zip(_CONFIG.ids, follower.look(picture), strict=True)
        found.append(
            {
                tag: camera.project(corner_points(seen.rotation, seen.centre, _CONFIG.tag_size_m))[0]
                for tag, seen in sightings
                if not seen.reason
            }
        )
    return found


def detect(pictures: list[Luma], camera: CameraModel, dictionary: Any) -> Corners:
    """Return the corners that OpenCV's detector finds in every whole frame, refined as the step refines them."""
    detector, layout = Detector(dictionary), _layout(dictionary)
    found: Corners = []
    for picture in pictures:
        seen = [each for each in detector.find(picture, whole(camera)) if each.tag in _CONFIG.ids]
        poses = [square_poses(camera, each.corners, _CONFIG.tag_size_m)[0] for each in seen]
        frame: dict[int, npt.NDArray[np.float64]] = {}
        if poses:
            refined = refine(
                picture,
                _CONFIG.light,
                camera=camera,
                layout=layout.rows([_CONFIG.ids.index(each.tag) for each in seen]),
                rotations=np.stack([pose.rotation for pose in poses]),
                centres=np.stack([pose.centre for pose in poses]),
                side_m=_CONFIG.tag_size_m,
            )
            corners, _ = camera.project(corner_points(refined.rotations, refined.centres, _CONFIG.tag_size_m))
            frame = {each.tag: corners[row] for row, each in enumerate(seen) if refined.good[row]}
        found.append(frame)
    return found


def _layout(dictionary: Any) -> Layout:
    return Layout.of([pattern_of(dictionary, tag) for tag in _CONFIG.ids])


def _largest_difference(first: Corners, second: Corners) -> float:
    pairs = [(a[tag], b[tag]) for a, b in zip(first, second, strict=True) for tag in sorted(set(a) & set(b))]
    return max((float(np.abs(mine - theirs).max()) for mine, theirs in pairs), default=float("nan"))
