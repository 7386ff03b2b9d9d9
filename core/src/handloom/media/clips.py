"""Makes small deterministic videos with the frame number in the pixels, for tests, the demo and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import MediaError
from handloom.media import boxes
from handloom.media.chirp import chirp
from handloom.media.frame_code import paint_number
from handloom.media.opening import pyav

_AUDIO_RATE = 48_000
_AUDIO_BLOCK = 1024


@attrs.frozen(kw_only=True)
class Clip:
    """What a synthetic video is like.

    Attributes:
        width: Of the upright picture, even.
        height: Of the upright picture, even.
        rate: Frames a second.
        frames: How many.
        codec: FFmpeg encoder: "libx264", "libx265", "mpeg4".
        preset: x264's; "ultrafast" has no CABAC, "veryfast" has.
        bitrate: Bits a second; 0 leaves it to the encoder.
        noise: Amplitude, 0 to 100 grey levels, of noise that no encoder can predict; what makes bits.
        b_frames: Most B-frames in a row.
        keyframe_every: Frames from one keyframe to the next.
        fragmented: Fragmented MP4, as survives a power cut.
        faststart: Index before the pictures.
        pts: Tick of each frame in order of display, for variable rate; None for a constant rate.
        time_base: Seconds a tick lasts; None for one that holds the constant rate exactly.
        start_ticks: Added to all ticks.
        full_range: Luma 0 to 255, as GoPro writes it, in place of 16 to 235.
        rotation_deg: Clockwise turn the player must make; the coded picture is turned the other way.
        edit: (start, duration) in seconds of an edit list that shows only this part, as a cut without re-encoding
            leaves it; None for all of it. MP4 only.
        audio_s: Seconds of a chirp as sound; 0 for no audio track.
        audio_codec: FFmpeg encoder of the sound.
        creation_time: ISO 8601, written into the container; "" for none.
        first_number: Number in the pixels of the first frame; lets chapters count on.
    """

    width: int = 320
    height: int = 240
    rate: Fraction = Fraction(30)
    frames: int = 60
    codec: str = "libx264"
    preset: str = "ultrafast"
    bitrate: int = 0
    noise: int = 0
    b_frames: int = 0
    keyframe_every: int = 12
    fragmented: bool = False
    faststart: bool = False
    pts: Sequence[int] | None = None
    time_base: Fraction | None = None
    start_ticks: int = 0
    full_range: bool = False
    rotation_deg: int = 0
    edit: tuple[Fraction, Fraction] | None = None
    audio_s: float = 0.0
    audio_codec: str = "aac"
    creation_time: str = ""
    first_number: int = 0

    def ticks(self) -> list[int]:
        """Return the tick of each frame, in order of display."""
        if self.pts is not None:
            return [self.start_ticks + tick for tick in self.pts]
        step = 1 / (self.rate * self.base())
        return [self.start_ticks + round(frame * step) for frame in range(self.frames)]

    def base(self) -> Fraction:
        """Return the seconds a tick lasts."""
        return self.time_base if self.time_base is not None else Fraction(1, self.rate.numerator)


_SAME_BYTES = {
    # With B-frames, x264's code for some processors makes now this and now that of the same pictures (measured on
    # one with AVX-512: 8 different files of 150); its option for equal results on all processors ends that.
    "libx264": {"x264-params": "cpu-independent=1"},
    "libx265": {"x265-params": "log-level=error:pools=none:frame-threads=1"},
}
"""What each encoder needs in order to make the same bytes of the same pictures."""


def write_clip(path: Path, clip: Clip | None = None) -> Path:
    """Write a clip; its container follows from the file's ending.

    Args:
        path: Where to, ".mp4", ".mkv", ".ts".
        clip: What it is like; None for the default clip.

    Returns:
        The path.

    Raises:
        MediaError: PyAV is missing or lacks the encoder.
    """
    clip = clip or Clip()
    _mux(path, clip)
    if clip.rotation_deg or clip.edit:
        data = bytearray(path.read_bytes())
        boxes.set_rotation(data, clip.rotation_deg)
        if clip.edit:
            boxes.set_edit(data, start_s=clip.edit[0], duration_s=clip.edit[1])
        path.write_bytes(data)
    return path


def _mux(path: Path, clip: Clip) -> None:
    av = pyav()
    flags = "".join(
        flag
        for wanted, flag in ((clip.fragmented, "+frag_keyframe+empty_moov"), (clip.faststart, "+faststart"))
        if wanted
    )
    options = {"movflags": flags} if flags else {}
    with av.open(f"file:{path}", "w", options=options) as container:
        container.flags |= av.container.Flags.bitexact.value
        if clip.creation_time:
            container.metadata["creation_time"] = clip.creation_time
        video = _video_stream(container, clip)
        audio = container.add_stream(clip.audio_codec, rate=_AUDIO_RATE, layout="mono") if clip.audio_s else None
        for stream, frame in _interleaved(clip, video, audio):
            for packet in stream.encode(frame):
                container.mux(packet)


def _video_stream(container: Any, clip: Clip) -> Any:
    av = pyav()
    if clip.codec not in av.codecs_available:
        raise MediaError(f"This PyAV has no encoder '{clip.codec}'; install the wheel from PyPI: pip install av.")
    stream = container.add_stream(clip.codec, rate=clip.rate)
    turned = clip.rotation_deg % 180 != 0
    stream.width, stream.height = (clip.height, clip.width) if turned else (clip.width, clip.height)
    stream.pix_fmt = "yuvj420p" if clip.full_range else "yuv420p"
    context = stream.codec_context
    context.time_base = stream.time_base = clip.base()
    context.gop_size = clip.keyframe_every
    context.max_b_frames = clip.b_frames
    context.thread_count = 1
    if clip.full_range:
        context.color_range = av.video.reformatter.ColorRange.JPEG
    if clip.bitrate:
        context.bit_rate = clip.bitrate
    if clip.codec in _SAME_BYTES:
        context.options = {"preset": clip.preset, "bf": str(clip.b_frames), **_SAME_BYTES[clip.codec]}
    return stream


def _interleaved(clip: Clip, video: Any, audio: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (stream, frame) with pictures and sound side by side in time, and the flushes at the end."""
    sounds = _sounds(clip) if audio is not None else iter(())
    sound = next(sounds, None)
    for picture in _pictures(clip):
        while sound is not None and sound.time <= picture.time:
            yield audio, sound
            sound = next(sounds, None)
        yield video, picture
    while sound is not None:
        yield audio, sound
        sound = next(sounds, None)
    yield from ((stream, None) for stream in (video, audio) if stream is not None)


