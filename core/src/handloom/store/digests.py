"""Digests: sha256 of bytes, of JSON values in one canonical text, and of recorded files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from handloom.errors import StoreError

_BLOCK = 1 << 20


def digest_of_bytes(data: bytes | memoryview) -> str:
    """Return the sha256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def digest_of_parts(parts: Mapping[str, str]) -> str:
    """Return one digest of several named ones, whatever their order."""
    return digest_of_bytes("".join(f"{name}\0{parts[name]}\n" for name in sorted(parts)).encode())


def json_text(values: Any, what: str, *, indent: int | None = 1) -> bytes:
    """Return JSON values as UTF-8 text that is the same for equal values.

    Args:
        values: Plain JSON values; numpy scalars count as their Python value.
        what: What they are, for the message.
        indent: None for the compact form.

    Raises:
        StoreError: A value is not JSON: NaN, infinity, an array, an object.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    try:
        text = json.dumps(
            values,
            sort_keys=True,
            ensure_ascii=False,
            allow_nan=False,
            indent=indent,
            separators=separators,
            default=_plain,
        ).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"{what} can't be kept as JSON: {error}. Use numbers, text, lists and tables, null for none."
        ) from error
    return text


def _plain(value: object) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"found a {type(value).__name__}, {value!r:.80}")


def digest_of_json(values: Any, what: str) -> str:
    """Return the digest of JSON values; equal values have equal digests."""
    return digest_of_bytes(json_text(values, what, indent=None))


def settings_hash(settings: Mapping[str, Any]) -> str:
    """Return the hash of a step's settings that the ledger compares."""
    return digest_of_json(settings, "The settings")


@attrs.frozen(kw_only=True)
class SourceFile:
    """A recorded file as it was when it was read.

    Attributes:
        name: Its name, without any directory: stores hold no absolute path.
        size: Bytes.
        mtime_ns: Time of its last change as the file system has it, ns.
        sha256: Digest of its content, hex.
    """

    name: str
    size: int
    mtime_ns: int
    sha256: str

    def is_still(self, path: Path) -> bool:
        """Say whether a file has this content; reads it only when size is equal and mtime is not."""
        try:
            size, mtime_ns = state_on_disk(path)
        except OSError:
            return False
        if size != self.size:
            return False
        return mtime_ns == self.mtime_ns or FileHashes().of(path).sha256 == self.sha256


def hash_file(path: Path) -> str:
    """Return the sha256 of a file, read in blocks."""
    digest = hashlib.sha256()
    buffer = memoryview(bytearray(_BLOCK))
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(buffer[:count])
    return digest.hexdigest()


def state_on_disk(path: Path) -> tuple[int, int]:
    """Return size and time of the last change, ns, of a file; of a directory, the sum and the latest of its files.

    Raises:
        OSError: It can't be looked at.
    """
    if not path.is_dir():
        status = path.stat()
        return status.st_size, status.st_mtime_ns
    states = [path.joinpath(name).stat() for name in files_within(path)]
    return sum(state.st_size for state in states), max((state.st_mtime_ns for state in states), default=0)


def files_within(folder: Path) -> list[str]:
    """Return the names of all files below a directory, relative to it with "/", sorted."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(place, name).relative_to(folder).as_posix() for name in names]
    return sorted(name for name in found if (folder / name).is_file())


class FileHashes:
    """Digests of recorded files, each file read once as long as size and mtime stay the same.

    A directory, the session of a device that leaves many files, has the digest of its files' names and digests.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Path, int, int], SourceFile] = {}

    def of(self, path: Path) -> SourceFile:
        """Describe a recorded file.

        Raises:
            StoreError: It can't be read, or it changed while it was read.
        """
        try:
            return self._describe(path.absolute())
        except OSError as error:
            raise StoreError(f"{path} can't be read: {error.strerror or error}.") from error

    def remember(self, path: Path, source: SourceFile) -> None:
        """Take over a digest from an earlier commit; it counts as long as the file has that size and mtime."""
        self._known[path.absolute(), source.size, source.mtime_ns] = source

    def _describe(self, path: Path) -> SourceFile:
        key = (path, *state_on_disk(path))
        if key not in self._known:
            sha256 = self._of_folder(path) if path.is_dir() else hash_file(path)
            if state_on_disk(path) != key[1:]:
                raise StoreError(f"{path} changed while it was read; wait until the recording is complete.")
            self._known[key] = SourceFile(name=path.name, size=key[1], mtime_ns=key[2], sha256=sha256)
        return self._known[key]

    def _of_folder(self, folder: Path) -> str:
        return digest_of_parts({name: self._describe(folder / name).sha256 for name in files_within(folder)})
