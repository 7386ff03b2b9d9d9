"""Text in columns, the same on a terminal, in a file and in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def columns(rows: Iterable[Sequence[str]]) -> str:
    """Align rows of equally many cells; the last column is not padded."""
    lines = [tuple(row) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
