"""Decide which topics a stream becomes, and what has to be said about it."""

from __future__ import annotations

from collections.abc import Mapping

from handloom.api import Rig
from handloom.streams import Samples, Stream, Video
from handloom_exporters.mcap.axis import TimeAxis, span
from handloom_exporters.mcap.cameras import camera_topics
from handloom_exporters.mcap.geodetic import geodetic_topic
from handloom_exporters.mcap.notes import rig_notes, stream_notes
from handloom_exporters.mcap.numbers import number_topic
from handloom_exporters.mcap.pictures import image_topic, video_topic
from handloom_exporters.mcap.sound import audio_topic
from handloom_exporters.mcap.topic import Topic
from handloom_exporters.mcap.transforms import pose_topic, transform_topics
