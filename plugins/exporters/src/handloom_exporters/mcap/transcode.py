"""Encode a video anew as H.264 whose frames never look ahead: the way out for files that Foxglove can't play."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from handloom.errors import StepError
from handloom.streams import Video

_OPTIONS = {"preset": "veryfast", "crf": "18", "bf": "0"}
"""Constant rate factor 18 is what x264's documentation calls visually lossless or nearly so."""


def encode_again(video: Video) -> Iterator[tuple[int, bytes]]:
    """Yield the index and the Annex B bytes of every frame that decodes, upright, in order of display.

    Raises:
        StepError: This PyAV has no H.264 encoder.
    """
    import av

    from handloom.media import View, decode

    if "libx264" not in av.codecs_available:
        raise StepError(
            "Encoding a video anew needs x264, which this PyAV lacks; install the wheel from PyPI: pip install av."
        )
    encoder = av.VideoCodecContext.create("libx264", "w")
    encoder.height, encoder.width = (int(side or 0) for side in video.type.shape[:2])
    encoder.pix_fmt = "yuv420p"
    encoder.time_base = Fraction(1, 1000)
    encoder.gop_size = 30
    encoder.thread_count = 1  # more threads give other bytes
    encoder.options = _OPTIONS
    for index, _, views in decode(video, {"picture": View(format="rgb")}):
        frame = av.VideoFrame.from_ndarray(views.picture, format="rgb24").reformat(format="yuv420p")
        frame.pts = index
        yield from ((int(packet.pts or 0), bytes(packet)) for packet in encoder.encode(frame))
    yield from ((int(packet.pts or 0), bytes(packet)) for packet in encoder.encode(None))
