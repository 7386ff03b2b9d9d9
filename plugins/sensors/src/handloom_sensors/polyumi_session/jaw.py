"""The jaw servo's position, where a session has it: numbers a servo counts in, on the Pi's clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from handloom.streams import Samples, StreamType
from handloom_sensors.polyumi_session.clocks import PI
from handloom_sensors.polyumi_session.frame_times import believe

FILE = "jaw_ticks.csv"

TICKS = StreamType(kind="scalar", dtype="float64", unit="tick", clock=PI)


def read_jaw(session: Path, *, lasts_ns: int | None = None) -> tuple[Samples | None, tuple[str, ...]]:
    """Read the servo's positions: lines of stamp in ns on the Pi's clock and ticks, under a header or none.

    Args:
        session: The session directory.
        lasts_ns: How long the session was by another clock; None when nothing tells.

    Returns:
        The positions, None where the session has none, and what could not be read of them.
    """
    path = session / FILE
    if not path.is_file():
        return None, ()
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    rows = [_row(line) for line in lines if line.strip()]
    if rows and rows[0] is None:
        rows = rows[1:]
    good = [row for row in rows if row is not None]
    bad = len(rows) - len(good)
    notes = (f"{FILE}: {bad} lines are no stamp and number of ticks and are left out.",) if bad else ()
    if not good:
        return None, (*notes, f"{FILE} holds no position of the jaw.")
    stamps = np.array([stamp for stamp, _ in good], np.int64)
    times = believe(np.arange(len(good)), stamps, lasts_ns=lasts_ns)
    ticks = np.array([ticks for _, ticks in good], np.float64)[times.keep]
    samples = Samples(type=TICKS, data=ticks, stamps=stamps[times.keep])
    return samples, (*notes, *times.notes("The jaw", each="position"))


def _row(line: str) -> tuple[int, float] | None:
    stamp, _, ticks = line.partition(",")
    try:
        found = int(stamp), float(ticks)
    except ValueError:
        return None
    return found if 0 <= found[0] < 2**63 and np.isfinite(found[1]) else None
