"""Decide which topics an episode becomes, and what has to be said about it."""

from __future__ import annotations

from collections.abc import Mapping

from handloom.api import Rig
from handloom.streams import Samples, Stream, Video
from handloom_exporters.mcap import jpegs
from handloom_exporters.mcap.axis import TimeAxis, span
from handloom_exporters.mcap.cameras import camera_topics
from handloom_exporters.mcap.geodetic import geodetic_topic
from handloom_exporters.mcap.images import image_topic
from handloom_exporters.mcap.notes import axis_notes, stream_notes
from handloom_exporters.mcap.numbers import number_topic
from handloom_exporters.mcap.sound import audio_topic
from handloom_exporters.mcap.topic import Topic
from handloom_exporters.mcap.transforms import pose_topic, static_rows, transform_topics
from handloom_exporters.mcap.video import obstacle, video_topic


def make_topics(
    streams: Mapping[str, Stream], axis: TimeAxis, *, rig: Rig, transcode: bool
) -> tuple[list[Topic], list[str], list[str]]:
    """Return the topics of an episode, and the sentences that go with them once all messages are read.

    The last list holds what only whoever opens the file wants to know: which transforms others tell already.

    Args:
        streams: All streams of the file, by full name, sorted.
        axis: The file's time axis.
        rig: Static transforms and camera models.
        transcode: Whether a video that Foxglove can't play as it is may be encoded anew.

    Raises:
        StepError: A stream has no form in an MCAP file.
    """
    start, _ = span(streams, axis)
    filled = {name: stream for name, stream in streams.items() if len(stream)}
    hindered = {
        name: obstacle(name, stream)
        for name, stream in filled.items()
        if transcode and isinstance(stream, Video) and stream.codec != jpegs.CODEC
    }
    again = {name: reason for name, reason in hindered.items() if reason}
    transforms, loops = transform_topics(_poses(filled), axis, static=static_rows(rig.frames), start=start)
    cameras, without_model = camera_topics(rig.cameras, streams, start)
    notes = [*axis_notes(axis), *without_model]
    for name, stream in streams.items():
        notes += stream_notes(name, stream, encoded_again=again.get(name, ""))
    topics = [_topic(name, stream, axis, transcode=name in again, notes=notes) for name, stream in filled.items()]
    return [*transforms, *cameras, *topics], notes, loops


def _poses(streams: Mapping[str, Stream]) -> dict[str, Samples]:
    return {
        name: stream
        for name, stream in streams.items()
        if isinstance(stream, Samples) and stream.type.kind == "pose"
    }


def _topic(name: str, stream: Stream, axis: TimeAxis, *, transcode: bool, notes: list[str]) -> Topic:
    if isinstance(stream, Samples) and stream.type.kind == "audio":
        return audio_topic(name, stream, axis)
    log_times = axis.of_stream(name, stream)
    if isinstance(stream, Video) and stream.codec == jpegs.CODEC:
        return jpegs.jpeg_topic(name, stream, log_times)
    if isinstance(stream, Video):
        return video_topic(name, stream, log_times, transcode=transcode, notes=notes)
    special = {"pose": pose_topic, "geodetic": geodetic_topic, "image": image_topic}
    return special.get(stream.type.kind, number_topic)(name, stream, log_times)
