"""Clips of the lab in which the jaw opens and closes, cut to where its tags slide in the wrist picture."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.clips import CACHE, RATE
from benchmarks.machine import ffmpeg
from handloom.geometry import CameraModel
from handloom_simulation.cameras import UMI_GOPRO, cropped
from handloom_simulation.motions import Occlusion, synthetic_take
from handloom_simulation.render.renderer import Renderer
from handloom_simulation.render.settings import RenderSettings
from handloom_simulation.scene import lab_world
from handloom_simulation.take import Take

Picture = npt.NDArray[np.uint8]

FULL_WIDTH, FULL_HEIGHT = 2704, 1520
STRIP = (640, 1000, 1424, 288)
"""Left, top, width and height, in the full 2704 x 1520 picture, of what is rendered; the rest shows no tag."""

_BITS_PER_PIXEL = 0.25
"""60 Mb/s of 2704 x 1520 at 59.94 fps, what a GoPro writes."""

_START_NS = 300_000_000
_WIDTH_HZ = 1.0
"""The jaw moves at up to 0.23 m/s: a brisk grasp."""
_READOUT_S = 0.0147
"""Of the whole picture, first row to last. A GoPro's at 60 fps is about that of a frame; it is not stated."""


@attrs.frozen(kw_only=True, eq=False)
class WidthClip:
    """A clip and its truth.

    Attributes:
        path: The video.
        camera: The exact camera of its pictures.
        width_m: (N,) true width at the stamps of the frames.
        readout_s: From the first row of its pictures to the last.
    """

    path: Path
    camera: CameraModel
    width_m: npt.NDArray[np.float64]
    readout_s: float


def strip_camera(image_width: int) -> CameraModel:
    """Return the camera of the strip, of pictures that would be so wide as a whole."""
    left, top, width, height = STRIP
    whole = cropped(UMI_GOPRO, FULL_WIDTH, FULL_HEIGHT)
    strip = attrs.evolve(whole, width=width, height=height, cx=whole.cx - left, cy=whole.cy - top)
    scale = image_width / FULL_WIDTH
    return strip.scaled(2 * round(0.5 * width * scale), 2 * round(0.5 * height * scale))


def width_clip(image_width: int, *, frames: int) -> WidthClip:
    """Return a clip of a jaw that goes through its stroke, noise, blur and compression included."""
    camera = strip_camera(image_width)
    take, stamps = _take(frames), _stamps(frames)
    path = CACHE / f"width-{image_width}-{frames}.mp4"
    if not path.exists():
        renderer = Renderer(lab_world(), camera, _SETTINGS)
        _write(path, camera, (renderer.frame(take, stamp) for stamp in stamps.tolist()))
    return WidthClip(
        path=path, camera=camera, width_m=take.width_at(stamps), readout_s=_READOUT_S * STRIP[3] / FULL_HEIGHT
    )


def whole_clip(*, frames: int) -> WidthClip:
    """Return a clip of whole 2704 x 1520 pictures; outside of the strip where tags slide they stand still.

    A thumb lies on the right tag for a while.
    """
    camera = cropped(UMI_GOPRO, FULL_WIDTH, FULL_HEIGHT)
    span_s = frames / 60
    covered = Occlusion(
        covers="finger_right", start_s=_START_NS * 1e-9 + 0.4 * span_s, end_s=_START_NS * 1e-9 + 0.6 * span_s
    )
    take, stamps = _take(frames, (covered,)), _stamps(frames)
    path = CACHE / f"whole-{frames}.mp4"
    if not path.exists():
        _write(path, camera, _pasted(camera, take, stamps))
    return WidthClip(path=path, camera=camera, width_m=take.width_at(stamps), readout_s=_READOUT_S)


def _pasted(camera: CameraModel, take: Take, stamps: npt.NDArray[np.int64]) -> Iterator[Picture]:
    """Yield the strip of each frame, over the first frame."""
    world = lab_world()
    whole = Renderer(world, camera, attrs.evolve(_SETTINGS, exposure_s=0.0)).frame(take, int(stamps[0]))
    renderer = Renderer(world, strip_camera(FULL_WIDTH), _SETTINGS)
    left, top, width, height = STRIP
    for stamp in stamps.tolist():
        picture = whole.copy()
        picture[top : top + height, left : left + width] = renderer.frame(take, stamp)
        yield picture


def _take(frames: int, occlusions: tuple[Occlusion, ...] = ()) -> Take:
    return synthetic_take(_START_NS * 2e-9 + frames / 59.0, width_hz=_WIDTH_HZ, occlusions=occlusions)


def _stamps(frames: int) -> npt.NDArray[np.int64]:
    stamps: npt.NDArray[np.int64] = np.rint(np.arange(frames) * (1001 / 60000 * 1e9)).astype(np.int64)
    return _START_NS + stamps


def _write(path: Path, camera: CameraModel, pictures: Iterable[Picture]) -> None:
    """Encode pictures (H, W, 3) uint8 RGB as a GoPro does, at its bits per pixel."""
    CACHE.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"unfinished-{path.name}")
    rate = str(round(_BITS_PER_PIXEL * camera.width * camera.height * 60000 / 1001))
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{camera.width}x{camera.height}", "-framerate", RATE]
    format_ = [
        "-vf",
        "scale=out_range=full:out_color_matrix=bt709",
        "-pix_fmt",
        "yuvj420p",
        "-colorspace",
        "bt709",
    ]
    x264 = ["-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high", "-bf", "0", "-g", "30"]
    limits = ["-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-video_track_timescale", "60000"]
    command = [ffmpeg(), "-nostdin", "-loglevel", "error", "-y", *source, "-i", "-", *format_, *x264, *limits]
    with subprocess.Popen([*command, str(unfinished)], stdin=subprocess.PIPE) as encoder:
        assert encoder.stdin is not None
        for picture in pictures:
            encoder.stdin.write(picture.tobytes())
        encoder.stdin.close()
    if encoder.returncode:
        raise RuntimeError(f"ffmpeg could not write {path.name}.")
    unfinished.replace(path)


_SETTINGS = RenderSettings(
    samples=3,
    exposure_s=1 / 240,
    readout_s=_READOUT_S * STRIP[3] / FULL_HEIGHT,
    defocus_px=0.5,
    read_noise_grey=2.0,
    shot_noise_grey=4.0,
    flicker=0.05,
    flicker_hz=3.0,
)
