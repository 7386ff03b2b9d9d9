"""Arrays on disk: the one form of zarr v3 array that the store writes, and its reader.

The store writes chunks itself instead of through zarr-python: every file then passes through `Disk`, is hashed
while it is in memory, and costs a fraction. Any zarr v3 reader reads the result (a test does, with zarr-python).
Reading knows this one form only, compares digests, and takes a missing chunk for damage where zarr gives zeros.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import StoreError
from handloom.store.digests import digest_of_bytes, digest_of_parts, json_text
from handloom.store.disk import Disk

Array = npt.NDArray[Any]
Get = Callable[[str], bytes]
"""Reads one file by its path relative to the scene; a store in a bucket would pass its own."""

_CHUNK_BYTES = 4 << 20  # few files for what a minute of sensors makes, and a bounded buffer for pictures
_LEVEL = 1  # zstd with byte shuffle: on 16-bit sound level 5 costs 7 times the CPU for 9 % less, level 1 beats lz4
_DTYPES = {"bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float32", "float64"}


def group_json(attributes: dict[str, Any], what: str) -> bytes:
    """Return the `zarr.json` of a group."""
    return json_text({"attributes": attributes, "node_type": "group", "zarr_format": 3}, what)


def folder_json(holds: str) -> bytes:
    """Return the `zarr.json` of a directory of plain files.

    An empty array: zarr lists what is in a group and warns of files, but never looks inside an array.

    Args:
        holds: What the files are, for the reader of the attributes.
    """
    return json_text(_array_metadata((0,), (1,), "uint8", {"holds": holds}), "A folder")


def write_array(disk: Disk, folder: Path, array: Array) -> str:
    """Write an array of at least one dimension as a new zarr array, and return its digest.

    Args:
        disk: Where writes go; nothing is synced.
        folder: Directory to make.
        array: (N, ...) of bool, integers or floats.

    Raises:
        StoreError: Its dtype is none that the store keeps.
    """
    if array.dtype.name not in _DTYPES:
        raise StoreError(f"The store keeps {', '.join(sorted(_DTYPES))}; found an array of {array.dtype}.")
    chunk = _chunk_shape(array)
    metadata = json_text(_array_metadata(array.shape, chunk, array.dtype.name, {}), "An array")
    disk.make_directory(folder)
    parts = {}
    for name, data in _files(metadata, array, chunk):
        disk.write(folder / name, data)
        parts[name] = digest_of_bytes(data)
    return digest_of_parts(parts)


def read_array(get: Get, path: str, digest: str) -> Array:
    """Read an array and prove that it is the one that was committed.

    Args:
        get: Reads a file.
        path: The array, relative to the scene.
        digest: What `write_array` returned.

    Raises:
        StoreError: A chunk is missing or the bytes are not those that were written.
    """
    text = must_get(get, f"{path}/zarr.json")
    parts = {"zarr.json": digest_of_bytes(text)}
    shape, chunk, dtype = _layout(text, path)
    array = np.empty(shape, dtype)
    for name, rows in _chunks(shape, chunk):
        data = must_get(get, f"{path}/{name}")
        parts[name] = digest_of_bytes(data)
        _decode(data, array[rows], chunk, f"{path}/{name}")
    if digest_of_parts(parts) != digest:
        raise StoreError(
            f"{path} is damaged: its bytes are not those that were committed. Run the step again, with --force."
        )
    return array


def must_get(get: Get, path: str) -> bytes:
    """Return a file that a commit lists.

    Raises:
        StoreError: It can't be read.
    """
    try:
        return get(path)
    except OSError as error:
        raise StoreError(
            f"{path} is damaged: {error.strerror or error}. Run the step again, with --force."
        ) from error


def _chunk_shape(array: Array) -> tuple[int, ...]:
    """Split the rows evenly, so that the last chunk, stored whole, is hardly padded."""
    chunks = max(1, math.ceil(array.nbytes / _CHUNK_BYTES))
    rows = max(1, math.ceil(len(array) / chunks))
    return (rows, *(max(1, length) for length in array.shape[1:]))


def _chunks(shape: tuple[int, ...], chunk: tuple[int, ...]) -> Iterator[tuple[str, slice]]:
    if not math.prod(shape):
        return
    tail = ".0" * (len(shape) - 1)
    for index, start in enumerate(range(0, shape[0], chunk[0])):
        yield f"c.{index}{tail}", slice(start, start + chunk[0])


def _files(metadata: bytes, array: Array, chunk: tuple[int, ...]) -> Iterator[tuple[str, bytes]]:
    yield "zarr.json", metadata
    # In the main thread blosc splits a chunk over threads and keeps the parts in the order in which they happen to
    # be done: other bytes on every run. Called from any other thread it works alone.
    with ThreadPoolExecutor(max_workers=1) as alone:
        for name, rows in _chunks(array.shape, chunk):
            block = np.ascontiguousarray(array[rows], array.dtype.newbyteorder("<"))
            if len(block) < chunk[0]:
                block = np.concatenate([block, np.zeros((chunk[0] - len(block), *chunk[1:]), block.dtype)])
            yield name, alone.submit(_encode, block).result()


def _encode(block: Array) -> bytes:
    from numcodecs import blosc

    encoded: bytes = blosc.compress(block, b"zstd", _LEVEL, blosc.SHUFFLE, typesize=block.itemsize)
    return encoded


def _decode(data: bytes, rows: Array, chunk: tuple[int, ...], path: str) -> None:
    from numcodecs import blosc

    try:
        if rows.shape == chunk:
            blosc.decompress(data, rows)
        else:
            rows[...] = np.frombuffer(blosc.decompress(data), rows.dtype).reshape(chunk)[: len(rows)]
    except (RuntimeError, ValueError) as error:
        raise StoreError(f"{path} is damaged: {error}. Run the step again, with --force.") from error


def _array_metadata(
    shape: tuple[int, ...], chunk: tuple[int, ...], dtype: str, attributes: dict[str, Any]
) -> dict[str, Any]:
    size = np.dtype(dtype).itemsize
    fill: Any = False if dtype == "bool" else "NaN" if dtype.startswith("float") else 0
    return {
        "attributes": attributes,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}} if size > 1 else {"name": "bytes"},
            {"name": "blosc", "configuration": _blosc(size)},
        ],
        "data_type": dtype,
        "fill_value": fill,
        "node_type": "array",
        "shape": list(shape),
        "zarr_format": 3,
    }


def _blosc(size: int) -> dict[str, Any]:
    return {"blocksize": 0, "clevel": _LEVEL, "cname": "zstd", "shuffle": "shuffle", "typesize": size}


def _layout(text: bytes, path: str) -> tuple[tuple[int, ...], tuple[int, ...], np.dtype[Any]]:
    try:
        found = json.loads(text)
        shape = tuple(found["shape"])
        chunk = tuple(found["chunk_grid"]["configuration"]["chunk_shape"])
        dtype = found["data_type"]
        expected = _array_metadata(shape, chunk, dtype, found["attributes"])
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path}/zarr.json is damaged: {error}. Run the step again, with --force.") from error
    if found != expected or dtype not in _DTYPES:
        raise StoreError(f"{path} is not an array of the form this store writes; read it with zarr.")
    return shape, chunk, np.dtype(dtype).newbyteorder("<")
