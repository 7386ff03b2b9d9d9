"""`python -m handloom_simulation.fci`: a simulated Franka arm that pylibfranka connects to, until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import threading

from handloom_simulation.fci.server import FciConfig, SimulatedFci


def main() -> int:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m handloom_simulation.fci", description=__doc__)
    parser.add_argument("--address", default="127.0.0.1", help="a loopback address (127.0.0.1)")
    parser.add_argument(
        "--by-the-clock", action="store_true", help="lose commands that are late, as a real arm does"
    )
    options = parser.parse_args()
    ended = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    with SimulatedFci(FciConfig(address=options.address, lock_step=not options.by_the_clock)) as fci:
        print(f"A simulated Franka arm at {options.address}; Ctrl-C ends it.", flush=True)
        ended.wait()
    for motion in fci.interface.motions:
        told = f"ended by {', '.join(motion.reflexes)}" if motion.reflexes else "ended well"
        print(f"{motion.cycles} cycles, {motion.lost} commands lost, {told}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
