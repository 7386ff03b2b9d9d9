"""The worker's side of a transaction: write a step's results into a directory of their own, without any lock."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from handloom.errors import StoreError
from handloom.store.arrays import folder_json, group_json, write_array
from handloom.store.digests import FileHashes, SourceFile, digest_of_bytes
from handloom.store.disk import Disk, explain
from handloom.store.keys import RECORD, StepKey, check_name
from handloom.store.media import media_name
from handloom.store.records import COMMIT, Commit, Now, Provenance, utc_now
from handloom.store.stream_groups import arrays_of, attributes_of, summary_of
from handloom.streams import Stream

STAGING = ".staging-"
"""What the names of everything unfinished in a scene begin with; opening for writing sweeps it."""

GROUP = "group"
MEDIA = "media"
RECORD_HOLDS = "commit.json and failed.json of the step that owns this group"


class StagedStep:
    """Results of one step on their way into a scene; a context that sweeps them away when the work fails.

    Attributes:
        key: Which step instance.
        attributes: Plain JSON values of the component; set before `finish`.
        notes: Sentences for the person who recorded; set before `finish`.
    """

    def __init__(
        self, scene: Path, key: StepKey, provenance: Provenance, *, disk: Disk, hashes: FileHashes, now: Now
    ) -> None:
        self.key = key
        self.attributes: Mapping[str, Any] = {}
        self.notes: tuple[str, ...] = ()
        self._scene = scene
        self._root = scene / f"{STAGING}{secrets.token_hex(8)}"
        self._provenance = provenance
        self._disk, self._hashes, self._now = disk, hashes, now
        self._started = now()
        self._streams: dict[str, dict[str, Any]] = {}
        self._arrays: dict[str, str] = {}
        self._groups: dict[str, str] = {}
        self._media: dict[str, dict[str, Any]] = {}
        self._bytes = 0
        self._finished = False

    def __enter__(self) -> Self:
        try:
            with self._explained():
                self._disk.make_directory(self._root)
                self._disk.write(self._root / "zarr.json", folder_json("results of a step that is still running"))
                for name in (GROUP, MEDIA):
                    self._disk.make_directory(self._root / name)
        except StoreError as error:
            self._sweep(error)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None or not self._finished:
            self._sweep(error)

    def write(self, name: str, stream: Stream) -> None:
        """Write one stream.

        Args:
            name: The output's name.
            stream: Samples, or a video whose files are taken into the scene.

        Raises:
            StoreError: The name is taken or not allowed, the disk is full, or a media file can't be read.
        """
        check_name(name, "Stream")
        if name in self._streams:
            raise StoreError(f"{self.key} writes stream '{name}' twice; each output is written once.")
        with self._explained():
            self._write(name, stream)
        self._streams[name] = summary_of(stream)

    def finish(self) -> dict[str, Any]:
        """Write `commit.json`, wait until everything is on the medium and describe the result.

        Returns:
            Plain JSON values to hand to `Scene.commit`, in any process that has the scene.

        Raises:
            StoreError: The disk is full, or attributes are not JSON.
        """
        with self._explained():
            self._write_group("", {"attributes": dict(self.attributes), "notes": list(self.notes)})
            record = self._root / GROUP / RECORD
            self._disk.make_directory(record)
            self._disk.write(record / "zarr.json", folder_json(RECORD_HOLDS))
            commit = self._commit()
            self._disk.write(record / COMMIT, commit.to_text())
            for name in (GROUP, MEDIA):
                self._disk.sync_tree(self._root / name)
        self._finished = True
        return {
            "staging": self._root.name,
            "key": self.key.to_json(),
            "digest": commit.digest,
            "bytes": self._bytes,
            "notes": list(self.notes),
        }

    def _commit(self) -> Commit:
        return Commit(
            key=self.key,
            provenance=self._provenance,
            streams=self._streams,
            arrays=self._arrays,
            groups=self._groups,
            media=self._media,
            notes=tuple(self.notes),
            times={"started": self._started, "finished": self._now()},
        )

    def _write(self, name: str, stream: Stream) -> None:
        folder = self._root / GROUP / name
        attributes = attributes_of(stream, self._place)
        self._disk.make_directory(folder)
        self._write_group(name, attributes)
        for array_name, array in sorted(arrays_of(stream).items()):
            self._bytes += array.nbytes
            self._arrays[f"{name}/{array_name}"] = write_array(self._disk, folder / array_name, array)

    def _write_group(self, name: str, attributes: dict[str, Any]) -> None:
        text = group_json(attributes, f"The attributes of {self.key}{name and f', stream {name!r},'}")
        self._disk.write(self._root / GROUP / name / "zarr.json", text)
        self._groups[name] = digest_of_bytes(text)

    def _place(self, source: Path) -> str:
        described = self._hashes.of(source)
        name = media_name(described)
        path = f"{MEDIA}/{name}"
        known, staged = self._scene / path, self._root / path
        if not staged.exists() and not self._has(known, source, described):
            self._bytes += described.size
            self._disk.place(source, staged)
            if self._hashes.of(source) is not described:
                raise StoreError(f"{source} changed while it was taken in; wait until the recording is complete.")
        self._media[path] = {"sha256": described.sha256, "size": described.size}
        return path

    def _has(self, known: Path, source: Path, described: SourceFile) -> bool:
        """Say whether the scene already holds a recorded file, whole: what was damaged there is taken in again."""
        if not known.is_file() or known.stat().st_size != described.size:
            return False
        return known.samefile(source) or self._hashes.of(known).sha256 == described.sha256

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise explain(error, f"writing {self.key}", needed=self._bytes) from error

    def _sweep(self, cause: BaseException | None) -> None:
        try:
            self._disk.remove_tree(self._root)
        except OSError as error:
            left = explain(error, f"sweeping the unfinished results of {self.key}")
            if cause is None:
                raise left from error
            cause.add_note(f"{left} The next opening of the scene sweeps {self._root.name}.")


def stage(
    scene: Path,
    key: StepKey,
    *,
    provenance: Provenance,
    disk: Disk | None = None,
    hashes: FileHashes | None = None,
    now: Now = utc_now,
) -> StagedStep:
    """Begin the results of a step; use it as a context, in any process, with or without the scene's lock.

    Args:
        scene: The scene directory.
        key: Which step instance.
        provenance: What it is made from.
        disk: Where writes go; tests count and break them.
        hashes: Digests of recorded files already known in this process.
        now: Time of day for the record.
    """
    disk, hashes = disk or Disk(), hashes or FileHashes()
    return StagedStep(Path(scene), key, provenance, disk=disk, hashes=hashes, now=now)
