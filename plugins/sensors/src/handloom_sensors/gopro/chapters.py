"""Chapters of a GoPro recording: long recordings are cut into files, whose names say which comes when.

Names: GX010123.MP4, GX020123.MP4, … (GH for H.264, GX for HEVC, GL for the small copies, GS for 360 degrees), and
before the HERO6 GOPR0123.MP4, GP010123.MP4, GP020123.MP4, …; the last four digits number the recording.

Source: GoPro support, "GoPro Camera File Naming Convention".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import attrs

from handloom.errors import RecordingError

_NUMBERED = re.compile(r"(G[HXLS])(\d\d)(\d{4})", re.IGNORECASE)
_OLD_FIRST = re.compile(r"(GOPR)(\d{4})", re.IGNORECASE)
_OLD_LATER = re.compile(r"(GP)(\d\d)(\d{4})", re.IGNORECASE)


@attrs.frozen
class Chapter:
    """What a file's name says.

    Attributes:
        recording: The recording's name without the chapter, "GX0123".
        number: 1 for the first chapter.
    """

    recording: str
    number: int


def chapter_of(path: Path) -> Chapter | None:
    """Return what the file's name says, None for a name that is not a GoPro's."""
    if match := _NUMBERED.fullmatch(path.stem):
        return Chapter(match[1].upper() + match[3], int(match[2]))
    if match := _OLD_FIRST.fullmatch(path.stem):
        return Chapter("GOPR" + match[2], 1)
    if match := _OLD_LATER.fullmatch(path.stem):
        return Chapter("GOPR" + match[3], int(match[2]) + 1)
    return None


def in_order(files: Sequence[Path]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Sort the chapters of one recording by their names.

    Args:
        files: In any order. Where no name is a GoPro's the given order stands.

    Returns:
        The files in order, and a note when the first chapters are not among them.

    Raises:
        RecordingError: No file; files of several recordings; a chapter twice or missing in the middle.
    """
    if not files:
        raise RecordingError("No file was given; a GoPro recording is one MP4, or all of its chapters.")
    named = [(chapter_of(path), path) for path in files]
    known = [(chapter, path) for chapter, path in named if chapter is not None]
    if not known:
        return tuple(files), ()
    if len(known) < len(named):
        stranger = next(path for chapter, path in named if chapter is None)
        raise RecordingError(
            f"{stranger.name} is not named like a GoPro chapter but {known[0][1].name} is; give chapters of one "
            f"recording under the names the camera gave them."
        )
    _check_one_recording(known)
    known.sort(key=lambda pair: pair[0].number)
    _check_complete(known)
    return tuple(path for _, path in known), tuple(_late_start(*known[0]))


def _check_one_recording(known: Sequence[tuple[Chapter, Path]]) -> None:
    recordings = {chapter.recording: path for chapter, path in known}
    if len(recordings) > 1:
        names = ", ".join(sorted(path.name for path in recordings.values()))
        raise RecordingError(
            f"The files belong to {len(recordings)} recordings ({names}, by the last four digits of their names); "
            f"give each recording an episode of its own."
        )


def _check_complete(known: Sequence[tuple[Chapter, Path]]) -> None:
    for (before, path), (after, next_path) in pairwise(known):
        if after.number == before.number:
            raise RecordingError(
                f"{path} and {next_path} are both chapter {after.number}; give each chapter once."
            )
        if after.number > before.number + 1:
            raise RecordingError(
                f"Chapter {before.number + 1} is missing between {path.name} and {next_path.name}; copy it from "
                f"the card, or make two episodes of what is left."
            )


def _late_start(chapter: Chapter, path: Path) -> list[str]:
    if chapter.number == 1:
        return []
    return [f"{path.name} is chapter {chapter.number}; the chapters before it were not given."]
