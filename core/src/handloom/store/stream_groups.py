"""Streams on disk: what is an array, what an attribute, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from handloom.errors import StoreError
from handloom.store.arrays import Array
from handloom.streams import Samples, Stream, StreamType, Video, VideoFile, end_stamps

Place = Callable[[Path], str]
"""Takes a media file into the scene and returns its path there."""


def arrays_of(stream: Stream) -> dict[str, Array]:
    """Return the arrays a stream is kept as, by name."""
    if isinstance(stream, Video):
        return {"keyframes": stream.keyframes, "pts": stream.pts, "stamps": stream.stamps}
    arrays = {
        "data": stream.data,
        "knots": stream.knots,
        "stamps": stream.stamps,
        "tracked": stream.tracked,
    }
    return {name: array for name, array in arrays.items() if array is not None}


def attributes_of(stream: Stream, place: Place) -> dict[str, Any]:
    """Return the group attributes of a stream; media files are placed and named by their path in the scene."""
    common = {"type": stream.type.to_json(), "attributes": dict(stream.attributes)}
    if isinstance(stream, Samples):
        return {**common, "stream": "samples"}
    files = [
        {
            "media": place(file.path),
            "name": file.path.name,
            "first_frame": file.first_frame,
            "time_base": list(file.time_base),
            "start_ns": file.start_ns,
        }
        for file in stream.files
    ]
    return {
        **common,
        "stream": "video",
        "files": files,
        "rotation_deg": stream.rotation_deg,
        "codec": stream.codec,
    }


def summary_of(stream: Stream) -> dict[str, Any]:
    """Return what a listing needs to know of a stream, as plain JSON values."""
    rate = stream.rate_hz()
    start_ns, end_ns = end_stamps(stream) or (None, None)
    return {
        "stream": "video" if isinstance(stream, Video) else "samples",
        "type": stream.type.to_json(),
        "count": len(stream),
        "rate_hz": None if math.isnan(rate) else rate,
        "start_ns": start_ns,
        "end_ns": end_ns,
    }


def build_stream(attributes: Mapping[str, Any], arrays: Mapping[str, Array], scene: Path, where: str) -> Stream:
    """Make the stream again.

    Args:
        attributes: Its group attributes.
        arrays: Its arrays by name.
        scene: Directory that media paths are relative to.
        where: The stream, for messages.

    Raises:
        StoreError: Attributes and arrays do not make a stream, or a media file is missing.
    """
    try:
        type_ = StreamType.from_json(attributes["type"])
        if attributes["stream"] == "samples":
            return Samples(type=type_, attributes=attributes["attributes"], **arrays)
        return Video(
            type=type_,
            files=tuple(_video_file(scene, values, where) for values in attributes["files"]),
            rotation_deg=attributes["rotation_deg"],
            codec=attributes["codec"],
            attributes=attributes["attributes"],
            **arrays,
        )
    except (KeyError, TypeError) as error:
        raise StoreError(f"{where} is not a stream: {error}. Run the step again, with --force.") from error


def _video_file(scene: Path, values: Mapping[str, Any], where: str) -> VideoFile:
    path = scene / PurePosixPath(values["media"])
    if not path.is_file():
        raise StoreError(
            f"{where} needs {values['media']} (recorded as '{values['name']}'), which is not in {scene}. "
            f"Copy it back from another copy of the scene, or run the sensor again."
        )
    numerator, denominator = values["time_base"]
    return VideoFile(
        path=path,
        first_frame=values["first_frame"],
        time_base=(numerator, denominator),
        start_ns=values["start_ns"],
    )
