"""What is wrong with a chunk: every reason not to follow it, checked before anything of it is used, and told."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk, Fault

Float64Array = npt.NDArray[np.float64]

MOST_WAYPOINTS = 256
"""HL_MAX_WAYPOINTS: how many may be pending and new at once."""

UNIT_TOLERANCE = 1e-3
"""How far the norm of a quaternion may be from 1."""

Outcome = Literal["taken", "stretched_chunk", "late_chunk", "empty_chunk", "invalid_chunk"]
Wrong = Literal["nothing", "not_finite", "quaternion", "order", "duplicate", "reach", "ahead", "width", "too_many"]

OUTCOMES: dict[int, Outcome] = {
    0: "taken",
    1: "stretched_chunk",
    -1: "late_chunk",
    -2: "empty_chunk",
    -3: "invalid_chunk",
}
"""Names by HL_CHUNK_*."""

WRONGS: tuple[Wrong, ...] = (
    "nothing",
    "not_finite",
    "quaternion",
    "order",
    "duplicate",
    "reach",
    "ahead",
    "width",
    "too_many",
)
"""Names by HL_WRONG_*."""


@attrs.frozen
class SpliceReport:
    """What became of a chunk.

    Attributes:
        outcome: "taken", or the kind of fault; a stretched chunk is taken too.
        wrong: What is wrong with an invalid one.
        row: Of the waypoint that is wrong; -1 for none.
        dropped: Leading waypoints that were already past.
        stretched_ns: By how much the most delayed waypoint was moved later.
    """

    outcome: Outcome
    wrong: Wrong = "nothing"
    row: int = -1
    dropped: int = 0
    stretched_ns: int = 0

    @property
    def taken(self) -> bool:
        """Whether the chunk is followed."""
        return self.outcome in ("taken", "stretched_chunk")


@attrs.frozen(kw_only=True)
class Expected:
    """What a chunk has to be.

    Attributes:
        reach_m: Furthest waypoint, on each axis.
        ahead_ns: Furthest a waypoint may lie in the future.
        last_observed: Stamp of the observation that the chunk before answered; None before the first.
    """

    reach_m: float
    ahead_ns: int
    last_observed: int | None = None


def refusal(chunk: Chunk, now: int, due: int, expected: Expected) -> SpliceReport | None:
    """Return why the waypoints of a chunk can't be followed, or None.

    Args:
        chunk: The chunk.
        now: int64 ns, the instant it would be applied.
        due: int64 ns stamp of the waypoint that the arm is commanded for at that instant.
        expected: What it has to be.
    """
    count = len(chunk.stamps)
    if not count:
        return SpliceReport("empty_chunk")
    if count > MOST_WAYPOINTS:
        return SpliceReport("invalid_chunk", "too_many", MOST_WAYPOINTS)
    wrong = np.flatnonzero(chunk.stamps[1:] <= chunk.stamps[:-1]) + 1
    if len(wrong):
        twice = chunk.stamps[wrong[0]] == chunk.stamps[wrong[0] - 1]
        return SpliceReport("invalid_chunk", "duplicate" if twice else "order", int(wrong[0]))
    if expected.last_observed is not None and chunk.observed <= expected.last_observed:
        return SpliceReport("late_chunk")
    if int(chunk.stamps[-1]) <= due:
        return SpliceReport("late_chunk")
    for what, rows in _wrong_rows(chunk, expected):
        if rows.any():
            return SpliceReport("invalid_chunk", what, int(np.argmax(rows)))
    if int(chunk.stamps[-1]) - now > expected.ahead_ns:
        return SpliceReport("invalid_chunk", "ahead", count - 1)
    return None


def _wrong_rows(chunk: Chunk, expected: Expected) -> list[tuple[Wrong, npt.NDArray[np.bool_]]]:
    with np.errstate(invalid="ignore"):  # what is not finite is told first
        # Scaled down first, because the square of a huge number is infinite.
        norms = np.linalg.norm(np.clip(chunk.poses[:, 3:], -10, 10), axis=1)
        return [
            ("not_finite", np.logical_not(np.isfinite(chunk.poses).all(axis=1))),
            ("reach", np.abs(chunk.poses[:, :3]).max(axis=1) > expected.reach_m),
            ("quaternion", np.abs(norms - 1) > UNIT_TOLERANCE),
            ("width", np.isinf(chunk.widths_m) | (chunk.widths_m < 0)),
        ]


def wrong_kind(chunk: Chunk, *, frame: str, body: str, clock: str) -> str:
    """Return what is wrong with what a chunk says of itself, as a sentence; "" if nothing is.

    Args:
        chunk: The chunk.
        frame: Frame `a` that its waypoints `T_a_b` must have.
        body: Body `b`.
        clock: Name of the clock it must be on; "" takes any.
    """
    if (chunk.frame, chunk.body) != (frame, body):
        found = f"T_{chunk.frame}_{chunk.body}"
        return f"The waypoints of the chunk are {found}; expected T_{frame}_{body}."
    if clock and chunk.clock != clock:
        return f"The chunk is stamped on clock '{chunk.clock}'; expected clock '{clock}'."
    if chunk.stamps.dtype != np.int64 or chunk.stamps.ndim != 1:
        return f"The stamps of the chunk are {chunk.stamps.dtype} {chunk.stamps.shape}; expected (N,) int64 ns."
    for name, array in (("poses", chunk.poses), ("widths", chunk.widths_m)):
        if array.dtype.kind not in "fiu" or isinstance(array, np.ma.MaskedArray):
            found = "a masked array" if isinstance(array, np.ma.MaskedArray) else str(array.dtype)
            return f"The {name} of the chunk are {found}; expected plain numbers, NaN for what is not known."
    if not isinstance(chunk.observed, int | np.integer) or not -(2**63) <= chunk.observed < 2**63:
        return f"The chunk answers the observation of {chunk.observed!r}; expected a stamp, int64 ns."
    return ""


def told(report: SpliceReport, chunk: Chunk, now: int) -> Fault | None:
    """Return the fault of a chunk that was refused or stretched; None for one that was taken as it is."""
    if report.outcome == "taken":
        return None
    if report.outcome == "stretched_chunk":
        late_s = report.stretched_ns * 1e-9
        message = (
            f"The speed caps ask for more time than the chunk gives; a waypoint is passed {late_s:.3f} s late."
        )
    elif report.outcome == "empty_chunk":
        message = "The chunk has no waypoint; the trajectory goes on as it was."
    elif report.outcome == "late_chunk":
        message = _late(chunk, now)
    else:
        message = _invalid(report, chunk, now)
    return Fault(kind=report.outcome, message=message, stamp=now)


def _late(chunk: Chunk, now: int) -> str:
    late_s = (now - int(chunk.stamps[-1])) * 1e-9
    if late_s >= 0:
        return f"The last waypoint of the chunk was due {late_s:.3f} s ago; nothing is left."
    return (
        f"The chunk answers the observation of {chunk.observed} ns, which is not newer than the one answered "
        f"before, or its last waypoint, due in {-late_s:.3f} s, can't be reached by the arm's latency any more."
    )


def _invalid(report: SpliceReport, chunk: Chunk, now: int) -> str:
    row = report.row
    if report.wrong == "too_many":
        return f"The chunk has {len(chunk.stamps)} waypoints, more than fit: {MOST_WAYPOINTS} at once at most."
    if report.wrong in ("order", "duplicate"):
        how = "repeats the stamp of" if report.wrong == "duplicate" else "is due before"
        return f"Waypoint {row} of the chunk {how} waypoint {row - 1}; stamps must increase."
    pose = chunk.poses[row].tolist()
    return {
        "not_finite": f"Waypoint {row} of the chunk is {pose}; expected finite numbers.",
        "reach": f"Waypoint {row} of the chunk is at {pose[:3]} m, which is out of reach.",
        "quaternion": f"Waypoint {row} of the chunk has quaternion {pose[3:]}; expected norm 1.",
        "width": f"Waypoint {row} of the chunk has gripper width {chunk.widths_m[row]} m; expected 0 or more.",
        "ahead": f"The chunk lasts until {(int(chunk.stamps[-1]) - now) * 1e-9:.3g} s from now, too far ahead.",
    }.get(report.wrong, "The chunk can't be followed.")
