"""Runs a loop under counting.cpp through all that its thread does, and prints what the thread was counted for."""

from __future__ import annotations

import ctypes
import json
import sys
import time

import numpy as np
from point_robot import PointRobot, SpringLaw, chunk_of, load

from handloom_controllers.native import library
from handloom_controllers.realtime import LoopSettings, RealTimeLoop


def main(parts: str) -> None:
    """Follow chunks, good and bad, until the soft stop; with telemetry that nobody takes out in time."""
    loaded, counted = load(parts), ctypes.CDLL(None)
    settings = LoopSettings(telemetry_every=1, telemetry_room=50, hold_s=0.05)
    with RealTimeLoop(PointRobot(loaded), SpringLaw(loaded), settings) as loop:
        loop.start()
        for turn in range(10):
            now = library().call("hl_now_ns")
            times = np.arange(1, 10) * 0.03
            x = np.full(9, np.nan) if turn == 5 else 0.05 * np.sin(now * 1e-9 + times)
            loop.push(chunk_of(times, x, start=now))
            time.sleep(0.02)
        time.sleep(0.5)
        status = loop.status()
        names = ("allocations", "locks", "writes")
        told = {name: getattr(counted, f"counted_{name}")() for name in names}
    told |= {"cycles": status.cycles, "chunks": status.chunks_taken, "refused": status.chunks_refused}
    print(json.dumps({**told, "phase": status.phase}))


if __name__ == "__main__":
    main(*sys.argv[1:])
