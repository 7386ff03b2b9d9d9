"""Arrays of zarr format 2 whose rows come one after the other and whose length is known only at the end.

Training environments pin zarr 2, so nothing here is of format 3. The metadata of an array is written after its
chunks; the order of entries in a ZIP file is free.

Source: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom_exporters.umi.stored_zip import StoredZip

Array = npt.NDArray[Any]

_CHUNK_BYTES = 2_000_000
"""Upper size of a chunk of numbers, as UMI's ReplayBuffer makes them."""


@attrs.frozen(kw_only=True)
class Compression:
    """How a Blosc chunk is compressed.

    Attributes:
        codec: "lz4" or "zstd".
        level: 1 to 9.
        shuffle: Whether bytes of equal significance are put together first.
    """

    codec: str
    level: int
    shuffle: bool = True

    def metadata(self) -> dict[str, Any]:
        """Return what numcodecs needs to know to undo it."""
        return {
            "id": "blosc",
            "cname": self.codec,
            "clevel": self.level,
            "shuffle": int(self.shuffle),
            "blocksize": 0,
        }

    def compress(self, array: Array) -> bytes:
        """Compress an array as one block, which is smaller and takes less time than several.

        Never call it in the main thread, where Blosc's bytes depend on how threads fare.
        """
        from numcodecs import blosc

        block = np.ascontiguousarray(array)
        data: bytes = blosc.compress(
            block,
            self.codec.encode(),
            self.level,
            int(self.shuffle),
            blocksize=block.nbytes,
            typesize=block.itemsize,
        )
        return data


class ChunkedRows:
    """An array with one chunk a row, each compressed by who makes it: pictures and blocks of sound."""

    def __init__(self, name: str, shape: tuple[int, ...], dtype: str, compression: Compression) -> None:
        self.name = name
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.compression = compression
        self._rows = 0
        self._tail = ".0" * len(shape)

    def encode(self, row: Array) -> bytes:
        """Return the chunk of a row."""
        return self.compression.compress(row.astype(self.dtype, copy=False))

    def put(self, zip_: StoredZip, chunk: bytes) -> None:
        """Append a row that `encode` made."""
        zip_.add(f"{self.name}/{self._rows}{self._tail}", chunk)
        self._rows += 1

    def finish(self, zip_: StoredZip) -> None:
        """Write the metadata."""
        metadata = _metadata((self._rows, *self.shape), (1, *self.shape), self.dtype, self.compression.metadata())
        zip_.add(f"{self.name}/.zarray", metadata)


class NumberRows:
    """An array of small rows, kept until a chunk is full and written without compression."""

    def __init__(self, name: str, shape: tuple[int, ...], dtype: str) -> None:
        self.name = name
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self._chunk = _CHUNK_BYTES // (self.dtype.itemsize * math.prod(shape))
        self._waiting = np.zeros((0, *shape), self.dtype)
        self._chunks = 0

    def extend(self, zip_: StoredZip, rows: Array) -> None:
        """Append rows, (N, *shape)."""
        self._waiting = np.concatenate([self._waiting, rows.astype(self.dtype)])
        while len(self._waiting) >= self._chunk:
            self._put(zip_, self._waiting[: self._chunk])
            self._waiting = self._waiting[self._chunk :]

    def finish(self, zip_: StoredZip) -> None:
        """Write what waits, filled up to a chunk unless it is all there is, and the metadata."""
        length = self._chunks * self._chunk + len(self._waiting)
        chunk = self._chunk if self._chunks else max(1, length)
        if len(self._waiting):
            missing = np.zeros((chunk - len(self._waiting), *self.shape), self.dtype)
            self._put(zip_, np.concatenate([self._waiting, missing]))
        metadata = _metadata((length, *self.shape), (chunk, *self.shape), self.dtype, None)
        zip_.add(f"{self.name}/.zarray", metadata)

    def _put(self, zip_: StoredZip, rows: Array) -> None:
        tail = ".0" * len(self.shape)
        zip_.add(f"{self.name}/{self._chunks}{tail}", np.ascontiguousarray(rows).tobytes())
        self._chunks += 1


def add_group(zip_: StoredZip, name: str, attributes: Mapping[str, Any] | None = None) -> None:
    """Write a group; "" is the root."""
    prefix = f"{name}/" if name else ""
    zip_.add(f"{prefix}.zgroup", _json({"zarr_format": 2}))
    if attributes is not None:
        zip_.add(f"{prefix}.zattrs", _json(attributes))


def _metadata(
    shape: tuple[int, ...], chunks: tuple[int, ...], dtype: np.dtype[Any], compressor: Mapping[str, Any] | None
) -> bytes:
    return _json(
        {
            "chunks": list(chunks),
            "compressor": compressor,
            "dtype": dtype.newbyteorder("<").str,
            "fill_value": 0 if dtype.kind in "iu" else 0.0,
            "filters": None,
            "order": "C",
            "shape": list(shape),
            "zarr_format": 2,
        }
    )


def _json(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, indent=4, sort_keys=True, allow_nan=False).encode()
