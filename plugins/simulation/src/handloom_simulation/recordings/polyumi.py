"""Writes a PolyUMI scene: a directory of sessions as the Pi and the fetch of the GoPro's files leave them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from handloom.api import Progress
from handloom_simulation.recordings.naming import folder_name, unique_id
from handloom_simulation.recordings.outside import write_optitrack_take
from handloom_simulation.recordings.polyumi_session import GOPRO_FILE, SessionWriter
from handloom_simulation.recordings.session_metadata import iso_time
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.timeline import Timeline, timelines
from handloom_simulation.recordings.unfinished import unfinished
from handloom_simulation.truth import SessionTruth, write_truth


@attrs.frozen(kw_only=True)
class Recorded:
    """What was written.

    Attributes:
        scene: The scene's folder; of a UMI session its `raw_videos`.
        sessions: Session folders or files, in order.
        optitrack: The Motive take; None without one.
        truth: The truth, outside the scene.
    """

    scene: Path
    sessions: tuple[Path, ...]
    optitrack: Path | None
    truth: Path


def write_polyumi_scene(
    folder: Path,
    demonstrations: tuple[Demonstration, ...],
    settings: SceneSettings,
    progress: Progress | None = None,
) -> Recorded:
    """Write a scene of one or more sessions; the same settings give the same bytes.

    Args:
        folder: The recordings' folder; the scene becomes a folder in it, the truth goes to `truth` in it.
        demonstrations: One a session, in order. A SLAM keeps the map of the first.
        settings: How.
        progress: Told the share done.

    Raises:
        RecordingError: The scene is there already, or can't be written.
    """
    lines = timelines(demonstrations, settings)
    scene_id = unique_id(settings.seed, "scene")
    scene = folder / folder_name("scene", settings.wall_ns(), settings.scene_suffix or str(scene_id)[:4])
    with unfinished(scene) as partial:
        sessions, truths = _write_sessions(partial, str(scene_id), demonstrations, lines, settings, progress)
        _swap_gopro_files(demonstrations, sessions)
        write_json(partial / "scene.json", _scene_content(str(scene_id), settings))
        take = write_optitrack_take(partial, demonstrations, lines, settings)
        where = write_truth(folder / "truth" / f"{scene.name}.npz", tuple(truths))
    _point_latest_at(folder, scene)
    paths = tuple(scene / path.name for path in sessions)
    return Recorded(scene=scene, sessions=paths, optitrack=take and scene / take.name, truth=where)


def _write_sessions(
    scene: Path,
    scene_id: str,
    demonstrations: tuple[Demonstration, ...],
    lines: tuple[Timeline, ...],
    settings: SceneSettings,
    progress: Progress | None,
) -> tuple[list[Path], list[SessionTruth]]:
    """Write one session after the other; a SLAM keeps the map of the first."""
    sessions, truths = [], []
    T_world_map = None
    for index, (each, line) in enumerate(zip(demonstrations, lines, strict=True)):
        writer = SessionWriter(
            scene=scene, scene_id=scene_id, index=index, demonstration=each, timeline=line, settings=settings
        )
        path, truth = writer.write(part(progress, index, len(lines)), T_world_map)
        T_world_map = truth.transforms.get("T_world_slam")
        sessions.append(path)
        truths.append(truth)
    return sessions, truths


def part(progress: Progress | None, index: int, count: int) -> Progress:
    """Return the progress of one of several parts of equal length."""

    def tell(share: float) -> None:
        if progress is not None:
            progress((index + share) / count)

    return tell


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write what a Pi writes with Python's json and an indent of 2."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8", newline="\n")


def _scene_content(scene_id: str, settings: SceneSettings) -> dict[str, Any]:
    return {
        "scene_id": scene_id,
        "created_at": iso_time(settings.wall_ns()),
        "task": settings.task,
        "notes": None,
        "unusable_episodes": [],
    }


def _swap_gopro_files(demonstrations: tuple[Demonstration, ...], sessions: list[Path]) -> None:
    """Lay the GoPro file of another session where that was asked for."""
    for each, folder in zip(demonstrations, sessions, strict=True):
        if each.quirks.gopro_of is not None:
            shutil.copyfile(sessions[each.quirks.gopro_of] / GOPRO_FILE, folder / GOPRO_FILE)


def _point_latest_at(folder: Path, scene: Path) -> None:
    latest = folder / "latest"
    with suppress(
        OSError, NotImplementedError
    ):  # a disk or system without links has none: the scene has a name of its own
        latest.unlink(missing_ok=True)
        latest.symlink_to(scene.name, target_is_directory=True)
