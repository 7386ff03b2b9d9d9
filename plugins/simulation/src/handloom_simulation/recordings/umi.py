"""Writes a UMI session's `raw_videos`: the GoPro files alone, as they come from the card."""

from __future__ import annotations

from pathlib import Path

from handloom.api import Progress
from handloom_simulation.recordings.gopro_session import record_gopro
from handloom_simulation.recordings.polyumi import Recorded, part
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.timeline import timelines
from handloom_simulation.recordings.truths import session_truth
from handloom_simulation.recordings.unfinished import unfinished
from handloom_simulation.truth import write_truth


def write_umi_session(
    folder: Path,
    demonstrations: tuple[Demonstration, ...],
    settings: SceneSettings,
    progress: Progress | None = None,
) -> Recorded:
    """Write `raw_videos/GX01nnnn.MP4`, one file a demonstration, and the truth to `truth` beside the folder.

    Which file is the mapping and which the gripper calibration is not written anywhere: UMI takes the largest for
    the one, and the earliest of a camera for the other.

    Args:
        folder: The session's folder; made when it is not there.
        demonstrations: One a file, in order.
        settings: How.
        progress: Told the share done.

    Raises:
        RecordingError: `raw_videos` is there already, or can't be written.
    """
    raw = folder / "raw_videos"
    lines = timelines(demonstrations, settings)
    files, truths = [], []
    with unfinished(raw) as partial:
        for index, (each, line) in enumerate(zip(demonstrations, lines, strict=True)):
            path = partial / f"GX01{index + 17:04d}.MP4"
            seed = settings.seed * 1000 + index
            told = part(progress, index, len(demonstrations))
            record_gopro(path, each, line, settings, seed=seed, progress=told)
            files.append(raw / path.name)
            truths.append(session_truth(path.stem, each, line, settings, record=None, T_world_map=None))
        where = write_truth(folder.parent / "truth" / f"{folder.name}.npz", tuple(truths))
    return Recorded(scene=raw, sessions=tuple(files), optitrack=None, truth=where)
