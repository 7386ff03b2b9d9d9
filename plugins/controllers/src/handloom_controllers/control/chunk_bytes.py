"""Chunks as the bytes in which a model process sends them: no pickle, no other library."""

from __future__ import annotations

import struct

import numpy as np

from handloom.api import Chunk

_HEAD = struct.Struct("<qq")
_ROW_BYTES = 8 * (1 + 7 + 1)


def to_bytes(chunk: Chunk) -> bytes:
    """Return a header (observed, N) and the three arrays, little-endian; names are agreed beforehand."""
    head = _HEAD.pack(chunk.observed, len(chunk.stamps))
    arrays = (chunk.stamps.astype("<i8"), chunk.poses.astype("<f8"), chunk.widths_m.astype("<f8"))
    return b"".join([head, *(array.tobytes() for array in arrays)])


def from_bytes(data: bytes, *, frame: str, body: str, clock: str) -> tuple[Chunk | None, bytes]:
    """Take the first chunk out of what has arrived.

    Args:
        data: What has arrived and was not taken yet.
        frame: Frame `a` of the waypoints `T_a_b`, as agreed.
        body: Body `b`.
        clock: Clock of their stamps.

    Returns:
        The chunk, None while it is not whole, and what is left.
    """
    if len(data) < _HEAD.size:
        return None, data
    observed, count = _HEAD.unpack_from(data)
    end = _HEAD.size + count * _ROW_BYTES
    if len(data) < end:
        return None, data
    stamps, poses, widths = (_HEAD.size + count * 8 * before for before in (0, 1, 8))
    chunk = Chunk(
        stamps=np.frombuffer(data, dtype="<i8", count=count, offset=stamps),
        poses=np.frombuffer(data, dtype="<f8", count=count * 7, offset=poses).reshape(count, 7),
        widths_m=np.frombuffer(data, dtype="<f8", count=count, offset=widths),
        observed=observed,
        frame=frame,
        body=body,
        clock=clock,
    )
    return chunk, data[end:]
