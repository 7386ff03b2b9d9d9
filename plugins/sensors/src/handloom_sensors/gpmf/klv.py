"""Key-length-value items, the bytes GPMF is made of: parse them and write them.

Source: GoPro's description of GPMF, https://github.com/gopro/gpmf-parser (README, "Length (type-size-repeat
structure)" and "Alignment and Storage"). Everything is big-endian and padded to 32 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

import attrs

from handloom.errors import RecordingError

NESTED = "\0"
"""Type of an item whose value is items."""

COMPLEX = "?"
"""Type of an item whose samples are structures; a TYPE item before it lists the types of the fields."""

DTYPES = {
    "b": ">i1",
    "B": ">u1",
    "c": "S1",
    "d": ">f8",
    "f": ">f4",
    "F": "S4",
    "G": "V16",
    "j": ">i8",
    "J": ">u8",
    "l": ">i4",
    "L": ">u4",
    "q": ">i4",
    "Q": ">i8",
    "s": ">i2",
    "S": ">u2",
    "U": "S16",
}
"""numpy type of each GPMF type letter; q and Q are fixed point, see `decoding.FIXED_POINT`."""

TEXT_TYPES = frozenset("cFGU")

_HEADER = struct.Struct(">4sBBH")
_DEPTH = 8


@attrs.frozen(kw_only=True)
class Item:
    """One key-length-value item.

    Attributes:
        key: FourCC, "ACCL".
        type: One letter of `DTYPES`, `COMPLEX` or `NESTED`.
        size: Bytes of one sample.
        repeat: Samples.
        data: The value without padding, size * repeat bytes; b"" for nested items.
        children: Items inside, for nested ones.
        offset: Where the item starts in its payload; not part of what it says.
    """

    key: str
    type: str
    size: int
    repeat: int
    data: bytes = b""
    children: tuple[Item, ...] = ()
    offset: int = attrs.field(default=0, eq=False)

    def child(self, key: str) -> Item | None:
        """Return the last child of that key, which is the one that counts; None when there is none."""
        return next((item for item in reversed(self.children) if item.key == key), None)

    def text(self) -> str:
        """Return the value as text: ISO 8859-1, as GoPro writes ² and µ, without what follows a NUL."""
        return self.data.split(b"\0", 1)[0].decode("latin-1").rstrip()

    def texts(self) -> tuple[str, ...]:
        """Return the value as one text a sample, for lists of units."""
        rows = [self.data[row : row + self.size] for row in range(0, len(self.data), max(self.size, 1))]
        return tuple(row.split(b"\0", 1)[0].decode("latin-1").strip() for row in rows)


def parse(payload: bytes) -> tuple[Item, ...]:
    """Parse a whole payload.

    Args:
        payload: Bytes of one sample of the telemetry track.

    Raises:
        RecordingError: The bytes are not GPMF; the message names the offset.
    """
    return _items(payload, 0, len(payload), depth=0, problems=None)


def salvage(payload: bytes) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Parse what is whole of a payload.

    Returns:
        The items that are complete, and one sentence for each place where the bytes stopped making sense.
    """
    problems: list[str] = []
    return _items(payload, 0, len(payload), depth=0, problems=problems), tuple(problems)


def _items(payload: bytes, start: int, end: int, *, depth: int, problems: list[str] | None) -> tuple[Item, ...]:
    found: list[Item] = []
    while start < end:
        try:
            header = _header(payload, start, end, depth)
        except RecordingError as error:
            if problems is None:
                raise
            problems.append(str(error))
            if not (item := _broken_nest(payload, start, end, depth, problems)):
                break
            found.append(item)
            break
        if header is None:
            break
        item, start = _item(payload, start, header, depth, problems)
        found.append(item)
    return tuple(found)


