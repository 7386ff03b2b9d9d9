"""Tells which file of UMI's `raw_videos` is what, as UMI does: by size and time, with the evidence said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs

from handloom.errors import MediaError, RecordingError
from handloom.media import probe
from handloom_sensors.gopro.settings import read_settings
from handloom_sensors.timecode import began_ns
from handloom_sensors.umi_session.naming import Role, is_recording

_NO_SERIAL = "unknown"


@attrs.frozen(kw_only=True)
class Chosen:
    """One recording and what it is for.

    Attributes:
        path: The file.
        role: "mapping", "gripper_calibration" or "demonstration".
        name: What UMI would call its folder.
        why: The evidence, a phrase.
    """

    path: Path
    role: Role
    name: str
    why: str


@attrs.frozen(kw_only=True)
class Selection:
    """All recordings of a folder.

    Attributes:
        recordings: The mapping first, then the calibrations, then the demonstrations, each by camera and time.
        left_out: Files that can't be read, each with a sentence.
    """

    recordings: tuple[Chosen, ...]
    left_out: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class _File:
    """A file as the choice sees it; `dated` is whether the camera wrote when it began, or only the disk did."""

    path: Path
    size: int
    serial: str
    began_ns: int
    dated: bool

    @property
    def stamp(self) -> str:
        """When it began, as UMI writes it in a folder's name."""
        began = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.began_ns // 1000)
        return f"{began:%Y.%m.%d_%H.%M.%S.%f}"


def select_recordings(folder: Path) -> Selection:
    """Choose: the largest file is the mapping, the earliest other one of each camera its gripper calibration.

    Args:
        folder: `raw_videos`.

    Raises:
        RecordingError: There is no such folder, or no recording in it can be read.
    """
    if not folder.is_dir():
        raise RecordingError(f"{folder}: there is no such folder; give UMI's raw_videos.")
    files, left_out = [], {}
    for path in sorted(path for path in folder.iterdir() if is_recording(path)):
        try:
            files.append(_look_at(path))
        except MediaError as error:
            left_out[path.name] = str(error)
    if not files:
        raise RecordingError(f"{folder}: holds no MP4 that can be read; give UMI's raw_videos.")
    mapping = max(files, key=lambda file: (file.size, file.path.name))
    rest = [file for file in files if file is not mapping]
    chosen = [_mapping(mapping, len(files)), *_by_camera(rest)]
    order = ("mapping", "gripper_calibration", "demonstration")
    recordings = sorted(chosen, key=lambda one: (order.index(one.role), one.name))
    return Selection(recordings=tuple(recordings), left_out=left_out)


def _look_at(path: Path) -> _File:
    info = probe(path)
    rate = next((float(track.rate) for track in info.of_type("video") if track.rate), float("nan"))
    began = began_ns(info.creation_time, info.timecode, rate)
    return _File(
        path=path,
        size=path.stat().st_size,
        serial=str(read_settings(path).get("CASN") or _NO_SERIAL),
        began_ns=path.stat().st_mtime_ns if began is None else began,
        dated=began is not None,
    )


def _mapping(file: _File, count: int) -> Chosen:
    why = f"the largest of {count} files, {file.size * 1e-6:.1f} MB"
    return Chosen(path=file.path, role="mapping", name="mapping", why=why)


def _by_camera(files: Iterable[_File]) -> list[Chosen]:
    cameras: dict[str, list[_File]] = {}
    for file in files:
        cameras.setdefault(file.serial, []).append(file)
    chosen = []
    for serial, own in sorted(cameras.items()):
        first, *others = sorted(own, key=lambda file: (file.began_ns, file.path.name))
        chosen.append(
            Chosen(
                path=first.path,
                role="gripper_calibration",
                name=f"gripper_calibration_{serial}_{first.stamp}",
                why=f"the earliest of camera {serial}{_by(first)}",
            )
        )
        chosen += [
            Chosen(
                path=file.path,
                role="demonstration",
                name=f"demo_{serial}_{file.stamp}",
                why=f"a later one of camera {serial}{_by(file)}",
            )
            for file in others
        ]
    return chosen


def _by(file: _File) -> str:
    return "" if file.dated else ", by the file's own time: the camera wrote no date"
