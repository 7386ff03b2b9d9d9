"""What became of a motion, in figures and in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Fault
from handloom_controllers.control.path import ToolPath
from handloom_controllers.control.telemetry import Records
from handloom_controllers.control.tracking import Tracking, tracking
from handloom_controllers.native.structs import EVENTS, FAULTS, names_of
from handloom_controllers.realtime import Durations, LoopStatus

_LEFT_OUT = frozenset({"invalid_chunk", "out_of_range", "collision"})
"""Kinds of fault after which the arm was not where it should have been."""


@attrs.frozen(kw_only=True)
class Spread:
    """How long something took, us.

    Attributes:
        p50: Half of the cycles stayed below.
        p99: 99 of 100 stayed below.
        max: None was above.
    """

    p50: float
    p99: float
    max: float


@attrs.frozen(kw_only=True)
class Outcome:
    """What became of a motion.

    Attributes:
        stop: Why it ended: "asked", "stale", "reflex", …
        interrupted: Whether somebody asked for its end before the path was over.
        real_time: Whether the compiled loop ran.
        scheduling: One sentence on what it was granted.
        paced: Whether time passed as on the wall.
        cycles: How many there were.
        missed: Slots that were missed.
        chunks_taken: How many chunks were spliced in.
        chunks_refused: How many were not.
        path: The tool against the recorded path.
        reference: The tool against the loop's reference.
        lateness_us: How late cycles began; None where time was not paced.
        compute_us: How long they worked.
        faults: How often each began.
        events: Share of the records with each event of the law.
        reflexes: Names of the robot's.
        command_n: Largest force that the law wanted, N.
        contact_n: Largest force that was measured, N.
        torque_nm: Largest torque that was commanded, Nm.
        notes: Sentences on what happened.
    """

    stop: str
    interrupted: bool
    real_time: bool
    scheduling: str
    paced: bool
    cycles: int
    missed: int
    chunks_taken: int
    chunks_refused: int
    path: Tracking
    reference: Tracking
    lateness_us: Spread | None
    compute_us: Spread
    faults: Mapping[str, int]
    events: Mapping[str, float]
    reflexes: tuple[str, ...]
    command_n: float
    contact_n: float
    torque_nm: float
    notes: tuple[str, ...]

    @property
    def well(self) -> bool:
        """Whether the path was followed to its end."""
        return self.stop == "asked" and not self.interrupted and not self.left_out

    @property
    def left_out(self) -> bool:
        """Whether parts of the path were refused, so that the arm did not go there."""
        return not _LEFT_OUT.isdisjoint(self.faults)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values; what is not known is null."""
        return {name: _plain(value) for name, value in attrs.asdict(self).items()}


def outcome(
    records: Records,
    status: LoopStatus,
    *,
    paced: bool,
    path: ToolPath,
    start: int,
    interrupted: bool,
    notes: tuple[str, ...],
    noticed: tuple[Fault, ...] = (),
) -> Outcome:
    """Make the figures of a motion.

    Args:
        records: (N,) telemetry.
        status: The loop's last.
        paced: Whether time was paced.
        path: What was to be followed, in the robot's base.
        start: int64 ns where the path began.
        interrupted: Whether its end was asked for early.
        notes: Sentences on what happened.
        noticed: What a law in Python noticed, beside what the records hold.
    """
    stamps = np.asarray(records["stamp_ns"])
    on_path = (stamps >= start) & (stamps <= start + path.duration_ns)
    stamps, measured = stamps[on_path], records["T_base_tcp"][on_path]
    return Outcome(
        stop=status.stop,
        interrupted=interrupted,
        real_time=status.real_time,
        scheduling=status.scheduling,
        paced=paced,
        cycles=status.cycles,
        missed=status.missed,
        chunks_taken=status.chunks_taken,
        chunks_refused=status.chunks_refused,
        path=tracking(stamps, path.at(stamps - start), measured),
        reference=tracking(stamps, records["reference"][on_path], measured),
        lateness_us=_spread(status.lateness) if paced else None,
        compute_us=_spread(status.compute),
        faults=Counter(_onsets(records["faults"], FAULTS)) + Counter(fault.kind for fault in noticed),
        events=_shares(records["events"], EVENTS),
        reflexes=status.reflexes,
        command_n=_largest(np.linalg.norm(records["wrench_command"][:, :3], axis=1)),
        contact_n=_largest(np.linalg.norm(records["wrench_measured"][:, :3], axis=1)),
        torque_nm=_largest(np.abs(records["tau_command"])),
        notes=notes,
    )


def _spread(durations: Durations) -> Spread:
    return Spread(
        p50=durations.percentile_us(50), p99=durations.percentile_us(99), max=float(durations.longest_us)
    )


def _onsets(bits: npt.NDArray[np.uint32], names: tuple[str, ...]) -> dict[str, int]:
    """Count how often each bit came up; one that stays is one event."""
    came = bits & ~np.concatenate([[0], bits[:-1]]).astype(bits.dtype)
    counts = Counter({name: int(np.count_nonzero(came >> place & 1)) for place, name in enumerate(names)})
    return {name: count for name, count in counts.items() if count}


def _shares(bits: npt.NDArray[np.uint32], names: tuple[str, ...]) -> dict[str, float]:
    seen = set(names_of(int(np.bitwise_or.reduce(bits, initial=0)), names))
    return {name: float(np.mean(bits >> place & 1)) for place, name in enumerate(names) if name in seen}


def _largest(values: npt.NDArray[np.float64]) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if known.size else float("nan")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
