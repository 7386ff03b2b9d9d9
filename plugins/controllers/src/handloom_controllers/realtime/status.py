"""What a loop says about itself: what it is doing, why it stopped, and how punctual it was."""

from __future__ import annotations

import os

import attrs
import numpy as np
import numpy.typing as npt

from handloom_controllers.native.structs import HISTOGRAM_BINS, PHASES, REFLEXES, STOPS, names_of
from handloom_controllers.refusal import OUTCOMES

_WRONGS = (
    "",
    "a number that is not finite",
    "a quaternion that is not of norm 1",
    "a stamp before the one before it",
    "a stamp twice",
    "a position out of reach",
    "a stamp too far in the future",
    "a gripper width below 0 or infinite",
    "more waypoints than a chunk may have",
)
"""What HL_WRONG_* mean, by their number."""


@attrs.frozen(kw_only=True, eq=False)
class Durations:
    """How long something took, counted by size.

    Attributes:
        counts: (64,) how many took [2^(b/4), 2^((b+1)/4)) microseconds; the first begins at 0, the last takes
            the rest.
        longest_us: The longest of all.
    """

    counts: npt.NDArray[np.int64]
    longest_us: float

    def percentile_us(self, percent: float) -> float:
        """Return the duration that `percent` of all did not exceed, to within a bin (19 %); NaN without any."""
        total = int(self.counts.sum())
        if not total:
            return float("nan")
        index = int(np.searchsorted(np.cumsum(self.counts), max(1.0, total * percent / 100)))
        return min(float(2.0 ** ((min(index, HISTOGRAM_BINS - 1) + 1) / 4)), self.longest_us)


@attrs.frozen(kw_only=True, eq=False)
class LoopStatus:
    """What a loop says about itself.

    Attributes:
        phase: "ready", "following", "holding", "stopping", "stopped", "damped" or "ended".
        stop: Why it stopped: "none", "asked", "emergency", "stale", "reflex", "not_finite", "law", "robot" or
            "owner".
        real_time: Whether it runs without Python.
        scheduling: One sentence on what it was granted.
        reflexes: Names of the reflexes that the robot reported.
        cycles: How many there were.
        missed: Slots that passed without a cycle.
        stamp: int64 ns of the newest cycle.
        chunks_taken: How many chunks were spliced in.
        chunks_refused: How many were not.
        stretched_s: By how much the last waypoint of the newest stretched chunk was moved later.
        telemetry_lost: Records for which there was no room.
        refusal: Kind of fault of the newest refused chunk; "" before one was.
        wrong: What was wrong with it, where it was invalid; else "".
        wrong_row: The waypoint that was wrong; -1 for none.
        lateness: Between the slot that was waited for and the beginning of the cycle.
        compute: From there until the robot had its command.
    """

    phase: str
    stop: str
    real_time: bool
    scheduling: str
    reflexes: tuple[str, ...]
    cycles: int
    missed: int
    stamp: int
    chunks_taken: int
    chunks_refused: int
    stretched_s: float
    telemetry_lost: int
    refusal: str
    wrong: str
    wrong_row: int
    lateness: Durations
    compute: Durations


def status_of(struct: npt.NDArray[np.void], *, real_time: bool, scheduling: str, lost: int = 0) -> LoopStatus:
    """Return an hl_loop_status in words; `lost` are records that were dropped after they had left the ring."""
    return LoopStatus(
        phase=PHASES[int(struct["phase"])],
        stop=STOPS[int(struct["stop"])],
        real_time=real_time,
        scheduling=scheduling,
        reflexes=names_of(int(struct["reflexes"]), REFLEXES),
        cycles=int(struct["cycles"]),
        missed=int(struct["missed"]),
        stamp=int(struct["stamp_ns"]),
        chunks_taken=int(struct["chunks_taken"]),
        chunks_refused=int(struct["chunks_refused"]),
        stretched_s=int(struct["stretched_ns"]) * 1e-9,
        telemetry_lost=int(struct["telemetry_lost"]) + lost,
        refusal=OUTCOMES[int(struct["last_refusal"])] if struct["last_refusal"] else "",
        wrong=_WRONGS[int(struct["last_wrong"])],
        wrong_row=int(struct["last_row"]) if struct["last_refusal"] else -1,
        lateness=_durations(struct, "lateness"),
        compute=_durations(struct, "compute"),
    )


def _durations(struct: npt.NDArray[np.void], name: str) -> Durations:
    counts = np.array(struct[f"{name}_histogram"], dtype=np.int64)
    return Durations(counts=counts, longest_us=int(struct[f"{name}_max_ns"]) * 1e-3)


def count(struct: npt.NDArray[np.void], name: str, duration_ns: int) -> None:
    """Count a duration in one of the histograms of an hl_loop_status, as the compiled loop does."""
    bin_ = int(np.floor(4 * np.log2(max(duration_ns, 1) * 1e-3)))
    struct[f"{name}_histogram"][min(max(bin_, 0), HISTOGRAM_BINS - 1)] += 1
    struct[f"{name}_max_ns"] = max(int(struct[f"{name}_max_ns"]), duration_ns)


def granted(struct: npt.NDArray[np.void], *, fifo_priority: int, lock_memory: bool) -> str:
    """Say in one sentence what the loop's thread was granted."""
    fifo, lock = int(struct["fifo_errno"]), int(struct["lock_errno"])
    if not fifo_priority:
        first = "It runs under the ordinary scheduler, as asked"
    elif fifo:
        first = f"SCHED_FIFO was refused ({os.strerror(fifo)}), so it runs under the ordinary scheduler"
    else:
        first = f"It runs under SCHED_FIFO with priority {fifo_priority}"
    if not lock_memory:
        return f"{first}; memory is not locked, as asked."
    return f"{first}; memory is {f'not locked ({os.strerror(lock)})' if lock else 'locked'}."
