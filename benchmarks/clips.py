"""The clips that the bars name, made once and kept in `.cache/`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.machine import run_ffmpeg

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "benchmarks"
RATE = "60000/1001"


def gopro_like_10_s() -> Path:
    """Return 600 frames as a GoPro writes them: 2704x1520, 59.94 fps, H.264 High, CABAC, no B-frame, 60 Mb/s.

    A textured plane moves under fresh noise in each frame: a still or smooth picture decodes far more cheaply.
    """
    return _kept("gopro-like-10-s.mp4", _encode)


def gopro_like_2_s() -> Path:
    """Return the first 120 of those frames, packets copied, for quick runs."""
    return _kept("gopro-like-2-s.mp4", _cut)


def gopro_like_60_s() -> Path:
    """Return the same frames six times in a row, packets copied, on one even time axis."""
    return _kept("gopro-like-60-s.mp4", _repeat)


def _kept(name: str, make: Callable[[Path], None]) -> Path:
    """Return a clip of the cache, made now if it is not there; a clip half made is never taken for one."""
    path = CACHE / name
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"unfinished-{name}")
        make(unfinished)
        unfinished.replace(path)
    return path


def _encode(path: Path) -> None:
    texture = CACHE / "texture.png"
    run_ffmpeg("-y", "-f", "lavfi", "-i", _TEXTURE, "-frames:v", "1", "-update", "1", str(texture))
    picture = ("-loop", "1", "-framerate", RATE, "-i", str(texture), "-vf", _MOTION, "-pix_fmt", "yuvj420p")
    x264 = ("-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high", "-bf", "0", "-g", "30")
    rate = ("-b:v", "60M", "-maxrate", "66M", "-bufsize", "60M", "-video_track_timescale", "60000")
    run_ffmpeg("-y", *picture, *x264, *rate, "-frames:v", "600", "-movflags", "+faststart", str(path))


def _cut(path: Path) -> None:
    run_ffmpeg("-y", "-i", str(gopro_like_10_s()), "-frames:v", "120", "-c", "copy", str(path))


def _repeat(path: Path) -> None:
    once = ("-stream_loop", "5", "-i", str(gopro_like_10_s()))
    run_ffmpeg("-y", *once, "-c", "copy", "-video_track_timescale", "60000", str(path))


_TEXTURE = "perlin=s=3200x2000:octaves=8:persistence=0.75:seed=1,format=yuv420p"
_MOTION = (
    "crop=2704:1520:x=240+230*sin(t*1.1):y=240+230*cos(t*0.8),noise=alls=9:allf=t:all_seed=1,"
    "scale=in_range=limited:out_range=full"
)
