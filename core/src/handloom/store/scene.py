"""A scene: one directory with the recordings of many episodes and everything that steps found in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from handloom.errors import StoreError
from handloom.store.disk import Disk
from handloom.store.keys import RECORD, StepKey, check_name
from handloom.store.layout import ROOT, check_free, mend_layout, read_root, write_layout, write_root
from handloom.store.ledger import Entry, Ledger, folders, read_ledger
from handloom.store.lock import SceneLock
from handloom.store.reader import Reader, StepRecord
from handloom.store.records import Commit, Failure, Now, Provenance, utc_now
from handloom.store.schema import SCHEMA, check_schema, migrations_from
from handloom.store.transaction import Transactions, explained
from handloom.streams import Stream

Mode = Literal["r", "w"]


class Scene:
    """A scene directory, opened by `Scene.open`; a context that gives the lock back.

    Attributes:
        path: The directory.
        mode: "r" reads and never writes; "w" holds the scene's lock.
        rig: Name of the rig it was recorded with.
        repairs: What opening had to finish, undo or sweep, as sentences.
    """

    def __init__(self, path: Path, *, mode: Mode = "r", disk: Disk | None = None, now: Now = utc_now) -> None:
        self.path = Path(path)
        self.mode: Mode = mode
        self.rig = ""
        self.repairs: tuple[str, ...] = ()
        self._disk = disk or Disk()
        self._now = now
        self._reader = Reader(self.path)
        self._transactions = Transactions(self.path, self._disk)
        self._lock = SceneLock(self.path / RECORD / "lock")

    @classmethod
    def open(
        cls,
        path: Path,
        mode: Mode = "r",
        *,
        create: bool = False,
        rig: str = "",
        disk: Disk | None = None,
        now: Now = utc_now,
    ) -> Self:
        """Open a scene; for writing, take its lock and repair what a killed run left.

        Args:
            path: The scene directory.
            mode: "r" or "w".
            create: Make the scene when it isn't there; needs mode "w".
            rig: Name of the rig, for a scene that is made; one that is there must have been made for it.
            disk: Where writes go; tests count and break them.
            now: Time of day for records of failures.

        Raises:
            StoreError: It is no scene, of a newer schema, or being written by another process.
        """
        scene = cls(path, mode=mode, disk=disk, now=now)
        if mode == "w":
            scene._open_for_writing(create=create, rig=rig)
        elif mode != "r" or create:
            raise StoreError(f"A scene is opened with mode 'r' or 'w', and made with 'w' only; found {mode!r}.")
        scene._read_root()
        return scene

    def close(self) -> None:
        """Give the lock back."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def episodes(self) -> tuple[str, ...]:
        """Return the episode ids, sorted."""
        return tuple(folders(self.path / "episodes"))

    def ledger(self) -> Ledger:
        """Return how every step instance stands, read from the records now."""
        return read_ledger(self.path)

    def entry(self, key: StepKey) -> Entry | None:
        """Return how one step instance stands; None when it never ran."""
        return self._reader.entry(key)

    def read(self, key: StepKey) -> StepRecord:
        """Return provenance, attributes and notes of a committed step.

        Raises:
            StoreError: There is no valid commit.
        """
        return self._reader.record(key)

    def stream(self, key: StepKey, name: str) -> Stream:
        """Read one stream of a committed step; a video's files have their paths of now.

        Raises:
            StoreError: There is no valid commit or stream, its bytes are damaged, or a media file is missing.
        """
        return self._reader.stream(key, name)

    def create_episode(self, episode: str) -> None:
        """Make an episode; nothing happens when it is there."""
        self._must_write()
        check_name(episode, "Episode")
        with explained(f"making episode '{episode}'"):
            self._transactions.make_episode(episode)

    def commit(self, finished: Mapping[str, Any]) -> Commit:
        """Put the results of a step into place, instead of older ones.

        Args:
            finished: What `StagedStep.finish` returned.

        Raises:
            StoreError: They are not there or not whole, or the disk is full; older results are untouched.
        """
        key = self._prepare(StepKey.from_json(finished["key"]))
        with explained(f"committing {key}"):
            commit = self._transactions.commit(self._staging(finished), key)
        self.repairs += self._transactions.take_leftovers()
        return commit

    def fail(self, key: StepKey, reason: str, provenance: Provenance) -> None:
        """Record why a step left nothing; older good results stay and stay readable.

        Args:
            key: Which step instance.
            reason: A sentence.
            provenance: What it was run with.
        """
        failure = Failure(
            key=self._prepare(key), provenance=provenance, reason=reason, times={"failed": self._now()}
        )
        with explained(f"recording the failure of {key}"):
            self._transactions.fail(failure)

    def discard(self, finished: Mapping[str, Any]) -> None:
        """Sweep finished results that are not wanted."""
        self._must_write()
        with explained("discarding results"):
            self._disk.remove_tree(self._staging(finished))

    def _prepare(self, key: StepKey) -> StepKey:
        self._must_write()
        if key.episode:
            self.create_episode(key.episode)
        return key

    def _staging(self, finished: Mapping[str, Any]) -> Path:
        return self._transactions.staging(finished["staging"])

    def _must_write(self) -> None:
        if self.mode != "w":
            raise StoreError(f"{self.path} is opened for reading; open it with mode 'w' to change it.")

    def _open_for_writing(self, *, create: bool, rig: str) -> None:
        with explained(f"opening {self.path} for writing"):
            self._make_room(create=create)
            self._lock.acquire()
            try:
                self.repairs = self._transactions.repair()
                if not (self.path / ROOT).exists():
                    write_layout(self.path, rig, self._disk)
                self.repairs += mend_layout(self.path, self._disk)
                self._migrate()
                self._check_rig(rig)
            except BaseException:
                self._lock.release()
                raise

    def _check_rig(self, rig: str) -> None:
        known = read_root(self.path).get("rig", "")
        if rig and known and rig != known:
            raise StoreError(
                f"{self.path} was made for rig '{known}', not '{rig}'; use another scene for that rig."
            )

    def _make_room(self, *, create: bool) -> None:
        if not (self.path / ROOT).exists():
            if not create:
                read_root(self.path)
            self.path.mkdir(parents=True, exist_ok=True)
            check_free(self.path)
        if not (self.path / RECORD).is_dir():
            self._disk.make_directory(self.path / RECORD)

    def _migrate(self) -> None:
        attributes = read_root(self.path)
        schema = check_schema(self.path, attributes.get("handloom_schema"))
        for number, migrate in enumerate(migrations_from(schema), start=schema + 1):
            migrate(self.path, self._disk)
            write_root(self.path, {**attributes, "handloom_schema": number}, self._disk)

    def _read_root(self) -> None:
        attributes = read_root(self.path)
        schema = check_schema(self.path, attributes.get("handloom_schema"))
        if schema < SCHEMA:
            raise StoreError(
                f"{self.path} has store schema {schema}; open it once with mode 'w' to bring it to {SCHEMA}."
            )
        self.rig = attributes.get("rig", "")


def create_scene(path: Path, *, rig: str = "", disk: Disk | None = None) -> Path:
    """Make an empty scene in a new or empty directory and return it; nothing happens when it is one already."""
    Scene.open(path, "w", create=True, rig=rig, disk=disk).close()
    return Path(path)
