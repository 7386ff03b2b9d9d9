"""The telemetry of a motion as an MCAP file for Foxglove: poses to draw, and numbers to plot."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from handloom.errors import PluginError, RecordingError
from handloom_controllers.control.messages import Row, json_topics
from handloom_controllers.control.telemetry import Records

_MAGIC = b"\x89MCAP0\r\n"
"""The first and the last bytes of every MCAP file. Source: MCAP specification, "File structure"."""

_BASE = "base"
_BODIES: Mapping[str, str] = {"tcp": "T_base_tcp", "reference": "reference"}
"""Frames that are drawn, by the field of their pose in the base."""

_BLOCK = 1024

Log = Callable[[Row, int], None]


def write_mcap(
    path: Path,
    records: Records,
    *,
    joints: Sequence[str],
    about: Mapping[str, str],
    progress: Callable[[float], None],
) -> None:
    """Write the file; log times are the loop's stamps.

    Args:
        path: Where to write.
        records: (N,) telemetry.
        joints: Names of the joints.
        about: What the motion was, kept as metadata of the file.
        progress: Told the share done.

    Raises:
        PluginError: foxglove-sdk is not installed.
        RecordingError: The file did not become whole.
    """
    require_foxglove()
    from foxglove import Context, open_mcap
    from foxglove.mcap import MCAPCompression, MCAPWriteOptions

    context = Context()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    # One thread: with several the chunks' bytes would depend on how many processors there are.
    options = MCAPWriteOptions(compression=MCAPCompression.Zstd, compression_threads=0)
    with open_mcap(path, context=context, writer_options=options) as file:
        file.write_metadata("handloom.control", dict(about))
        logs = [*_poses(context), *_numbers(context, joints)]
        for done, row in enumerate(_rows(records)):
            for log in logs:
                log(row, row["stamp_ns"])
            if done % _BLOCK == 0:
                progress(done / len(records))
    _check_whole(path)


def require_foxglove() -> None:
    """Say what to install where there is no foxglove-sdk.

    Raises:
        PluginError: It is not there.
    """
    try:
        import foxglove  # noqa: F401
    except ImportError as error:
        raise PluginError(
            f"MCAP files are written by foxglove-sdk, which is not installed ({error}); "
            f"run: pip install 'handloom-controllers[foxglove]'"
        ) from error


def _rows(records: Records) -> Iterator[Row]:
    """Yield the records as plain numbers, a block at a time: asking numpy for single ones costs much more."""
    names: tuple[str, ...] = records.dtype.names or ()
    for first in range(0, len(records), _BLOCK):
        block = np.asarray(records[first : first + _BLOCK])
        columns = [block[name].tolist() for name in names]
        for values in zip(*columns, strict=True):
            yield dict(zip(names, values, strict=True))


def _numbers(context: Any, joints: Sequence[str]) -> Iterator[Log]:
    from foxglove import Channel

    for topic in json_topics(joints):
        channel = Channel(topic.name, schema=dict(topic.schema), message_encoding="json", context=context).base
        message = topic.message

        def log(row: Row, log_time: int, channel: Any = channel, message: Any = message) -> None:
            channel.log(json.dumps(message(row), separators=(",", ":")).encode(), log_time)

        yield log


def _poses(context: Any) -> Iterator[Log]:
    from foxglove.channels import FrameTransformChannel, PoseInFrameChannel

    transforms = FrameTransformChannel("/transforms", context=context)
    for body, field in _BODIES.items():
        poses = PoseInFrameChannel(f"/{body}", context=context)

        def log(row: Row, log_time: int, body: str = body, field: str = field, poses: Any = poses) -> None:
            values = row[field]
            if all(map(math.isfinite, values)):  # a lost pose publishes nothing
                pose, transform = _drawn(body, values, log_time)
                poses.log(pose, log_time=log_time)
                transforms.log(transform, log_time=log_time)

        yield log


def _drawn(body: str, values: Sequence[float], log_time: int) -> tuple[Any, Any]:
    """Return a pose as Foxglove's two messages of it: a marker, and a frame that others can stand in."""
    from foxglove.messages import FrameTransform, Pose, PoseInFrame, Quaternion, Timestamp, Vector3

    x, y, z, *turn = values
    position, orientation = Vector3(x=x, y=y, z=z), Quaternion(**dict(zip("xyzw", turn, strict=True)))
    timestamp = Timestamp(*divmod(log_time, 10**9))
    pose = PoseInFrame(timestamp=timestamp, frame_id=_BASE, pose=Pose(position=position, orientation=orientation))
    transform = FrameTransform(
        timestamp=timestamp,
        parent_frame_id=_BASE,
        child_frame_id=body,
        translation=position,
        rotation=orientation,
    )
    return pose, transform


def _check_whole(path: Path) -> None:
    """Look at the file's end: the SDK prints what the system refused, and goes on."""
    with path.open("rb") as file:
        file.seek(-min(len(_MAGIC), path.stat().st_size), 2)
        whole = file.read() == _MAGIC
    if not whole:
        raise RecordingError(
            f"{path} did not become whole; is there room on the disk? The telemetry itself is kept."
        )
