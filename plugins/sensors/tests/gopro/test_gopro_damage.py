"""Random damage to real telemetry: what is left becomes streams, never a traceback."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import RecordingError
from handloom.media import MediaInfo
from handloom.streams import StreamType, Video, VideoFile
from handloom_sensors.gopro.recording import Recording
from handloom_sensors.gpmf import Payload, encode, parse

PROPERTIES = [b"STMP", b"TSMP", b"SCAL", b"GPSF", b"GPSU", b"TYPE", b"ORIN", b"TMPC", b"SIUN", b"GPS9", b"DVID"]


@pytest.fixture(scope="module")
def whole(shared_data):
    return [encode([item]) for item in parse((shared_data / "gpmf" / "hero11.raw").read_bytes())]


def recording(payloads):
    video = Video(
        type=StreamType(kind="video", dtype="uint8", shape=(4, 4, 3)),
        files=(VideoFile(path=Path("x.mp4"), first_frame=0, time_base=(1, 25), start_ns=0),),
        pts=np.arange(274),
        stamps=np.arange(274) * 40_000_000,
        keyframes=np.ones(274, np.bool_),
    )
    info = MediaInfo(
        path=Path("x.mp4"),
        format="mp4",
        tracks=(),
        duration_s=None,
        creation_time="",
        timecode="",
        rotation_deg=0,
        metadata={},
    )
    return Recording(video=video, info=info, payloads=tuple(payloads), settings={})


def damaged(data, rng):
    """Return bytes with a few changed, mostly in or near the properties that carry meaning."""
    broken = bytearray(data)
    for _ in range(rng.choice([0, 1, 3, 10])):
        near = broken.find(rng.choice(PROPERTIES), rng.randrange(len(broken)))
        position = near + rng.randrange(20) if near >= 0 else rng.randrange(len(broken))
        broken[min(position, len(broken) - 1)] = rng.choice([0, 1, 255, rng.randrange(256)])
    return bytes(broken[: rng.randrange(len(broken))] if rng.random() < 0.05 else broken)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_damaged_telemetry_still_becomes_streams_in_order_of_time(whole, seed):
    rng = random.Random(seed)
    payloads = [
        Payload(data=damaged(data, rng), pts_ns=index * 1_001_000_000, duration_ns=1_001_000_000)
        for index, data in enumerate(whole)
        if rng.random() > 0.1
    ]
    refused = False
    try:
        outputs = recording(payloads).telemetry("", {})
    except RecordingError:
        refused = True
    assert refused or all((np.diff(stream.all_stamps()) >= 0).all() for stream in outputs.streams.values())
