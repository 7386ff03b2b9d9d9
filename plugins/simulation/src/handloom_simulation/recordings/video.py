"""Encodes pictures and sound as a camera does: H.264 in full range, AAC beside it, both from time 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.media.opening import pyav
from handloom_simulation.world import Picture

FloatArray = npt.NDArray[np.float64]

SOUND_HZ = 48_000
_BLOCK = 1024
_SOUND_BITRATE = 256_000


@attrs.frozen(kw_only=True)
class Encoding:
    """How pictures are compressed.

    Attributes:
        rate: Frames a second.
        crf: x264's quality: 0 loses nothing, 18 nothing that is seen, 28 a lot.
        megabit_per_s: A fixed rate, as cameras keep one, instead of a quality; 0 keeps the quality. Source: a
            GoPro writes 60 Mb/s of 2.7K at 60 frames a second.
        preset: x264's speed.
        keyframe_every: Frames from one keyframe to the next. Source: GoPro files, half a second.
    """

    rate: Fraction = Fraction(60000, 1001)
    crf: int = 18
    megabit_per_s: float = 0.0
    preset: str = "veryfast"
    keyframe_every: int = 30


def write_video(
    path: Path, pictures: Iterable[Picture], encoding: Encoding, sound: FloatArray | None = None
) -> Path:
    """Write an MP4.

    Args:
        path: Where to.
        pictures: (H, W, 3) uint8 RGB, even sizes, in order.
        encoding: How.
        sound: (N, channels) at 48 kHz, full scale 1; None for no sound track.

    Raises:
        MediaError: PyAV is missing.
    """
    av = pyav()
    with av.open(f"file:{path}", "w", format="mp4") as container:
        container.flags |= av.container.Flags.bitexact.value
        video = container.add_stream("libx264", rate=encoding.rate)
        audio = _sound_stream(container, sound)
        blocks = _sound_blocks(sound) if sound is not None else iter(())
        block = next(blocks, None)
        for picture in _frames(pictures, video, encoding):
            while block is not None and block.time <= picture.time:
                container.mux(audio.encode(block))
                block = next(blocks, None)
            container.mux(video.encode(picture))
        while block is not None:
            container.mux(audio.encode(block))
            block = next(blocks, None)
        for stream in (video, audio):
            container.mux(stream.encode() if stream is not None else [])
    return path


def _frames(pictures: Iterable[Picture], stream: Any, encoding: Encoding) -> Iterator[Any]:
    """Yield the pictures as frames; the first one tells the encoder its size."""
    av = pyav()
    colours = av.video.reformatter
    for index, picture in enumerate(pictures):
        if index == 0:
            _set_up(stream, picture, encoding)
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24").reformat(
            format="yuvj420p",
            dst_colorspace=colours.Colorspace.ITU709,
            dst_color_range=colours.ColorRange.JPEG,
        )
        frame.color_range, frame.colorspace = colours.ColorRange.JPEG, colours.Colorspace.ITU709
        frame.pts = index * encoding.rate.denominator
        frame.time_base = Fraction(1, encoding.rate.numerator)
        yield frame


def _set_up(stream: Any, picture: Picture, encoding: Encoding) -> None:
    av = pyav()
    stream.height, stream.width = picture.shape[:2]
    stream.pix_fmt = "yuvj420p"
    context = stream.codec_context
    context.time_base = stream.time_base = Fraction(1, encoding.rate.numerator)
    context.gop_size, context.max_b_frames, context.thread_count = encoding.keyframe_every, 0, 1
    context.color_range = av.video.reformatter.ColorRange.JPEG
    context.colorspace = av.video.reformatter.Colorspace.ITU709
    context.options = {"preset": encoding.preset, "bf": "0", **_quality(encoding)}


def _quality(encoding: Encoding) -> dict[str, str]:
    if not encoding.megabit_per_s:
        return {"crf": str(encoding.crf)}
    rate = str(round(encoding.megabit_per_s * 1e6))
    return {"b": rate, "maxrate": rate, "bufsize": rate}


def _sound_stream(container: Any, sound: FloatArray | None) -> Any:
    if sound is None:
        return None
    stream = container.add_stream("aac", rate=SOUND_HZ, layout="stereo" if sound.shape[1] == 2 else "mono")
    stream.bit_rate = _SOUND_BITRATE
    return stream


def _sound_blocks(sound: FloatArray) -> Iterator[Any]:
    av = pyav()
    layout = "stereo" if sound.shape[1] == 2 else "mono"
    for start in range(0, len(sound), _BLOCK):
        block = np.ascontiguousarray(sound[start : start + _BLOCK].T, dtype=np.float32)
        frame = av.AudioFrame.from_ndarray(block, format="fltp", layout=layout)
        frame.sample_rate, frame.pts, frame.time_base = SOUND_HZ, start, Fraction(1, SOUND_HZ)
        yield frame
