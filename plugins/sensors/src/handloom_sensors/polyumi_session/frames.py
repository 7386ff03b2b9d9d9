"""The finger camera's loose JPEGs and the stamps beside them: which frames there are, and which can be used."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import numpy as np

from handloom.errors import RecordingError
from handloom_sensors.polyumi_session.frame_times import FrameTimes, Int64Array, believe
from handloom_sensors.polyumi_session.jpeg import Picture, picture_of

FOLDER = "video"
STAMPS = "video_timestamps.csv"
_NAME = re.compile(r"frame_(\d+)\.jpe?g", re.IGNORECASE)
_FINGER = "The finger camera"
_MOST_DIGITS = 19
"""Of an int64; a longer cell is no number of this file, and Python would take long over it."""


@attrs.frozen(kw_only=True, eq=False)
class FingerFrames:
    """The frames that can be used.

    Attributes:
        paths: (N,) files, in order of time.
        indices: (N,) numbers the recorder gave them.
        stamps: (N,) int64 ns as the CSV has them, strictly increasing.
        period_ns: Usual time between two frames; 0 for fewer than two.
        size: (width, height) by the JPEGs' own headers.
        times: What was found out about all stamps of the CSV.
        left_out: Frames that are not used, by reason.
        notes: What the person who recorded should know.
    """

    paths: tuple[Path, ...]
    indices: Int64Array
    stamps: Int64Array
    period_ns: int
    size: tuple[int, int]
    times: FrameTimes
    left_out: Mapping[str, int]
    notes: tuple[str, ...]


def read_frames(session: Path, *, lasts_ns: int | None = None) -> tuple[FingerFrames | None, tuple[str, ...]]:
    """Look at the finger camera's frames.

    Args:
        session: The session directory.
        lasts_ns: How long the recording was by the sound, or by what the session says; None when nothing tells.

    Returns:
        The frames, None when there are none, and what is to be said then.

    Raises:
        RecordingError: No size is that of most pictures.
    """
    folder = session / FOLDER
    files = _numbered(folder)
    if not files:
        return None, (f"There are no pictures of the finger camera ({FOLDER}/frame_000000.jpg and so on).",)
    indices, stamps, notes = _read_stamps(folder / STAMPS)
    if not len(indices):
        what = f"Its {len(files)} pictures are left out, since nothing else tells when they were taken."
        return None, (*notes, f"{FOLDER}/{STAMPS} holds no stamp of a frame. {what}")
    times = believe(indices, stamps, lasts_ns=lasts_ns)
    pictures = {index: picture_of(path.read_bytes()) for index, path in files.items()}
    size = _common_size(session.name, pictures)
    stamped = dict(zip(indices.tolist(), times.keep.tolist(), strict=True))
    used = np.array([_usable(index, stamped, pictures, size) for index in indices.tolist()], np.bool_)
    kept = indices[used]
    if not len(kept):
        return None, (*notes, *times.notes(_FINGER), f"{_FINGER}: no frame has both a whole picture and a stamp.")
    faults = _faults(indices, pictures, files, size)
    return FingerFrames(
        paths=tuple(files[index] for index in kept.tolist()),
        indices=kept,
        stamps=stamps[used],
        period_ns=times.period_ns,
        size=size,
        times=times,
        left_out={reason: len(which) for reason, which in sorted(faults.items())},
        notes=(*notes, *_missing(indices, stamps), *times.notes(_FINGER), *_fault_notes(faults, size)),
    ), ()


def _numbered(folder: Path) -> dict[int, Path]:
    """Return the pictures by their number, in order."""
    if not folder.is_dir():
        return {}
    found = [(match, path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name))]
    return {int(match[1]): path for match, path in sorted(found, key=lambda pair: (int(pair[0][1]), pair[1].name))}


def _read_stamps(path: Path) -> tuple[Int64Array, Int64Array, tuple[str, ...]]:
    """Return the numbers and stamps of the CSV, and what could not be read of it."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), (f"There is no {FOLDER}/{STAMPS}.",)
    rows = [(_row(line), number) for number, line in enumerate(lines, 1) if line.strip()]
    good = [row for row, _ in rows if row is not None]
    bad = [number for row, number in rows if row is None]
    ordered = dict(sorted(good))
    table = np.array(list(ordered.items()), np.int64).reshape(-1, 2)
    notes = []
    if bad:
        notes.append(
            f"{FOLDER}/{STAMPS}: {len(bad)} lines are no frame number and stamp, the first is line {bad[0]}."
        )
    if len(ordered) < len(good):
        notes.append(
            f"{FOLDER}/{STAMPS}: {len(good) - len(ordered)} lines repeat a frame's number; the last counts."
        )
    return table[:, 0], table[:, 1], tuple(notes)