def _pictures(clip: Clip) -> Iterator[Any]:
    av = pyav()
    noise = np.random.default_rng(0).integers(
        -clip.noise, clip.noise + 1, (clip.height, clip.width), dtype=np.int16
    )
    offsets = np.random.default_rng(1).integers(0, min(clip.height, clip.width), (len(clip.ticks()), 2))
    for number, tick in enumerate(clip.ticks()):
        luma = scene(clip, number)
        if clip.noise:
            rolled = np.roll(noise, tuple(offsets[number]), axis=(0, 1))
            luma = np.clip(luma + rolled, 0, 255).astype(np.uint8)
        paint_number(luma, clip.first_number + number)
        frame = av.VideoFrame.from_ndarray(
            _planes(clip, luma), format="yuvj420p" if clip.full_range else "yuv420p"
        )
        if clip.full_range:
            frame.color_range = av.video.reformatter.ColorRange.JPEG
        frame.pts, frame.time_base = tick, clip.base()
        yield frame


def scene(clip: Clip, number: int) -> npt.NDArray[np.uint8]:
    """Return the (H, W) full-range luma of a frame without noise or number: a ramp with a square that moves."""
    rows, columns = np.ogrid[: clip.height, : clip.width]
    luma: npt.NDArray[np.uint8] = (64 + 96 * columns // clip.width + 64 * rows // clip.height).astype(np.uint8)
    side = clip.height // 4
    left = (number * max(clip.width // 64, 1)) % (clip.width - side)
    luma[clip.height // 2 : clip.height // 2 + side, left : left + side] = 235
    return luma


def _planes(clip: Clip, luma: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return a picture as the coded planes of 4:2:0, (1.5 H, W): turned, in the file's range, softly coloured."""
    coded = np.rot90(luma, clip.rotation_deg // 90)
    if not clip.full_range:
        coded = (16 + coded * (219 / 255) + 0.5).astype(np.uint8)
    height, width = coded.shape
    ramp = (96 + 64 * np.arange(width // 2) // (width // 2)).astype(np.uint8)
    chroma = np.broadcast_to(ramp, (2, height // 2, width // 2)).reshape(-1, width)
    return np.concatenate([coded, chroma])


def _sounds(clip: Clip) -> Iterator[Any]:
    """Yield the chirp in blocks, starting with the first picture."""
    av = pyav()
    base = Fraction(1, _AUDIO_RATE)
    first = round(clip.ticks()[0] * clip.base() / base)
    samples = chirp(duration_s=clip.audio_s, rate_hz=_AUDIO_RATE)
    for start in range(0, len(samples), _AUDIO_BLOCK):
        block = samples[None, start : start + _AUDIO_BLOCK]
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block), format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = _AUDIO_RATE, first + start, base
        yield frame
