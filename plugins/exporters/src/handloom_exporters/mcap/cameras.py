"""The rig's camera models as camera calibrations, so that Foxglove can draw pictures into the 3D scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handloom.geometry import CameraModel, KannalaBrandt, Pinhole
from handloom.streams import Stream, Video
from handloom_exporters.mcap.topic import Topic, timestamp


def camera_topics(
    cameras: Mapping[str, CameraModel], streams: Mapping[str, Stream], start: int
) -> tuple[list[Topic], list[str]]:
    """Return one topic with one message for each camera that has a video in the file.

    Args:
        cameras: Camera models by device.
        streams: The streams of the file, by full name.
        start: Log time of the messages, ns: where the file begins.

    Returns:
        The topics, and a sentence for each camera whose model Foxglove can't hold or does not fit the video.
    """
    topics, notes = [], []
    for device, camera in sorted(cameras.items()):
        video = _video_of(device, streams)
        if video is None:
            continue
        reason = _unfit(camera, video)
        if reason:
            notes.append(f"Camera '{device}' has no calibration topic: {reason}. Its model is in the metadata.")
        else:
            topics.append(_topic(device, camera, video.type.frame or device, start))
    return topics, notes


def _video_of(device: str, streams: Mapping[str, Stream]) -> Video | None:
    for name, stream in sorted(streams.items()):
        if name.partition(".")[0] == device and isinstance(stream, Video):
            return stream
    return None


def _unfit(camera: CameraModel, video: Video) -> str:
    if not isinstance(camera, Pinhole | KannalaBrandt):
        return f"Foxglove knows no {camera.model} model"
    if video.rotation_deg:
        return "it is that of the upright picture, and the file holds the picture as coded"
    height, width = video.type.shape[:2]
    if (camera.width, camera.height) != (width, height):
        return f"it is for {camera.width}x{camera.height} pixels and the video has {width}x{height}"
    return ""


def _topic(device: str, camera: CameraModel, frame: str, start: int) -> Topic:
    from foxglove.messages import CameraCalibration

    message = CameraCalibration(
        timestamp=timestamp(start),
        frame_id=frame,
        width=camera.width,
        height=camera.height,
        K=camera.matrix().ravel().tolist(),
        R=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        P=[camera.fx, 0.0, camera.cx, 0.0, 0.0, camera.fy, camera.cy, 0.0, 0.0, 0.0, 1.0, 0.0],
        **_distortion(camera),
    )
    schema = CameraCalibration.get_schema()
    return Topic(name=f"/{device}/calibration", schema=schema, messages=iter([(start, message.encode())]))


def _distortion(camera: CameraModel) -> dict[str, Any]:
    """Return name and coefficients of the distortion.

    Source: https://docs.foxglove.dev/docs/sdk/schemas/camera-calibration; its "kannala_brandt" takes k1 to k4 of
    OpenCV's fisheye model, which are ours.
    """
    if isinstance(camera, KannalaBrandt):
        return {"distortion_model": "kannala_brandt", "D": [camera.k1, camera.k2, camera.k3, camera.k4]}
    return {"distortion_model": "plumb_bob", "D": [0.0] * 5}
