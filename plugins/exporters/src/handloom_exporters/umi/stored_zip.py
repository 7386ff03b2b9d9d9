"""A ZIP file of stored entries, written front to back: the same entries give the same bytes, in flat memory.

Python's zipfile closes whatever was begun so that it looks finished, and keeps an object an entry: a dataset has
one entry a frame. This writes no directory unless `finish` is called, so an export that broke off can't be opened.

Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16 (its end),
4.5.3 (ZIP64).
"""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

_PLAIN, _ZIP64 = 20, 45
_UNIX = 3 << 8
_DATE = (1980 - 1980) << 9 | 1 << 5 | 1
"""The first day a ZIP file can hold: no time of day enters the bytes."""
_REGULAR_FILE = 0o100644 << 16

OFFSET_LIMIT = 0xFFFFFFFF
ENTRY_LIMIT = 0xFFFF


class StoredZip:
    """Entries without compression; those who write them compress."""

    def __init__(self, file: BinaryIO, *, offset_limit: int = OFFSET_LIMIT) -> None:
        self._file = file
        self._offset_limit = offset_limit
        self._position = 0
        self._count = 0
        self._directory = bytearray()

    def add(self, name: str, data: bytes) -> None:
        """Append an entry of less than 4 GiB; names are ASCII, and each may come once only."""
        encoded = name.encode("ascii")
        sum_ = zlib.crc32(data)
        common = struct.pack("<HHHHIIIH", 0, 0, 0, _DATE, sum_, len(data), len(data), len(encoded))
        header = struct.pack("<IH", 0x04034B50, _PLAIN) + common + struct.pack("<H", 0) + encoded
        self._list(encoded, common)
        self._write(header)
        self._write(data)

    def finish(self) -> None:
        """Write the directory, which makes it a ZIP file."""
        start, size = self._position, len(self._directory)
        self._write(bytes(self._directory))
        count = self._count
        if count >= ENTRY_LIMIT or start >= self._offset_limit or size >= self._offset_limit:
            self._write_zip64_end(start, size)
            count, size, start = ENTRY_LIMIT, OFFSET_LIMIT, OFFSET_LIMIT
        self._write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, size, start, 0))

    def _list(self, name: bytes, common: bytes) -> None:
        """Keep the directory's line of the entry that is about to be written."""
        far = self._position >= self._offset_limit
        extra = struct.pack("<HHQ", 1, 8, self._position) if far else b""
        version = _ZIP64 if far else _PLAIN
        self._directory += struct.pack("<IHH", 0x02014B50, _UNIX | version, version) + common
        offset = OFFSET_LIMIT if far else self._position
        self._directory += struct.pack("<HHHHII", len(extra), 0, 0, 0, _REGULAR_FILE, offset) + name + extra
        self._count += 1

    def _write_zip64_end(self, start: int, size: int) -> None:
        where = self._position
        head = struct.pack("<IQHHII", 0x06064B50, 44, _UNIX | _ZIP64, _ZIP64, 0, 0)
        self._write(head + struct.pack("<QQQQ", self._count, self._count, size, start))
        self._write(struct.pack("<IIQI", 0x07064B50, 0, where, 1))

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._position += len(data)
