"""Writes one PolyUMI session: the Pi's files, the GoPro's, and the logs of what looked on from outside."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Progress
from handloom_simulation.recordings.gopro_session import record_gopro
from handloom_simulation.recordings.naming import folder_name, unique_id
from handloom_simulation.recordings.outside import write_slam, write_vr_log
from handloom_simulation.recordings.pi_session import PiRecord, record_finger, record_jaw, record_sound_file
from handloom_simulation.recordings.session_metadata import Names, session_metadata
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.timeline import Timeline
from handloom_simulation.recordings.top_camera import TOP_FILE, record_top
from handloom_simulation.recordings.truths import session_truth
from handloom_simulation.truth import SessionTruth

FloatArray = npt.NDArray[np.float64]

GOPRO_FILE = "gopro.mp4"
_SHARE_OF_FINGER = 0.2
"""Of the time that a session's pictures take."""


@attrs.frozen(kw_only=True, eq=False)
class SessionWriter:
    """Knows all that one session is made of.

    Attributes:
        scene: Its scene's folder.
        scene_id: UUID.
        index: Of the session in its scene.
        demonstration: The take, its painters and quirks.
        timeline: When what is sampled.
        settings: How.
    """

    scene: Path
    scene_id: str
    index: int
    demonstration: Demonstration
    timeline: Timeline
    settings: SceneSettings

    @property
    def seed(self) -> int:
        """Return the seed of the session's noise."""
        return self.settings.seed * 1000 + self.index

    def write(self, progress: Progress, T_world_map: FloatArray | None) -> tuple[Path, SessionTruth]:
        """Write all of it.

        Args:
            progress: Told the share done.
            T_world_map: Frame of the map that a SLAM was given, (7,); None lets it make one.

        Returns:
            The session's folder and its truth.
        """
        session_id = str(unique_id(self.settings.seed, f"session {self.index}"))
        began_ns = self.timeline.wall_ns(self.timeline.pi_sound.start_ns)
        folder = self.scene / folder_name("session", began_ns, session_id[:4])
        folder.mkdir()
        first, last = _halves(progress) if self.demonstration.top else (progress, progress)
        record = self._write_pi(folder, session_id, first)
        self._write_gopro(folder, first)
        self._write_top(folder, last)
        T_world_map = self._write_trackers(folder, T_world_map)
        progress(1.0)
        parts = (self.demonstration, self.timeline, self.settings)
        return folder, session_truth(folder.name, *parts, record=record, T_world_map=T_world_map)

    def _write_pi(self, folder: Path, session_id: str, progress: Progress) -> PiRecord | None:
        parts = (self.demonstration, self.timeline, self.settings)
        record = None
        if self.settings.finger_rate_hz:
            record = record_finger(
                folder / "video", *parts, progress=lambda share: progress(_SHARE_OF_FINGER * share)
            )
        if not self.demonstration.quirks.no_audio:
            record_sound_file(folder / "audio.wav", *parts, seed=self.seed)
        record_jaw(folder / "jaw_ticks.csv", *parts)
        names = Names(session_id=session_id, scene_id=self.scene_id)
        text = json.dumps(session_metadata(names, *parts, record=record), indent=2, ensure_ascii=False)
        (folder / "metadata.json").write_text(text, encoding="utf-8", newline="\n")
        return record

    def _write_gopro(self, folder: Path, progress: Progress) -> None:
        if self.demonstration.quirks.no_gopro:
            return
        record_gopro(
            folder / GOPRO_FILE,
            self.demonstration,
            self.timeline,
            self.settings,
            seed=self.seed,
            progress=lambda share: progress(_SHARE_OF_FINGER + (1 - _SHARE_OF_FINGER) * share),
        )

    def _write_top(self, folder: Path, progress: Progress) -> None:
        painter, sampling = self.demonstration.top, self.timeline.top
        if painter is None or sampling is None:
            return
        path, workers = folder / TOP_FILE, self.settings.workers
        record_top(path, painter, sampling, self.settings.top, workers=workers, progress=progress)

    def _write_trackers(self, folder: Path, T_world_map: FloatArray | None) -> FloatArray | None:
        parts = (self.demonstration, self.timeline)
        if self.settings.vr:
            write_vr_log(folder / "vr_tracker.csv", *parts, settings=self.settings.vr, seed=self.seed)
        if not self.settings.slam:
            return T_world_map
        path = folder / "camera_trajectory.csv"
        return write_slam(
            path, *parts, settings=self.settings, seed=self.seed, T_world_map=T_world_map
        ).T_world_map


def _halves(progress: Progress) -> tuple[Progress, Progress]:
    return lambda share: progress(0.5 * share), lambda share: progress(0.5 + 0.5 * share)
