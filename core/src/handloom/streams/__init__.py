"""Streams: named, typed, time-ordered samples at their native rate."""

from handloom.streams.kinds import KINDS
from handloom.streams.knots import check_knots, indices_at, rate_hz, stamps_at
from handloom.streams.samples import Samples, Stream, Video, VideoFile
from handloom.streams.types import OWN, POSE, StreamType

__all__ = [
    "KINDS",
    "OWN",
    "POSE",
    "Samples",
    "Stream",
    "StreamType",
    "Video",
    "VideoFile",
    "check_knots",
    "indices_at",
    "rate_hz",
    "stamps_at",
]
