"""The ledger: what has been done in a scene, derived from the records and kept nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import attrs

from handloom.errors import StoreError
from handloom.store.keys import RECORD, StepKey
from handloom.store.records import COMMIT, FAILED, Commit, Failure, Provenance

Outcome = Literal["committed", "failed"]


@attrs.frozen(kw_only=True)
class Entry:
    """How a step instance stands.

    Attributes:
        commit: Its last good results, which readers see; None when there are none.
        failure: Why the run after that failed; None when the last run was good.
        lost: Media files of the commit that are not in the scene any more, or not whole, sorted.
    """

    commit: Commit | None = None
    failure: Failure | None = None
    lost: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """How the last run ended; a failed step may still have older good results."""
        return "failed" if self.failure else "committed"

    @property
    def provenance(self) -> Provenance:
        """What the last run was made from."""
        return self._last.provenance

    @property
    def digest(self) -> str | None:
        """Digest of the results that readers see, None when there are none."""
        return self.commit.digest if self.commit else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the results that readers see."""
        return self.commit.notes if self.commit else ()

    @property
    def reason(self) -> str | None:
        """Why the last run failed, None when it did not."""
        return self.failure.reason if self.failure else None

    @property
    def _last(self) -> Commit | Failure:
        last = self.failure or self.commit
        assert last is not None
        return last


Ledger = Mapping[StepKey, Entry]
"""By key, sorted by group path; a step that never ran, or whose record is damaged, is not in it."""


def read_ledger(scene: Path) -> dict[StepKey, Entry]:
    """Read all records of a scene."""
    entries = {}
    for path in group_paths(scene):
        key = _key_of_path(path)
        entry = read_entry(scene, scene / path, key) if key else None
        if key and entry:
            entries[key] = entry
    return entries


def read_entry(scene: Path, group: Path, key: StepKey) -> Entry | None:
    """Read the records in a step's group; None when there is no valid one of this step."""
    commit, failure = read_commit(group), read_failure(group)
    mine = commit if commit and commit.key == key else None
    failed = failure if failure and failure.key == key else None
    return Entry(commit=mine, failure=failed, lost=_lost(scene, mine)) if mine or failed else None


def _lost(scene: Path, commit: Commit | None) -> tuple[str, ...]:
    media = commit.media if commit else {}
    return tuple(where for where in sorted(media) if _size_of(scene / where) != media[where]["size"])


def _size_of(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _key_of_path(path: str) -> StepKey | None:
    try:
        return StepKey.of_path(path)
    except StoreError:
        return None  # a folder that the store did not make; `verify` names it


def read_commit(group: Path) -> Commit | None:
    """Return the valid commit of a group, or None."""
    text = _read(group / RECORD / COMMIT)
    try:
        return None if text is None else Commit.from_text(text, f"{group.name}/{RECORD}/{COMMIT}")
    except StoreError:
        return None  # `verify` says what is wrong with it; for everybody else the step has to run


def read_failure(group: Path) -> Failure | None:
    """Return the valid failure of a group, or None."""
    text = _read(group / RECORD / FAILED)
    try:
        return None if text is None else Failure.from_text(text, f"{group.name}/{RECORD}/{FAILED}")
    except StoreError:
        return None


def key_of_group(group: Path) -> StepKey | None:
    """Return the key that a group says it belongs to, wherever it lies."""
    last = read_commit(group) or read_failure(group)
    return last.key if last else None


def group_paths(scene: Path) -> Iterator[str]:
    """Yield the path of every group that a step could own, sorted, whether it is valid or not."""
    for step in folders(scene / "annotations"):
        yield f"annotations/{step}"
    for episode in folders(scene / "episodes"):
        for name in folders(scene / "episodes" / episode):
            if name != "annotations":
                yield f"episodes/{episode}/{name}"
        for step in folders(scene / "episodes" / episode / "annotations"):
            yield f"episodes/{episode}/annotations/{step}"


def folders(path: Path) -> list[str]:
    """Return the names of the directories in a directory, sorted; none when it isn't there."""
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except FileNotFoundError:
        return []


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
