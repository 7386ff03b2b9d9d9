"""Messages to frames of bytes and back: a msgpack header, then each array as it lies in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import WireError
from handloom.net.header import ArraySpec, Header
from handloom.net.limits import DTYPES, Limits
from handloom.net.packing import pack
from handloom.net.reading import read_header

Array = npt.NDArray[Any]
Frame = bytes | memoryview


def encode(header: Header, arrays: Mapping[str, npt.ArrayLike]) -> list[Frame]:
    """Return the frames of a message: the packed header, then a view of each array's own memory.

    Nothing is copied but what is not contiguous or not little-endian; an array must stay unchanged until its frame
    is sent.

    Args:
        header: What the message says; its array table is made anew from `arrays`.
        arrays: By name, in the order they are sent.

    Raises:
        WireError: An array holds something other than plain numbers.
    """
    ready = {name: _little_endian(name, array) for name, array in arrays.items()}
    table = tuple(ArraySpec(name=name, dtype=array.dtype.name, shape=array.shape) for name, array in ready.items())
    return [pack(_fields(attrs.evolve(header, arrays=table))), *(_bytes_of(array) for array in ready.values())]


def decode(frames: Sequence[Any], limits: Limits | None = None) -> tuple[Header, dict[str, Array]]:
    """Return the header and the arrays of a message, read-only views of the frames themselves.

    Every cap is checked against the header's claims and the frames' sizes before an array is made, and making one
    allocates nothing.

    Args:
        frames: Bytes-like frames in the order `encode` gave them.
        limits: What a message may cost; the defaults of `Limits` when not given.

    Raises:
        WireError: The message is malformed, too large or of another version.
    """
    caps = limits or Limits()
    if isinstance(frames, bytes | str | memoryview) or not frames:
        raise WireError("A message must be a list of at least one frame, the header first.")
    if len(frames) > caps.arrays + 1:
        raise WireError(f"A message of {len(frames)} frames is more than a header and {caps.arrays} arrays.")
    views = [_view(frame, number) for number, frame in enumerate(frames)]
    header = read_header(views[0], caps)
    if len(header.arrays) != len(views) - 1:
        raise WireError(f"The header announces {len(header.arrays)} arrays; {len(views) - 1} frames follow it.")
    return header, {spec.name: _array(spec, view) for spec, view in zip(header.arrays, views[1:], strict=True)}


def _little_endian(name: str, values: npt.ArrayLike) -> Array:
    array = np.asarray(values)
    if array.dtype.name not in DTYPES:
        raise WireError(f"Array '{name}' is {array.dtype}; only {', '.join(DTYPES)} travel.")
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _bytes_of(array: Array) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _fields(header: Header) -> dict[str, Any]:
    """Return the header as plain values; numpy's integers become Python's, floats are refused."""
    fields = attrs.asdict(header, recurse=False)
    fields["arrays"] = [[spec.name, spec.dtype, list(spec.shape)] for spec in header.arrays]
    try:
        fields["stamps"] = {name: index(ns) for name, ns in header.stamps.items()}
        fields["sequence"] = index(header.sequence)
        fields["deadline_ns"] = None if header.deadline_ns is None else index(header.deadline_ns)
    except TypeError as error:
        raise WireError(f"Stamps, sequence and deadline of a header must be whole: {error}.") from error
    return fields


def _view(frame: Any, number: int) -> memoryview:
    try:
        return memoryview(frame).cast("B")
    except (TypeError, ValueError) as error:
        raise WireError(f"Frame {number} is {type(frame).__name__}, not contiguous bytes: {error}.") from error


def _array(spec: ArraySpec, view: memoryview) -> Array:
    if len(view) != spec.nbytes:
        raise WireError(
            f"Array '{spec.name}' is announced as {spec.dtype} {spec.shape}, {spec.nbytes} bytes; "
            f"its frame has {len(view)}."
        )
    if spec.dtype == "bool" and np.frombuffer(view, np.uint8).max(initial=0) > 1:
        raise WireError(f"Array '{spec.name}' is announced as bool but holds bytes other than 0 and 1.")
    dtype = np.dtype(spec.dtype).newbyteorder("<")
    array: Array = np.ndarray(spec.shape, dtype, buffer=view)
    array.setflags(write=False)
    return array