def _header(payload: bytes, start: int, end: int, depth: int) -> tuple[str, str, int, int] | None:
    """Read and check the eight bytes before a value; None where only padding is left."""
    if not any(payload[start:end]):
        return None
    if end - start < _HEADER.size:
        raise malformed(start, f"{end - start} bytes are left, an item needs at least {_HEADER.size}")
    raw, kind, size, repeat = _HEADER.unpack_from(payload, start)
    if not all(0x20 <= byte < 0x7F for byte in raw):
        raise malformed(start, f"the key {raw!r} is not four printable characters")
    key, type_, length = raw.decode("ascii"), chr(kind), size * repeat
    if type_ not in DTYPES and type_ not in (NESTED, COMPLEX):
        raise malformed(start, f"item {key} has the unknown type {type_!r}")
    if type_ == NESTED and depth >= _DEPTH:
        raise malformed(start, f"item {key} is nested deeper than {_DEPTH} levels")
    if start + _HEADER.size + length > end:
        left = end - start - _HEADER.size
        raise malformed(start, f"item {key} claims {length} bytes ({size} x {repeat}) but {left} are left")
    return key, type_, size, repeat


def _item(
    payload: bytes, start: int, header: tuple[str, str, int, int], depth: int, problems: list[str] | None
) -> tuple[Item, int]:
    key, type_, size, repeat = header
    first, last = start + _HEADER.size, start + _HEADER.size + size * repeat
    children: tuple[Item, ...] = ()
    data = b""
    if type_ == NESTED:
        children = _items(payload, first, last, depth=depth + 1, problems=problems)
    else:
        data = bytes(payload[first:last])
    item = Item(key=key, type=type_, size=size, repeat=repeat, data=data, children=children, offset=start)
    return item, first + _padded(size * repeat)


def _broken_nest(payload: bytes, start: int, end: int, depth: int, problems: list[str]) -> Item | None:
    """Return a nested item that claims more bytes than there are, with the whole items inside; None for others."""
    if end - start < _HEADER.size or depth >= _DEPTH:
        return None
    raw, kind, size, repeat = _HEADER.unpack_from(payload, start)
    if chr(kind) != NESTED or not all(0x20 <= byte < 0x7F for byte in raw):
        return None
    children = _items(payload, start + _HEADER.size, end, depth=depth + 1, problems=problems)
    return Item(key=raw.decode("ascii"), type=NESTED, size=size, repeat=repeat, children=children, offset=start)


def _padded(length: int) -> int:
    return (length + 3) & ~3


def malformed(offset: int, found: str) -> RecordingError:
    """Return the error for bytes that make no sense, to be raised."""
    return RecordingError(f"GPMF payload at byte {offset}: {found}; the telemetry is damaged there.")


def encode(items: Iterable[Item]) -> bytes:
    """Write items as bytes; `parse` reads them back.

    Raises:
        RecordingError: A value is too long for its header, or not size * repeat bytes long.
    """
    return b"".join(_encoded(item) for item in items)


def _encoded(item: Item) -> bytes:
    value = encode(item.children) if item.type == NESTED else item.data
    if len(value) != item.size * item.repeat or item.size > 0xFF or item.repeat > 0xFFFF:
        raise RecordingError(
            f"GPMF item {item.key} of {item.size} x {item.repeat} bytes can't hold {len(value)}; "
            f"a sample has at most 255 bytes and an item at most 65535 samples."
        )
    header = _HEADER.pack(item.key.encode("ascii"), ord(item.type), item.size, item.repeat)
    return header + value + bytes(_padded(len(value)) - len(value))


def nest(key: str, children: Iterable[Item]) -> Item:
    """Make a nested item; its length is counted in samples of 1 byte, or of 4 when that is too many."""
    inside = tuple(children)
    length = len(encode(inside))
    size = 1 if length <= 0xFFFF else 4
    if length > 4 * 0xFFFF:
        raise RecordingError(f"GPMF item {key} of {length} bytes is longer than the 262140 that a nest may have.")
    return Item(key=key, type=NESTED, size=size, repeat=length // size, children=inside)
