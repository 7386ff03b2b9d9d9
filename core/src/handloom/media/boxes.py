"""Walks the boxes of an MP4, and rewrites edit lists and display matrices that no muxer writes on request."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from fractions import Fraction

from handloom.errors import MediaError

_PARENTS = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts")
_MATRICES = {
    0: (1, 0, 0, 1),
    90: (0, 1, -1, 0),
    180: (-1, 0, 0, -1),
    270: (0, -1, 1, 0),
}
"""Clockwise turn to (a, b, c, d) of the tkhd matrix. Source: ISO/IEC 14496-12, 6.2.2 and 8.3.2."""


def boxes_in(data: bytes | bytearray | mmap.mmap, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Walk the boxes side by side between two offsets, up to one that does not fit.

    Yields:
        (type, offset of the content, offset after the content).

    Source: ISO/IEC 14496-12, 4.2.
    """
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1 and start + 16 <= end:
            size, head = struct.unpack_from(">Q", data, start + 8)[0], 16
        after = end if size == 0 else start + size
        if not start + head <= after <= end:
            return
        yield kind, start + head, after
        start = after


def _tree(data: bytes | bytearray, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Walk the boxes and those inside them, parents before children."""
    for kind, first, last in boxes_in(data, start, end):
        yield kind, first, last
        if kind in _PARENTS:
            yield from _tree(data, first, last)


def video_boxes(data: bytes | bytearray) -> dict[bytes, int]:
    """Return where the contents of the boxes of the first video track begin, and `mvhd`.

    Raises:
        MediaError: There is no video track.
    """
    found: dict[bytes, int] = {}
    for kind, start, end in _tree(data, 0, len(data)):
        if kind == b"mvhd":
            found[kind] = start
        elif kind == b"trak":
            track = {name: offset for name, offset, _ in _tree(data, start, end)}
            if data[track[b"hdlr"] + 8 : track[b"hdlr"] + 12] == b"vide":
                return {**track, **found}
    raise MediaError("These bytes are no MP4 with a video track; expected what write_clip makes.")


def set_rotation(data: bytearray, rotation_deg: int) -> None:
    """Write the display matrix that turns the first video track clockwise, in place.

    Raises:
        MediaError: The turn is none of 0, 90, 180 and 270 degrees.
    """
    if rotation_deg not in _MATRICES:
        raise MediaError(f"A turn of {rotation_deg} degrees was asked for; expected one of {sorted(_MATRICES)}.")
    header = video_boxes(data)[b"tkhd"]
    matrix = header + (52 if data[header] == 1 else 40)
    a, b, c, d = (value << 16 for value in _MATRICES[rotation_deg])
    struct.pack_into(">9i", data, matrix, a, b, 0, c, d, 0, 0, 0, 1 << 30)


def set_edit(data: bytearray, *, start_s: Fraction, duration_s: Fraction) -> None:
    """Make the first video track's one edit show only a part of it, in place.

    Args:
        data: A file whose track has an edit list of one entry.
        start_s: Added to where the edit begins.
        duration_s: How long it shows; rounded down to the file's own ticks, usually milliseconds.

    Raises:
        MediaError: The edit list is not one entry of version 0.
    """
    found = video_boxes(data)
    edit = found[b"elst"]
    version, count = data[edit], struct.unpack_from(">I", data, edit + 4)[0]
    if version != 0 or count != 1:
        raise MediaError(
            f"The edit list has version {version} and {count} entries; expected version 0 and one entry."
        )
    movie_scale = struct.unpack_from(">I", data, found[b"mvhd"] + 12)[0]
    track_scale = struct.unpack_from(">I", data, found[b"mdhd"] + 12)[0]
    begin = struct.unpack_from(">i", data, edit + 12)[0] + round(start_s * track_scale)
    struct.pack_into(">Ii", data, edit + 8, int(duration_s * movie_scale), begin)
