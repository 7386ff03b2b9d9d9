"""Reading a scene: only what was committed, proved by digests, also while another process writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from handloom.errors import StoreError, did_you_mean
from handloom.store.arrays import Array, Get, must_get, read_array
from handloom.store.digests import digest_of_bytes
from handloom.store.keys import StepKey
from handloom.store.ledger import Entry, key_of_group, read_commit, read_entry
from handloom.store.records import COMMIT, Commit, Provenance
from handloom.store.stream_groups import build_stream
from handloom.store.transaction import OLD
from handloom.streams import Stream, StreamType

_LOOKS = 3  # a group can be renamed between finding and opening it; twice in a row takes a writer in a hurry
_Result = TypeVar("_Result")


@attrs.frozen(kw_only=True)
class StepRecord:
    """What a step has left, apart from its streams.

    Attributes:
        commit: Provenance, digests, a summary of each stream.
        attributes: Plain JSON values of the component.
    """

    commit: Commit
    attributes: Mapping[str, Any]

    @property
    def provenance(self) -> Provenance:
        """What it was made from."""
        return self.commit.provenance

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the person who recorded."""
        return self.commit.notes

    @property
    def types(self) -> dict[str, StreamType]:
        """The type of each stream, by name, sorted."""
        streams = self.commit.streams
        return {name: StreamType.from_json(streams[name]["type"]) for name in sorted(streams)}


class Reader:
    """Reads committed groups below a scene directory; never writes, needs no lock."""

    def __init__(self, scene: Path) -> None:
        self._scene = scene

    def record(self, key: StepKey) -> StepRecord:
        """Return what a step has left, apart from its streams."""
        return self._steady(key, self._record)

    def stream(self, key: StepKey, name: str) -> Stream:
        """Return one stream, read and checked now."""
        return self._steady(key, lambda group, commit: self._stream(group, commit, name))

    def entry(self, key: StepKey) -> Entry | None:
        """Return how a step stands; None when it never ran."""
        return read_entry(self._scene, self._group_of(key), key)

    def _record(self, group: Path, commit: Commit) -> StepRecord:
        return StepRecord(commit=commit, attributes=_attributes(_files_of(group), commit, "")["attributes"])

    def _stream(self, group: Path, commit: Commit, name: str) -> Stream:
        if name not in commit.streams:
            raise StoreError(f"{commit.key} has no stream '{name}'{did_you_mean(name, commit.streams)}")
        get = _files_of(group)
        arrays, attributes = _arrays(get, commit, name), _attributes(get, commit, name)
        return build_stream(attributes, arrays, self._scene, f"Stream '{name}' of {commit.key}")

    def _steady(self, key: StepKey, read: Callable[[Path, Commit], _Result]) -> _Result:
        """Read again when the runner replaced the group in the middle."""
        group, commit = self._find(key)
        while True:
            try:
                return read(group, commit)
            except StoreError:
                again = self._find(key)
                if again == (group, commit):
                    raise
                group, commit = again

    def _find(self, key: StepKey) -> tuple[Path, Commit]:
        for _ in range(_LOOKS):
            group = self._group_of(key)
            commit = read_commit(group)
            if commit is not None and commit.key == key:
                return group, commit
        if group.is_dir():
            raise StoreError(
                f"{key.path} in {self._scene} has no valid {COMMIT}, so it isn't used. Run the step again."
            )
        raise StoreError(f"{self._scene} has no results of {key}; expected them in {key.path}. Run the step.")

    def _group_of(self, key: StepKey) -> Path:
        """Return where the group is; aside, when its replacement was interrupted or is going on."""
        group = self._scene / key.path
        if not group.exists():
            for old in sorted(self._scene.glob(f"{OLD}*")):
                if key_of_group(old) == key and not group.exists():
                    return old
        return group


def _files_of(folder: Path) -> Get:
    return lambda path: (folder / path).read_bytes()


def _arrays(get: Get, commit: Commit, name: str) -> dict[str, Array]:
    found = {}
    for path in sorted(commit.arrays):
        stream, _, array = path.rpartition("/")
        if stream == name:
            found[array] = read_array(get, path, commit.arrays[path])
    return found


def _attributes(get: Get, commit: Commit, name: str) -> dict[str, Any]:
    path = f"{name}/zarr.json".lstrip("/")
    text = must_get(get, path)
    if digest_of_bytes(text) != commit.groups.get(name):
        raise StoreError(
            f"{path} of {commit.key} is damaged: it is not what was committed. Run the step again, with --force."
        )
    attributes: dict[str, Any] = json.loads(text)["attributes"]
    return attributes
