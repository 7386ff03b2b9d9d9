"""The samples of one stream of one episode, checked against their type when they are made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import StreamError
from handloom.streams import knots as _knots
from handloom.streams.types import StreamType

Array = npt.NDArray[Any]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Samples:
    """Samples with their stamps: one stamp a sample, or knots when the stream is regular.

    Attributes:
        type: What a sample is.
        data: (N, *type.shape) of type.dtype.
        stamps: (N,) int64 ns on the clock `type.clock`, never decreasing; None when `knots` are given.
        knots: (K, 2) int64 of [sample index, ns]; None when `stamps` are given.
        tracked: (N,) bool, for poses: False exactly where the row is NaN; None for other kinds.
        attributes: Plain JSON values that belong to the stream: raw axis order, sensor model, gaps.

    Raises:
        StreamError: Shape, dtype, order or tracking contradicts the type.
    """

    type: StreamType
    data: Array
    stamps: Int64Array | None = None
    knots: Int64Array | None = None
    tracked: BoolArray | None = None
    attributes: Mapping[str, Any] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        _check_data(self.type, self.data)
        _check_time(self)
        _check_tracking(self)

    def __len__(self) -> int:
        return len(self.data)

    def all_stamps(self) -> Int64Array:
        """Return one stamp a sample, (N,) int64 ns, whichever way they are kept."""
        if self.stamps is not None:
            return self.stamps
        assert self.knots is not None
        return _knots.stamps_at(self.knots, np.arange(len(self)))

    def rate_hz(self) -> float:
        """Return the mean sample rate; NaN for fewer than two samples."""
        if self.knots is not None:
            return _knots.rate_hz(self.knots)
        return _mean_rate_hz(self.all_stamps())


def _check_data(type_: StreamType, data: Array) -> None:
    if data.dtype != np.dtype(type_.dtype):
        raise StreamError(f"A {type_.kind} stream declares {type_.dtype} but its data are {data.dtype}.")
    expected = ("N", *("n" if length is None else length for length in type_.shape))
    if not data.ndim or not type_.allows(data.shape[1:]):
        raise StreamError(f"A {type_.kind} stream declares shape {expected} but its data are {data.shape}.")


def _check_time(samples: Samples) -> None:
    if (samples.stamps is None) == (samples.knots is None):
        raise StreamError(f"A {samples.type.kind} stream needs either stamps or knots, not both and not neither.")
    if samples.knots is not None:
        _knots.check_knots(samples.knots)
        return
    stamps = samples.stamps
    assert stamps is not None
    if stamps.dtype != np.int64 or stamps.shape != (len(samples.data),):
        raise StreamError(
            f"A {samples.type.kind} stream of {len(samples.data)} samples needs as many int64 stamps; "
            f"found {stamps.dtype} {stamps.shape}."
        )
    backward = np.flatnonzero(np.diff(stamps) < 0)
    if len(backward):
        row = int(backward[0]) + 1
        raise StreamError(
            f"Stamp {row} of a {samples.type.kind} stream goes back by {int(stamps[row - 1] - stamps[row])} ns; "
            f"stamps must never decrease."
        )


def _check_tracking(samples: Samples) -> None:
    if samples.type.kind != "pose":
        if samples.tracked is not None:
            raise StreamError(f"Only poses are tracked or lost; found `tracked` on a {samples.type.kind} stream.")
        return
    if samples.tracked is None or samples.tracked.shape != (len(samples.data),):
        raise StreamError(f"A pose stream of {len(samples.data)} rows needs as many `tracked` flags.")
    wrong = np.flatnonzero(np.isfinite(samples.data).all(axis=1) != samples.tracked)
    if len(wrong):
        raise StreamError(f"Pose row {int(wrong[0])}: lost means NaN and tracked = false, tracked means finite.")
    norms = np.linalg.norm(samples.data[samples.tracked, 3:], axis=1)
    if len(norms) and not np.allclose(norms, 1.0, atol=1e-6):
        raise StreamError(
            f"A tracked pose has a quaternion of norm {norms[np.argmax(abs(norms - 1))]:.6g}, not 1."
        )


@attrs.frozen(kw_only=True)
class VideoFile:
    """One file of a video, a chapter of it when there are several.

    Attributes:
        path: Where the file is now.
        first_frame: Index, over the whole video, of the file's first frame.
        time_base: (numerator, denominator) of the seconds that one unit of `pts` lasts.
        start_ns: What is added to pts * time_base to get the stamp on the stream's clock.
    """

    path: Path
    first_frame: int
    time_base: tuple[int, int]
    start_ns: int


@attrs.frozen(kw_only=True, eq=False)
class Video:
    """A video stream: where the files are and when each frame is shown; pixels are decoded on demand.

    Attributes:
        type: Kind "video"; shape (H, W, 3) as displayed, rotation applied.
        files: Chapters in order.
        pts: (N,) int64 in the time base of the frame's own file, in order of display.
        stamps: (N,) int64 ns on `type.clock`, strictly increasing.
        keyframes: (N,) bool, whether decoding can start at the frame.
        rotation_deg: Clockwise turn, 0, 90, 180 or 270, that brings the coded picture upright.
        codec: Name of the codec as FFmpeg has it, "h264", "hevc".
        attributes: Plain JSON values that belong to the stream: creation time, timecode, what was lost.
    """

    type: StreamType
    files: tuple[VideoFile, ...]
    pts: Int64Array
    stamps: Int64Array
    keyframes: BoolArray
    rotation_deg: int = 0
    codec: str = ""
    attributes: Mapping[str, Any] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not len(self.pts) == len(self.stamps) == len(self.keyframes):
            raise StreamError(
                f"A video needs as many pts, stamps and keyframe flags; "
                f"found {len(self.pts)}, {len(self.stamps)} and {len(self.keyframes)}."
            )
        if len(self.stamps) > 1 and not (np.diff(self.stamps) > 0).all():
            row = int(np.argmin(np.diff(self.stamps) > 0)) + 1
            raise StreamError(f"Frame {row} of a video is not shown after frame {row - 1}; stamps must increase.")

    def __len__(self) -> int:
        return len(self.stamps)

    def rate_hz(self) -> float:
        """Return the mean frame rate; NaN for fewer than two frames."""
        return _mean_rate_hz(self.stamps)


Stream = Samples | Video


def end_stamps(stream: Stream) -> tuple[int, int] | None:
    """Return the stamps of the first and the last sample or frame, int64 ns; None of an empty stream."""
    if not len(stream):
        return None
    if isinstance(stream, Samples) and stream.knots is not None:
        first, last = _knots.stamps_at(stream.knots, [0, len(stream) - 1])
        return int(first), int(last)
    assert stream.stamps is not None
    return int(stream.stamps[0]), int(stream.stamps[-1])


def _mean_rate_hz(stamps: Int64Array) -> float:
    """Return the mean rate; NaN for fewer than two stamps, or for several that are all the same."""
    if len(stamps) < 2 or stamps[-1] == stamps[0]:
        return float("nan")
    return float((len(stamps) - 1) / ((stamps[-1] - stamps[0]) * 1e-9))
