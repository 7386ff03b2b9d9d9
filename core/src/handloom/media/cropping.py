"""Cuts a part out of decoded frames and scales it, without a copy of the rest."""

from __future__ import annotations

from typing import Any

from handloom.media.crops import Box
from handloom.media.luma import has_full_range
from handloom.media.opening import pyav

# Averaging over the area of each small pixel, with the colour of every pixel of its own: without the second flag
# swscale gives two neighbours of an RGB picture one colour. Source: ffmpeg-scaler(1), sws_flags.
_FLAGS = "area+full_chroma_int+accurate_rnd"


_Form = tuple[int, int, str, int, bool]
"""Width, height, pixel format, colour space and whether the range is full, of the frames that come in."""


class Cropper:
    """Cuts and scales the frames of one video the same way; keeps one filter graph for each form frames come in.

    FFmpeg's crop moves pointers only; swscale reads the part straight from the decoder's memory.
    """

    def __init__(self, kind: str) -> None:
        self._format = "rgb24" if kind == "rgb" else "gray"
        self._graphs: dict[tuple[Any, ...], Any] = {}

    def cut(self, frame: Any, box: Box, width: int, height: int) -> Any:
        """Return a part of a frame as a frame of its own.

        Args:
            frame: What PyAV decoded.
            box: The part, in the picture as coded.
            width: Of the result.
            height: Of the result.
        """
        form: _Form = (frame.width, frame.height, frame.format.name, int(frame.colorspace), has_full_range(frame))
        graph = self._graphs.get((*form, box, width, height))
        if graph is None:
            graph = self._graphs[(*form, box, width, height)] = self._graph(form, box, (width, height))
        graph.vpush(frame)
        return graph.vpull()

    def _graph(self, form: _Form, box: Box, size: tuple[int, int]) -> Any:
        graph = pyav().filter.Graph()
        graph.threads = 1
        wide, high, format_, colorspace, full_range = form
        x, y, box_width, box_height = box
        source = f"video_size={wide}x{high}:pix_fmt={format_}:time_base=1/1:range={'pc' if full_range else 'tv'}"
        graph.link_nodes(
            graph.add("buffer", f"{source}:colorspace={colorspace}"),
            graph.add("crop", f"w={box_width}:h={box_height}:x={x}:y={y}:exact=1"),
            graph.add("scale", f"w={size[0]}:h={size[1]}:flags={_FLAGS}:out_range=full"),
            graph.add("format", f"pix_fmts={self._format}"),
            graph.add("buffersink"),
        ).configure()
        return graph
