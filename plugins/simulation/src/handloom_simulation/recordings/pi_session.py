"""What the Pi on the gripper writes of a session: sound, finger pictures, their stamps, jaw ticks."""

from __future__ import annotations

import wave
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Progress
from handloom_simulation.devices import JawTicks, Sampling, measure_jaw, record_sound
from handloom_simulation.recordings.painting import BlackPainter, pictures
from handloom_simulation.recordings.settings import Demonstration, Quirks, SceneSettings
from handloom_simulation.recordings.timeline import PI_SOUND_HZ, Timeline
from handloom_simulation.world import Picture

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True, eq=False)
class PiRecord:
    """What the Pi recorded, for its metadata.

    Attributes:
        sim_ns: (F,) instants of the finger frames whose stamps were written.
        stamps: (F,) their SensorTimestamps, ns on the monotonic clock.
        dropped: Frames that were not captured.
        size: (width, height) of the finger pictures; (0, 0) without any.
    """

    sim_ns: Int64Array
    stamps: Int64Array
    dropped: int
    size: tuple[int, int]


def record_sound_file(
    path: Path, demonstration: Demonstration, timeline: Timeline, settings: SceneSettings, *, seed: int
) -> Path:
    """Write the Pi's microphones: left the contact microphone, right the one in air."""
    sampling, silent = timeline.pi_sound, demonstration.quirks.silent
    channels = [
        np.zeros(sampling.count)
        if silent == microphone
        else record_sound(demonstration.take, microphone, sampling, settings=settings.sound, seed=seed)
        for microphone in ("piezo", "air")
    ]
    whole = np.rint(np.stack(channels, axis=1) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(PI_SOUND_HZ)
        file.writeframes(whole.tobytes())
    return path


def record_finger(
    folder: Path,
    demonstration: Demonstration,
    timeline: Timeline,
    settings: SceneSettings,
    *,
    progress: Progress | None = None,
) -> PiRecord:
    """Write the finger camera's JPEGs and their stamps."""
    quirks = demonstration.quirks
    sampling = timeline.finger
    kept = np.ones(sampling.count, dtype=bool)
    if quirks.dropped_frames:
        kept[quirks.dropped_frames[0] : sum(quirks.dropped_frames)] = False
    instants, stamps = sampling.instants_ns()[kept], jumped(sampling, quirks)[kept]
    folder.mkdir()
    lines = [f"{index},{stamp}\n" for index, stamp in enumerate(stamps.tolist())]
    (folder / "video_timestamps.csv").write_text("".join(lines), encoding="ascii", newline="\n")
    size = _write_frames(folder, demonstration, instants, settings, progress)
    return PiRecord(sim_ns=instants, stamps=stamps, dropped=int((~kept).sum()), size=size)


def _write_frames(
    folder: Path,
    demonstration: Demonstration,
    instants: Int64Array,
    settings: SceneSettings,
    progress: Progress | None,
) -> tuple[int, int]:
    quirks, size = demonstration.quirks, (0, 0)
    missing = range(quirks.missing_frames[0], sum(quirks.missing_frames)) if quirks.missing_frames else ()
    made = pictures(demonstration.finger, instants.tolist(), workers=settings.workers, progress=progress)
    for index, picture in enumerate(made):
        size = (picture.shape[1], picture.shape[0])
        if index in missing:
            continue
        if quirks.black == "finger":
            picture = BlackPainter(width=size[0], height=size[1]).paint(0)
        if index == quirks.odd_jpeg:
            picture = picture[::2, ::2]
        (folder / f"frame_{index:06d}.jpg").write_bytes(jpeg(picture, settings.jpeg_quality))
    return size


def jpeg(picture: Picture, quality: int) -> bytes:
    """Return a picture as a JPEG file."""
    import cv2

    done, data = cv2.imencode(
        ".jpg", np.ascontiguousarray(picture[..., ::-1]), [cv2.IMWRITE_JPEG_QUALITY, quality]
    )
    assert done, "OpenCV encodes any 8-bit picture"
    return bytes(data)


def record_jaw(
    path: Path, demonstration: Demonstration, timeline: Timeline, settings: SceneSettings
) -> Path | None:
    """Write the servo's ticks: `timestamp_ns,ticks`, monotonic; None when there is no servo."""
    if settings.servo is None:
        return None
    measured = measure_jaw(demonstration.take, timeline.jaw, settings.servo)
    ticks = JawTicks(stamps=jumped(timeline.jaw, demonstration.quirks), ticks=measured.ticks)
    rows = [f"{stamp},{tick}\n" for stamp, tick in zip(ticks.stamps.tolist(), ticks.ticks.tolist(), strict=True)]
    path.write_text("timestamp_ns,ticks\n" + "".join(rows), encoding="ascii", newline="\n")
    return path


def jumped(sampling: Sampling, quirks: Quirks) -> Int64Array:
    """Return the stamps of a sampling of the Pi, with the jump of its clock that was asked for."""
    stamps = sampling.stamps_ns()
    stamps[len(stamps) // 2 :] += round(quirks.clock_jump_s * 1e9)
    return stamps
