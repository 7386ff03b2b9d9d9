"""The runner's side of a transaction: results move into place in steps that can be finished or undone later."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handloom.errors import StoreError
from handloom.store.arrays import folder_json, group_json
from handloom.store.disk import Disk, explain
from handloom.store.keys import RECORD, StepKey
from handloom.store.ledger import key_of_group, read_commit
from handloom.store.records import FAILED, Commit, Failure
from handloom.store.staging import GROUP, MEDIA, RECORD_HOLDS, STAGING

OLD = ".old-"


def new_name(prefix: str) -> str:
    """Return a name that nobody uses, for a directory that is renamed or swept soon."""
    return f"{prefix}{secrets.token_hex(8)}"


class Transactions:
    """Commits, failures and repairs of one scene; the caller holds its lock."""

    def __init__(self, scene: Path, disk: Disk) -> None:
        self._scene = scene
        self._disk = disk
        self._leftovers: list[str] = []

    def staging(self, name: str) -> Path:
        """Return the staging directory of a name, which came from another process.

        Raises:
            StoreError: It is not the name of one.
        """
        if not name.startswith(STAGING) or Path(name).name != name:
            raise StoreError(f"{name!r} is not the name of a staging directory.")
        return self._scene / name

    def take_leftovers(self) -> tuple[str, ...]:
        """Return, once, sentences about what could not be swept."""
        told, self._leftovers = tuple(self._leftovers), []
        return told

    def commit(self, staging: Path, key: StepKey) -> Commit:
        """Move finished results into place; the episode's group exists."""
        group = staging / GROUP
        commit = read_commit(group)
        if commit is None or commit.key != key:
            raise StoreError(f"{staging.name} holds no finished results of {key}; run the step again.")
        with self._swept_on_error(staging):
            self._take_media(staging / MEDIA)
            old = self._put(group, self._scene / key.path)
        for done in (old, staging):
            self._sweep_or_tell(done)
        return commit

    def fail(self, failure: Failure) -> None:
        """Keep a failure beside the last good commit, or instead of one."""
        target = self._scene / failure.key.path
        staging = self._scene / new_name(STAGING)
        with self._swept_on_error(staging):
            if target.is_dir():
                self._disk.write(staging, failure.to_text())
                self._disk.sync(staging)
                self._move(staging, target / RECORD / FAILED)
            else:
                self._write_failed_group(staging, failure)
                self._move(staging, target)

    def make_episode(self, episode: str) -> None:
        """Write the groups of an episode, whole or not at all."""
        target = self._scene / "episodes" / episode
        if target.is_dir():
            self._mend_episode(target)
            return
        staging = self._scene / new_name(STAGING)
        with self._swept_on_error(staging):
            for folder in (staging, staging / "annotations"):
                self._disk.make_directory(folder)
                self._disk.write(folder / "zarr.json", group_json({}, "An episode"))
            self._disk.sync_tree(staging)
            self._move(staging, target)

    def _mend_episode(self, target: Path) -> None:
        """Make the groups of an episode again that somebody has removed."""
        for folder in (target, target / "annotations"):
            if not folder.is_dir():
                self._disk.make_directory(folder)
            if not (folder / "zarr.json").is_file():
                self._disk.write(folder / "zarr.json", group_json({}, "An episode"))
                self._disk.sync(folder / "zarr.json")
                self._disk.sync(folder)

    def repair(self) -> tuple[str, ...]:
        """Finish or undo what a killed process left half done, and say what that was."""
        old = [self._repair_old(path) for path in sorted(self._scene.glob(f"{OLD}*"))]
        return (*old, *(self._sweep(path) for path in sorted(self._scene.glob(f"{STAGING}*"))))

    def _write_failed_group(self, folder: Path, failure: Failure) -> None:
        self._disk.make_directory(folder)
        self._disk.write(folder / "zarr.json", group_json({}, "A failure"))
        self._disk.make_directory(folder / RECORD)
        self._disk.write(folder / RECORD / "zarr.json", folder_json(RECORD_HOLDS))
        self._disk.write(folder / RECORD / FAILED, failure.to_text())
        self._disk.sync_tree(folder)

    @contextmanager
    def _swept_on_error(self, staging: Path) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._sweep_or_tell(staging)
            raise

    def _take_media(self, folder: Path) -> None:
        names = sorted(path.name for path in folder.iterdir())
        for name in names:
            self._disk.rename(folder / name, self._scene / MEDIA / name)
        if names:
            self._disk.sync(self._scene / MEDIA)

    def _put(self, new: Path, target: Path) -> Path:
        """Rename into place, the old aside first: no system renames over a directory that is not empty."""
        old = self._scene / new_name(OLD)
        replaces = target.is_dir()
        try:
            if replaces:
                self._move(target, old)
            self._move(new, target)
        except OSError:
            if target.exists() and not new.exists():
                self._disk.rename(target, new)
            if old.exists():
                self._move(old, target)
            raise
        return old

    def _sweep_or_tell(self, path: Path) -> None:
        """Sweep what is of no use any more; a failure here changes no result, so that it is only told."""
        try:
            self._disk.remove_tree(path)
        except OSError as error:
            self._leftovers.append(
                f"{path.name} couldn't be swept ({error.strerror}); the next opening sweeps it."
            )

    def _move(self, source: Path, target: Path) -> None:
        self._disk.rename(source, target)
        self._disk.sync(target.parent)

    def _repair_old(self, old: Path) -> str:
        key = key_of_group(old)
        if key is not None and not (self._scene / key.path).exists():
            self._move(old, self._scene / key.path)
            return f"Brought back the last results of {key}: they were being replaced when a run was killed."
        self._disk.remove_tree(old)
        of = f" of {key}" if key else ""
        return f"Swept the replaced results{of}, which a killed run had left as {old.name}."

    def _sweep(self, staging: Path) -> str:
        self._disk.remove_tree(staging)
        return f"Swept {staging.name}, unfinished results of a killed run."


@contextmanager
def explained(doing: str) -> Iterator[None]:
    """Turn a failure of the operating system into a StoreError that says what was being done."""
    try:
        yield
    except OSError as error:
        raise explain(error, doing) from error
