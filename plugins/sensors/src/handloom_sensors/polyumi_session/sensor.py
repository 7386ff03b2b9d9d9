"""Reads a PolyUMI session: what its GoPro, finger camera, microphones and jaw recorded, each clock kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import attrs

from handloom.api import OutputPort, Outputs, Ports, Progress, Sensor, clock_map_type
from handloom.errors import MediaError, RecordingError
from handloom.streams import AUDIO, VIDEO, Samples, Stream
from handloom_sensors.polyumi_session import camera, finger_video, sound
from handloom_sensors.polyumi_session.clocks import OPTITRACK, PI, WALL, PiClock, optitrack_map, pi_clock
from handloom_sensors.polyumi_session.frames import FingerFrames, read_frames
from handloom_sensors.polyumi_session.jaw import TICKS, read_jaw
from handloom_sensors.polyumi_session.metadata import Metadata, read_metadata
from handloom_sensors.polyumi_session.settings import PolyumiSessionConfig


class PolyumiSession(Sensor):
    """A PolyUMI gripper: one recorded "file" is a session directory, however the Pi was shut down."""

    Config: ClassVar[type] = PolyumiSessionConfig
    summary: ClassVar[str] = (
        "PolyUMI sessions: GoPro, finger camera, microphones and jaw, device clocks kept apart"
    )
    version: ClassVar[int] = 1

    @classmethod
    def ports(cls, config: PolyumiSessionConfig) -> Ports:
        """Declare what a session may hold; none of it is always there."""
        own = {
            "finger_video": attrs.evolve(VIDEO, clock=PI),
            **{name: attrs.evolve(AUDIO, shape=(1,), clock=PI) for name in sound.CHANNELS},
            "jaw_ticks": TICKS,
            "pi_to_wall": clock_map_type(PI, WALL),
            "optitrack_to_wall": clock_map_type(OPTITRACK, WALL),
        }
        outputs = {
            **camera.gopro_outputs(config.gopro()),
            **{name: OutputPort(type=type_, optional=True) for name, type_ in own.items()},
        }
        return Ports(outputs=outputs, files="one session directory; GoPro files that lie elsewhere may follow it")

    def prepare(self, files: tuple[Path, ...], folder: Path) -> tuple[Path, ...]:
        """Make one video of the finger camera's pictures, each kept to the byte.

        Args:
            files: The session directory, and GoPro files that lie elsewhere.
            folder: Where the video is written.

        Raises:
            RecordingError: There is no such session, or its pictures are of several cameras.
        """
        session = _session_of(files)
        frames, _ = read_frames(session, lasts_ns=_lasts_ns(session, read_metadata(session)))
        if frames is None:
            return files
        return (*files, finger_video.write_finger_video(frames, folder / finger_video.FILE))

    def read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        """Read a session: whatever is there of it, with a note for what is not.

        Args:
            files: What `prepare` returned.
            progress: Told the share done.

        Raises:
            RecordingError: There is no such session, nothing in it can be read, or its pictures are of several
                cameras.
        """
        try:
            return self._read(files, progress)
        except MediaError as error:
            raise RecordingError(str(error)) from error

    def _read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        session = _session_of(files)
        progress(0.0)
        metadata = read_metadata(session)
        gopro = camera.read_gopro(
            camera.gopro_files(session, [path for path in files[1:] if path.name != finger_video.FILE]),
            self.config.gopro(),
            lambda share: progress(0.6 * share),
        )
        raw, sound_notes = sound.read_raw_sound(session)
        progress(0.8)
        frames, frame_notes = read_frames(session, lasts_ns=_longest_ns(raw, metadata))
        clock = pi_clock(metadata, None if frames is None else int(frames.stamps[0]))
        evidence = camera.match(
            gopro.streams,
            metadata,
            sound.lasts_ns(raw),
            clock.wall(metadata.whole("sync_chirp_play_time_ns")),
            self.config.tolerances(),
        )
        taken, remarks = camera.judge(evidence, session.name, self.config.tolerances())
        pi = self._read_pi(session, metadata, raw, frames, clock, _video_of(files))
        progress(1.0)
        streams = {**(gopro.streams if taken else {}), **pi.streams}
        if not streams:
            raise RecordingError(" ".join(() if taken else remarks) or _nothing(session))
        return Outputs(
            streams=streams,
            attributes={
                **_attributes(metadata),
                **pi.attributes,
                "gopro": dict(gopro.attributes),
                "gopro_evidence": {name: one.to_json() for name, one in evidence.items()},
            },
            notes=(*metadata.notes, *gopro.notes, *remarks, *sound_notes, *frame_notes, *pi.notes),
        )

    def _read_pi(
        self,
        session: Path,
        metadata: Metadata,
        raw: Samples | None,
        frames: FingerFrames | None,
        clock: PiClock,
        video: Path | None,
    ) -> Outputs:
        """Read what the Pi recorded."""
        streams: dict[str, Stream | None] = {
            "pi_to_wall": clock.stream(),
            "optitrack_to_wall": optitrack_map(metadata),
        }
        said = [*clock.notes]
        if frames is not None:
            said += [*frames.notes, *_frame_remarks(frames, metadata)]
            streams["finger_video"] = finger_video.read_finger_video(frames, video) if video else None
            if video is None:
                said.append("The finger camera's pictures were not made into a video, and are left out.")
        if raw is not None:
            heard = sound.place_sound(raw, metadata, clock, self.config.audio_start)
            streams |= heard.streams
            said += heard.notes
        streams["jaw_ticks"], jaw_notes = read_jaw(session, lasts_ns=_longest_ns(raw, metadata))
        return Outputs(
            streams={name: stream for name, stream in streams.items() if stream is not None},
            attributes={} if clock.to_wall is None else {"pi_to_wall_from": clock.method},
            notes=(*said, *jaw_notes),
        )


def _nothing(session: Path) -> str:
    return (
        f"{session} holds nothing that can be read: no {camera.FILE}, no {sound.FILE}, no pictures of the finger "
        f"camera; give the directory of one session."
    )


def _session_of(files: tuple[Path, ...]) -> Path:
    if not files:
        raise RecordingError("No session directory was given; name one.")
    session = files[0]
    if not session.is_dir():
        found = "is a file" if session.exists() else "does not exist"
        raise RecordingError(f"{session}: the session directory {found}; give the directory of one session.")
    return session


def _video_of(files: tuple[Path, ...]) -> Path | None:
    return next((path for path in files[1:] if path.name == finger_video.FILE), None)


def _lasts_ns(session: Path, metadata: Metadata) -> int | None:
    return _longest_ns(sound.read_raw_sound(session)[0], metadata)


def _longest_ns(raw: Samples | None, metadata: Metadata) -> int | None:
    """Return how long the session was by a clock other than the frames': the sound's, else what metadata say."""
    heard, said_s = sound.lasts_ns(raw), metadata.number("duration_s")
    return heard if heard is not None or said_s is None else round(said_s * 1e9)


def _frame_remarks(frames: FingerFrames, metadata: Metadata) -> Iterator[str]:
    """Say what is odd about the pictures of a whole session."""
    said, (width, height) = metadata.size(), frames.size
    if said is not None and said != frames.size:
        yield (
            f"The finger camera's pictures are {width} x {height} and the metadata say {said[0]} x {said[1]}; the "
            f"pictures are believed."
        )
        stretch = width / height / (said[0] / said[1])
        if abs(stretch - 1) > 0.01:
            yield (
                f"The finger camera's view was cut for {said[0]} x {said[1]} and shown at {width} x {height}, so "
                f"its pictures are stretched {stretch:.3f} times sideways; they are kept as they are."
            )
    count = metadata.whole("n_video_frames")
    if count and count != len(frames.times.keep):
        yield f"The metadata count {count} frames of the finger camera and the list has {len(frames.times.keep)}."
    dropped = metadata.whole("video_dropped_frames")
    if dropped:
        yield f"The Pi counts {dropped} dropped frames of the finger camera."


_KEPT = (
    "session_id", "scene_id", "created_at", "duration_s", "pi_hostname", "camera_fps", "camera_resolution",
    "gopro_sync_time", "optitrack_start_time", "sync_chirp_play_time_ns", "led_brightness", "notes", "task",
    "robot", "session_type", "polyumi_version", "file_version",
)  # fmt: skip


def _attributes(metadata: Metadata) -> dict[str, Any]:
    """Return what the metadata say of the session, as written."""
    values: Mapping[str, Any] = metadata.values
    return {key: values[key] for key in _KEPT if values.get(key) is not None}
