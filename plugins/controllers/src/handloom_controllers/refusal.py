"""What is wrong with a chunk: every reason not to follow it, checked before anything of it is used."""

from __future__ import annotations

from typing import NamedTuple

import attrs
import numpy as np

from handloom.api import Chunk
from handloom.api.control import FaultKind


class Refusal(NamedTuple):
    """Why a chunk is refused.

    Attributes:
        kind: The kind of fault.
        message: One sentence.
    """

    kind: FaultKind
    message: str


@attrs.frozen(kw_only=True)
class Expected:
    """What a chunk has to be.

    Attributes:
        frame: Frame `a` of its waypoints `T_a_b`.
        body: Body `b`.
        clock: Name of its clock; "" takes any.
        reach_m: Furthest distance of a waypoint from the origin of the frame.
        ahead_s: Furthest a waypoint may lie in the future.
    """

    frame: str
    body: str
    clock: str
    reach_m: float
    ahead_s: float


def refusal(chunk: Chunk, now: int, expected: Expected, last_observed: int | None) -> Refusal | None:
    """Return why a chunk can't be followed, or None.

    Args:
        chunk: The chunk.
        now: int64 ns, the instant it would be applied.
        expected: What it has to be.
        last_observed: Stamp of the observation that the chunk before answered; None before the first.
    """
    message = _wrong_names(chunk, expected) or _wrong_stamps(chunk)
    if message:
        return Refusal("invalid_chunk", message)
    if not len(chunk.stamps):
        return Refusal("empty_chunk", "The chunk has no waypoint; the trajectory goes on as it was.")
    if last_observed is not None and chunk.observed <= last_observed:
        return Refusal(
            "late_chunk",
            f"The chunk answers the observation of {chunk.observed} ns; {last_observed} ns was answered before.",
        )
    if int(chunk.stamps[-1]) <= now:
        late_s = (now - int(chunk.stamps[-1])) * 1e-9
        return Refusal(
            "late_chunk", f"The last waypoint of the chunk was due {late_s:.3f} s ago; nothing is left."
        )
    message = _wrong_poses(chunk, expected) or _wrong_widths(chunk) or _too_far_ahead(chunk, now, expected)
    return Refusal("invalid_chunk", message) if message else None


def _wrong_names(chunk: Chunk, expected: Expected) -> str:
    if (chunk.frame, chunk.body) != (expected.frame, expected.body):
        found, wanted = f"T_{chunk.frame}_{chunk.body}", f"T_{expected.frame}_{expected.body}"
        return f"The waypoints of the chunk are {found}; this controller moves {wanted}."
    if expected.clock and chunk.clock != expected.clock:
        return f"The chunk is stamped on clock '{chunk.clock}'; this controller runs on clock '{expected.clock}'."
    return ""


def _wrong_stamps(chunk: Chunk) -> str:
    stamps = chunk.stamps
    if stamps.dtype != np.int64 or stamps.ndim != 1:
        return f"The stamps of the chunk are {stamps.dtype} {stamps.shape}; expected (N,) int64 ns."
    wrong = np.flatnonzero(stamps[1:] <= stamps[:-1])
    if not len(wrong):
        return ""
    row = int(wrong[0]) + 1
    how = "repeats the stamp of" if stamps[row] == stamps[row - 1] else "is due before"
    return f"Waypoint {row} of the chunk {how} waypoint {row - 1}; stamps must increase."


def _wrong_poses(chunk: Chunk, expected: Expected) -> str:
    finite = np.isfinite(chunk.poses).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        return f"Waypoint {row} of the chunk is {chunk.poses[row].tolist()}; expected finite numbers."
    far = np.abs(chunk.poses[:, :3]).max(axis=1) > expected.reach_m
    if far.any():
        row = int(np.argmax(far))
        position = chunk.poses[row, :3].tolist()
        return f"Waypoint {row} of the chunk is at {position} m; reach is {expected.reach_m:g} m."
    # Scaled down first, because the square of a huge number is infinite.
    off = np.abs(np.linalg.norm(np.clip(chunk.poses[:, 3:], -10, 10), axis=1) - 1) > 1e-3
    if off.any():
        row = int(np.argmax(off))
        return f"Waypoint {row} of the chunk has quaternion {chunk.poses[row, 3:].tolist()}; expected norm 1."
    return ""


def _wrong_widths(chunk: Chunk) -> str:
    wrong = np.isinf(chunk.widths_m) | (chunk.widths_m < 0)
    if not wrong.any():
        return ""
    row = int(np.argmax(wrong))
    return f"Waypoint {row} of the chunk has gripper width {chunk.widths_m[row]} m; expected 0 or more, or NaN."


def _too_far_ahead(chunk: Chunk, now: int, expected: Expected) -> str:
    ahead_s = (int(chunk.stamps[-1]) - now) * 1e-9
    if ahead_s <= expected.ahead_s:
        return ""
    return f"The chunk lasts until {ahead_s:.3g} s from now; at most {expected.ahead_s:g} s is allowed."
