"""Makes a session's metadata.json with every key that PolyUMI's firmware writes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import attrs

from handloom_simulation.devices import Sampling
from handloom_simulation.recordings.pi_session import PiRecord
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.timeline import AUDIO_CHUNK, PI_SOUND_HZ, Timeline

_SPEAKER_LATENCY_NS = 41_000_000
"""From "play" to the first sample that leaves the loudspeaker; nobody stamps it."""

_TO_FIRST_FRAME_NS = 310_000_000
"""From setting the GoPro's clock to its first frame."""


@attrs.frozen(kw_only=True)
class Names:
    """Who a session is.

    Attributes:
        session_id: UUID.
        scene_id: UUID.
    """

    session_id: str
    scene_id: str


def session_metadata(
    names: Names,
    demonstration: Demonstration,
    timeline: Timeline,
    settings: SceneSettings,
    *,
    record: PiRecord | None,
) -> dict[str, Any]:
    """Return the content of metadata.json.

    Args:
        names: Who the session is.
        demonstration: The take, its type and quirks.
        timeline: When what was sampled.
        settings: How.
        record: What the finger camera recorded; None without one.
    """
    quirks, sound = demonstration.quirks, timeline.pi_sound
    whole = not quirks.lost_metadata
    told = quirks.told_size or (record.size if record else None)
    return {
        "session_id": names.session_id,
        "scene_id": names.scene_id,
        "created_at": _time_of_day(timeline, sound.start_ns - 400_000_000),
        "duration_s": round(sound.count / PI_SOUND_HZ, 6) if whole else None,
        "pi_hostname": "polyumi-sim",
        "camera_fps": round(settings.finger_rate_hz),
        "camera_resolution": list(told) if told else None,
        "audio_start_time_ns": _audio_start(timeline, demonstration) if whole and not quirks.no_audio else None,
        "audio_sample_rate": PI_SOUND_HZ,
        "audio_channels": 2,
        "audio_chunk_ms": round(1000 * AUDIO_CHUNK / PI_SOUND_HZ),
        "n_video_frames": len(record.stamps) if record and whole else 0,
        "n_audio_chunks": sound.count // AUDIO_CHUNK if whole and not quirks.no_audio else 0,
        "video_dropped_frames": (record.dropped if record else 0) if whole else None,
        "audio_dropped_chunks": 0 if whole else None,
        "led_brightness": 0.6,
        "gopro_sync_time": _time_of_day(timeline, timeline.frames.start_ns - _TO_FIRST_FRAME_NS),
        "first_frame_metadata": _first_frame(record, timeline.finger, timeline) if record and whole else None,
        "sync_chirp_play_time_ns": _chirp_play_time(demonstration, timeline) if whole else None,
        "optitrack_start_time": _optitrack_start(timeline) if settings.optitrack else None,
        "notes": demonstration.notes or None,
        "task": settings.task,
        "robot": "polyumi_gripper",
        "session_type": demonstration.type,
        "polyumi_version": "sim",
        "file_version": 1,
    }


def _time_of_day(timeline: Timeline, sim_ns: int) -> str:
    return iso_time(timeline.wall_ns(sim_ns))


def iso_time(wall_ns: int) -> str:
    """Return nanoseconds since 1970 as ISO 8601 in UTC, cut to microseconds as Python's datetime is."""
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return (epoch + dt.timedelta(microseconds=wall_ns // 1000)).isoformat(timespec="microseconds")


def _audio_start(timeline: Timeline, demonstration: Demonstration) -> int:
    quirks = demonstration.quirks
    clock = timeline.clocks.pi if quirks.monotonic_stamps else timeline.clocks.wall
    return int(clock.apply(timeline.pi_sound.start_ns)) + round(quirks.late_audio_s * 1e9)


def _chirp_play_time(demonstration: Demonstration, timeline: Timeline) -> int | None:
    if not demonstration.take.chirps:
        return None
    clock = timeline.clocks.pi if demonstration.quirks.monotonic_stamps else timeline.clocks.wall
    return int(clock.apply(demonstration.take.chirps[0] - _SPEAKER_LATENCY_NS))


def _first_frame(record: PiRecord, finger: Sampling, timeline: Timeline) -> dict[str, Any] | None:
    """Return the used part of what libcamera says of the first frame: one instant on both of the Pi's clocks."""
    if not len(record.stamps):
        return None
    return {
        "SensorTimestamp": int(record.stamps[0]),
        "FrameWallClock": timeline.wall_ns(int(record.sim_ns[0])),
        "ExposureTime": 8000,
        "AnalogueGain": 2.0,
        "FrameDuration": round(1e6 / finger.rate_hz),
        "Lux": 212.4,
    }


def _optitrack_start(timeline: Timeline) -> str:
    """Return the time of day of the edge that started OptiTrack's take, time 0 of its file."""
    at_zero = timeline.clocks.optitrack.inverse().apply(0)
    return _time_of_day(timeline, int(at_zero))