def _row(line: str) -> tuple[int, int] | None:
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != 2 or not all(
        cell.isascii() and cell.isdecimal() and len(cell) <= _MOST_DIGITS for cell in cells
    ):
        return None
    index, stamp = int(cells[0]), int(cells[1])
    return (index, stamp) if stamp < 2**63 else None


def _common_size(name: str, pictures: Mapping[int, Picture]) -> tuple[int, int]:
    """Return the size that more than half of the whole pictures have."""
    sizes = Counter(picture.size for picture in pictures.values() if not picture.fault)
    if not sizes:
        return 0, 0
    (size, count), *others = sizes.most_common()
    if others and 2 * count <= sizes.total():
        listed = ", ".join(f"{number} of {width} x {height}" for (width, height), number in sorted(sizes.items()))
        raise RecordingError(
            f"{name}/{FOLDER}: the pictures have several sizes and none is that of most ({listed}); one camera "
            f"makes pictures of one size, so put those of different recordings into sessions of their own."
        )
    return size


def _usable(
    index: int, stamped: Mapping[int, bool], pictures: Mapping[int, Picture], size: tuple[int, int]
) -> bool:
    picture = pictures.get(index)
    return stamped[index] and picture is not None and not picture.fault and picture.size == size


def _faults(
    indices: Int64Array, pictures: Mapping[int, Picture], files: Mapping[int, Path], size: tuple[int, int]
) -> dict[str, list[int]]:
    """Return the numbers of the frames that are not used, by reason."""
    faults: dict[str, list[int]] = {}
    listed = set(indices.tolist())
    for index in sorted(listed | set(files)):
        picture = pictures.get(index)
        if picture is None:
            faults.setdefault("have no picture", []).append(index)
        elif index not in listed:
            faults.setdefault("have no stamp", []).append(index)
        elif picture.fault:
            faults.setdefault("are no whole JPEG", []).append(index)
        elif picture.size != size:
            faults.setdefault("have another size", []).append(index)
    return faults


def _fault_notes(faults: Mapping[str, Sequence[int]], size: tuple[int, int]) -> Iterator[str]:
    for reason, which in sorted(faults.items()):
        head = ", ".join(map(str, which[:5])) + (", …" if len(which) > 5 else "")
        than = f" than {size[0]} x {size[1]}" if reason == "have another size" else ""
        yield f"{_FINGER}: {len(which)} frames {reason}{than} and are left out ({head})."


def _missing(indices: Int64Array, stamps: Int64Array) -> Iterator[str]:
    """Say which numbers the recorder's list jumps over."""
    steps = np.diff(indices)
    places = np.flatnonzero(steps > 1)
    if len(places):
        count = int((steps[places] - 1).sum())
        longest = places[np.argmax(steps[places])]
        yield (
            f"{_FINGER}: {count} frames are missing from the list in {len(places)} places, most of them "
            f"({int(steps[longest]) - 1}) after frame {int(indices[longest])}, where "
            f"{int(stamps[longest + 1] - stamps[longest]) * 1e-9:.3f} s pass."
        )
