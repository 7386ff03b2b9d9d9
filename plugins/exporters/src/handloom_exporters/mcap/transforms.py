"""Poses of a body, and the transforms that let Foxglove draw everything in one 3D scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.geometry import FrameTree, StaticEdge, pose
from handloom.streams import Samples
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.axis import TimeAxis
from handloom_exporters.mcap.forest import Edge, plant
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name

Rows = npt.NDArray[np.float64]
"""(N, 7): x y z in metres, quaternion x y z w."""

STATIC_TOPIC = "/static_transforms"


def pose_topic(name: str, samples: Samples, log_times: Int64Array) -> Topic:
    """Return the topic of a pose stream; a lost row publishes nothing.

    Args:
        name: Full name of the stream.
        samples: (N, 7) poses `T_frame_body`.
        log_times: (N,) int64 ns on the file's axis.
    """
    from foxglove.messages import PoseInFrame

    return Topic(
        name=topic_name(name),
        schema=PoseInFrame.get_schema(),
        messages=_pose_messages(samples, log_times),
        metadata={"frame_id": samples.type.frame, "body": samples.type.body, "unit": "m", "kind": "pose"},
    )


def _pose_messages(samples: Samples, log_times: Int64Array) -> Iterator[Message]:
    from foxglove.messages import Pose, PoseInFrame

    for log_time, row in _tracked(samples, log_times):
        position, orientation = _parts(row)
        message = PoseInFrame(
            timestamp=timestamp(log_time),
            frame_id=samples.type.frame,
            pose=Pose(position=position, orientation=orientation),
        )
        yield log_time, message.encode()


def static_rows(frames: FrameTree) -> dict[tuple[str, str], Rows]:
    """Return the (7,) rows of a rig's transforms that never change, `T_parent_child` by (parent, child)."""
    return {
        (edge.parent, edge.child): edge.T_parent_child
        for edge in frames.edges.values()
        if isinstance(edge, StaticEdge)
    }


def transform_topics(
    poses: Mapping[str, Samples],
    axis: TimeAxis,
    *,
    static: Mapping[tuple[str, str], Rows],
    start: int,
) -> tuple[list[Topic], list[str]]:
    """Return the topics of transforms, turned where needed so that no frame has two parents.

    Args:
        poses: Pose streams by full name.
        axis: The file's time axis.
        static: (7,) rows of the transforms that never change, `T_parent_child` by (parent, child).
        start: Log time of the static ones, ns: where the file begins.

    Returns:
        The topics, and a sentence for each transform left out because it would close a loop.
    """
    known = [Edge(parent=parent, child=child) for parent, child in sorted(static)]
    known += [
        Edge(parent=samples.type.frame, child=samples.type.body, stream=name)
        for name, samples in sorted(poses.items())
        if samples.type.frame and samples.type.body and samples.tracked is not None and samples.tracked.any()
    ]
    planted, left_out = plant(known)
    still = [edge for edge in planted if not edge.stream]
    topics = [_static_topic(still, static, start)] if still else []
    topics += [
        _moving_topic(edge, poses[edge.stream], axis.of_stream(edge.stream, poses[edge.stream]))
        for edge in planted
        if edge.stream
    ]
    return topics, [_left_out_note(edge) for edge in left_out]


def _left_out_note(edge: Edge) -> str:
    source = f"of stream '{edge.stream}' " if edge.stream else ""
    return (
        f"The transform {source}from '{edge.child}' to '{edge.parent}' is left out of the 3D scene: others join "
        f"these frames already, and a frame has one parent there."
    )


def _static_topic(edges: Sequence[Edge], static: Mapping[tuple[str, str], Rows], start: int) -> Topic:
    from foxglove.messages import FrameTransforms

    def row(edge: Edge) -> Rows:
        return pose.inverse(static[edge.child, edge.parent]) if edge.turned else static[edge.parent, edge.child]

    transforms = [_transform(edge, start, row(edge).tolist()) for edge in edges]
    message = FrameTransforms(transforms=transforms).encode()
    return Topic(name=STATIC_TOPIC, schema=FrameTransforms.get_schema(), messages=iter([(start, message)]))


def _moving_topic(edge: Edge, samples: Samples, log_times: Int64Array) -> Topic:
    from foxglove.messages import FrameTransform

    def messages() -> Iterator[Message]:
        for log_time, row in _tracked(samples, log_times, turned=edge.turned):
            yield log_time, _transform(edge, log_time, row).encode()

    name = f"{topic_name(edge.stream)}/transform"
    return Topic(name=name, schema=FrameTransform.get_schema(), messages=messages())


def _transform(edge: Edge, log_time: int, row: Sequence[float]) -> Any:
    from foxglove.messages import FrameTransform

    translation, rotation = _parts(row)
    return FrameTransform(
        timestamp=timestamp(log_time),
        parent_frame_id=edge.parent,
        child_frame_id=edge.child,
        translation=translation,
        rotation=rotation,
    )


def _tracked(
    samples: Samples, log_times: Int64Array, *, turned: bool = False
) -> Iterator[tuple[int, list[float]]]:
    rows = samples.data[samples.tracked]
    if turned:
        rows = pose.inverse(rows)
    yield from zip(log_times[samples.tracked].tolist(), rows.tolist(), strict=True)


def _parts(row: Sequence[float]) -> tuple[Any, Any]:
    from foxglove.messages import Quaternion, Vector3

    x, y, z, qx, qy, qz, qw = row
    return Vector3(x=x, y=y, z=z), Quaternion(x=qx, y=qy, z=qz, w=qw)
