"""The rig's camera models as camera calibrations, for the 3D and the image panel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handloom.streams import Stream, Video
from handloom_exporters.mcap.topic import Topic, timestamp


def camera_topics(cameras, streams, start):
    return [], []
