"""The header of a wire message: what it is, when it was, and which arrays follow."""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs

from handloom.net.limits import ITEM_SIZES

VERSION = 1
"""Version of the message layout; both sides must speak the same."""


@attrs.frozen(kw_only=True)
class ArraySpec:
    """One row of the array table.

    Attributes:
        name: Name of the array, unique in the message.
        dtype: One of `DTYPES`, little-endian on the wire.
        shape: Lengths of the axes; () for a scalar.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Size of the array's frame in bytes."""
        return math.prod(self.shape) * ITEM_SIZES[self.dtype]


@attrs.frozen(kw_only=True)
class Header:
    """All of a message but the numbers in its arrays.

    Attributes:
        kind: What the message is for: "hello", "observation", "chunk", "refusal"; a word of the two sides' own.
        sequence: Number of the message; a reply repeats that of its request, so that a late one is recognised.
        clock: Name of the clock that stamps and deadline are on.
        stamps: int64 ns by name: when it was observed, sent, received.
        deadline_ns: Stamp after which the answer is of no use; None when there is none.
        contract_hash: Hash of the contract both sides agreed on, see `contract_hash`; "" before they did.
        text: A sentence for a refusal, or the contract as JSON while shaking hands; "" otherwise.
        arrays: The arrays that follow, in order; `encode` fills it in.
        version: Version of the message layout.
    """

    kind: str
    sequence: int = 0
    clock: str = ""
    stamps: Mapping[str, int] = attrs.field(factory=dict)
    deadline_ns: int | None = None
    contract_hash: str = ""
    text: str = ""
    arrays: tuple[ArraySpec, ...] = ()
    version: int = VERSION
