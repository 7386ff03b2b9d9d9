"""Small pictures of finger tags through a fisheye, with truth in closed form: rays onto one plane, averaged."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from handloom.api import Rig
from handloom.geometry import KannalaBrandt
from handloom.media import Views
from handloom.streams import VIDEO, Video
from handloom.testing import MemoryInputs
from handloom_sensors.width import GripperWidth, GripperWidthConfig
from handloom_sensors.width.pattern import dictionary_of, pattern_of

CAMERA = KannalaBrandt(
    width=2704,
    height=1520,
    fx=796.854,
    fy=796.854,
    cx=1354.43,
    cy=757.48,
    k1=-0.02196,
    k2=-0.01896,
    k3=0.00169,
    k4=-0.000168,
).scaled(676, 380)
Y_M, DEPTH_M, SIDE_M = 0.047, 0.072, 0.016
FRAME_NS = 16_683_333
SUPERSAMPLED = 4
BLACK, WHITE, GREY = 0.03, 0.8, 0.18
"""Reflected light of the print, and of what is around it."""


@dataclass(frozen=True)
class Printed:
    """A tag in the plane of the fingers' tags."""

    tag: int
    x: float
    y: float = Y_M
    side: float = SIDE_M
    roll: float = 0.0
    mirrored: bool = False
    hidden: float = 0.0
    """Share of the tag, from its left, that something grey covers."""


class SmallLab:
    """Draws the part of the picture where fingers' tags are."""

    def __init__(self, camera=CAMERA):
        self.camera = camera
        box = np.stack(np.meshgrid([-0.085, 0.0, 0.085], [0.028, 0.066], [DEPTH_M]), -1).reshape(-1, 3)
        pixels, _ = camera.project(box)
        self.low = np.floor(pixels.min(axis=0)).astype(int)
        self.high = np.minimum(np.ceil(pixels.max(axis=0)).astype(int), [camera.width, camera.height])
        steps = (np.arange(SUPERSAMPLED) + 0.5) / SUPERSAMPLED - 0.5
        x, y = (
            (np.arange(low, high)[:, None] + steps).ravel() for low, high in zip(self.low, self.high, strict=True)
        )
        rays, _ = camera.unproject(np.stack(np.meshgrid(x, y), -1))
        self.slopes = rays[..., :2] / rays[..., 2:]

    def picture(self, *tags: Printed, depth=DEPTH_M, noise=2.0, seed=0, gain=1.0):
        """Return (H, W) uint8 luma, sRGB."""
        light = np.full(self.slopes.shape[:2], GREY)
        for tag in tags:
            light = _printed(light, self.slopes * depth, tag)
        rows, columns = (length // SUPERSAMPLED for length in light.shape)
        light = gain * light.reshape(rows, SUPERSAMPLED, columns, SUPERSAMPLED).mean(axis=(1, 3))
        level = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055) * 255
        level = level + np.random.default_rng(seed).normal(0.0, noise, level.shape)
        whole = np.full((self.camera.height, self.camera.width), 110 if gain == 1.0 else 0, dtype=np.uint8)
        whole[self.low[1] : self.high[1], self.low[0] : self.high[0]] = np.clip(np.rint(level), 0, 255)
        return whole

    def jaw(self, separation, *, ids=(0, 1), **kwargs):
        """Return a picture of both tags, a little turned in their plane."""
        left = Printed(tag=ids[0], x=-0.5 * separation, roll=0.03)
        right = Printed(tag=ids[1], x=0.5 * separation, roll=-0.02)
        return self.picture(left, right, **kwargs)


def _printed(light, places, tag):
    cosine, sine = np.cos(tag.roll), np.sin(tag.roll)
    x, y = places[..., 0] - tag.x, places[..., 1] - tag.y
    u, v = (cosine * x + sine * y) / tag.side + 0.5, (cosine * y - sine * x) / tag.side + 0.5
    white = pattern_of(dictionary_of("DICT_4X4_50"), tag.tag).white
    cells = np.pad(white[:, ::-1] if tag.mirrored else white, 1, constant_values=True)
    row, column = np.floor(v * 6).astype(int) + 1, np.floor(u * 6).astype(int) + 1
    inside = (row >= 0) & (row < 8) & (column >= 0) & (column < 8) & (u > -1 / 6 + tag.hidden * 4 / 3)
    shown = np.where(cells[np.clip(row, 0, 7), np.clip(column, 0, 7)], WHITE, BLACK)
    return np.where(inside, shown, light)


@dataclass
class Watched:
    """What the step made of pictures."""

    outputs: object
    stamps: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __getitem__(self, name):
        return self.outputs.streams[name].data

    @property
    def attributes(self):
        return self.outputs.attributes

    @property
    def told(self):
        return "\n".join(self.outputs.notes)


def video_of(count):
    """Return a video of so many frames that nobody decodes."""
    stamps = np.arange(count, dtype=np.int64) * FRAME_NS
    type_ = VIDEO.bind("camera")
    return Video(type=type_, files=(), pts=stamps, stamps=stamps, keyframes=np.ones(count, dtype=bool))


def watch(pictures, camera=CAMERA, **settings):
    """Feed pictures to a step."""
    step = GripperWidth(GripperWidthConfig(**settings))
    inputs = MemoryInputs(wired={"video": video_of(len(pictures))}, rig=Rig(cameras={"camera": camera}))
    step.start(inputs)
    for index, picture in enumerate(pictures):
        picture.flags.writeable = False
        step.frame(index, index * FRAME_NS, Views({"luma": picture}))
    return Watched(step.finish())


@pytest.fixture(scope="session")
def lab():
    return SmallLab()


@pytest.fixture
def printed():
    return Printed


@pytest.fixture
def watching():
    return watch


@pytest.fixture
def blank_video():
    return video_of
