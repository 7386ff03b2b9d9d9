"""Streams: named, typed, time-ordered samples at their native rate."""

from handloom.streams.correlation import masked_correlation, top_between
from handloom.streams.kinds import KINDS
from handloom.streams.knots import check_knots, indices_at, rate_hz, stamps_at
from handloom.streams.repeats import repeated_rows
from handloom.streams.runs import runs_of
from handloom.streams.samples import Samples, Stream, Video, VideoFile, end_stamps
from handloom.streams.trajectory_file import Trajectory, read_trajectory
from handloom.streams.trajectory_layout import LAYOUTS, TrajectoryLayout, layout_named
from handloom.streams.types import AUDIO, OWN, POSE, VIDEO, StreamType

__all__ = [
    "AUDIO",
    "KINDS",
    "LAYOUTS",
    "OWN",
    "POSE",
    "VIDEO",
    "Samples",
    "Stream",
    "StreamType",
    "Trajectory",
    "TrajectoryLayout",
    "Video",
    "VideoFile",
    "check_knots",
    "end_stamps",
    "indices_at",
    "layout_named",
    "masked_correlation",
    "rate_hz",
    "read_trajectory",
    "repeated_rows",
    "runs_of",
    "stamps_at",
    "top_between",
]
