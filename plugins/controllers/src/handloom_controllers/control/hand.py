"""A recorded hand in the place of a live one: its poses come as they came then, and the tool moves after it."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.errors import HandloomError, RecordingError
from handloom.geometry import pose
from handloom.streams import layout_named, read_trajectory
from handloom_controllers.control.feeding import Feed
from handloom_controllers.control.path import PathPolicy, ToolPath
from handloom_controllers.control.settings import HandSettings
from handloom_controllers.teleoperation import Clutch

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_MOST_WAYPOINTS = 16
"""Poses of the hand that a chunk is made of; of more, every second, third and so on."""


@attrs.frozen(kw_only=True, eq=False)
class Hand:
    """A recorded hand.

    Attributes:
        stamps: (N,) int64 ns, from 0 up.
        poses: (N, 7) T_world_hand; NaN where the hand was lost.
    """

    stamps: Int64Array
    poses: Float64Array

    @property
    def duration_ns(self) -> int:
        """How long it takes."""
        return int(self.stamps[-1])


def read_hand(settings: HandSettings) -> Hand:
    """Read the recorded poses of a hand, or of a marker that is fixed to it.

    Raises:
        RecordingError: The file can't be read, or the hand is never seen.
        StreamError: The format is unknown.
    """
    recorded = read_trajectory(settings.file, layout_named(settings.format, settings.columns))
    if not recorded.tracked.any():
        raise RecordingError(f"{recorded.name}: the hand is lost in all of {len(recorded)} rows.")
    stamps = np.rint((recorded.keys - recorded.keys[0]) / settings.speed).astype(np.int64)
    poses = np.full((len(stamps), 7), np.nan)
    poses[recorded.tracked] = pose.compose(recorded.poses[recorded.tracked], np.array(settings.T_marker_hand))
    return Hand(stamps=stamps, poses=poses)


class HandFeed(Feed):
    """Answers with where the hand wants the tool, `delay_s` later than the hand was there.

    It knows no pose before its time. While the hand is lost the tool is held where it was wanted last.
    """

    def __init__(self, hand: Hand, settings: HandSettings) -> None:
        self._hand, self._settings = hand, settings
        self._delay_ns = round(settings.delay_s * 1e9)
        self._policy: PathPolicy | None = None
        self._waiting: list[Chunk] = []
        self._begin(np.full(7, np.nan))

    def path_from(self, T_base_tcp: Float64Array) -> ToolPath:
        """Begin with the tool where it is, and return the way of a tool that follows at once."""
        self._begin(T_base_tcp)
        targets = [T_base_tcp]
        for stamp, found in zip(self._hand.stamps.tolist(), self._hand.poses, strict=True):
            target = self._clutch.target(stamp, found, targets[-1])
            targets.append(targets[-1] if target is None else target)
        self._begin(T_base_tcp)
        stamps = np.concatenate([[0], self._hand.stamps + self._delay_ns])
        return ToolPath(stamps=stamps, poses=np.array(targets))

    def _begin(self, T_base_tcp: Float64Array) -> None:
        self.tool: Float64Array | None = None
        self._start = self._wanted = T_base_tcp
        self._clutch = Clutch(lost_after_ns=round(self._settings.lost_s * 1e9))
        self._row = 0
        self._targets: list[tuple[int, Float64Array]] = []

    def open(self, policy: PathPolicy) -> None:
        """Get ready to answer."""
        self._policy = policy

    def ask(self, observed: int, start: int) -> None:
        """Ask for what the hand has shown until an instant."""
        if self._policy is None:
            raise HandloomError("The hand was not started; call open first.")
        now = observed - start
        if now >= self._hand.duration_ns + self._delay_ns:
            return
        self._follow(now)
        due = [(stamp + self._delay_ns, target) for stamp, target in self._targets]
        ahead = [(stamp, target) for stamp, target in due if stamp > now]
        every = -(-len(ahead) // _MOST_WAYPOINTS)
        kept = ahead[::-1][::every][::-1] if ahead else [(now + self._delay_ns, self._wanted)]
        self._targets = self._targets[-len(ahead) :] if ahead else []
        self._waiting.append(self._chunk(kept, observed, start, self._policy))

    def _follow(self, now: int) -> None:
        """Take in the poses of the hand until an instant, ns after the start."""
        tool = self._start if self.tool is None else self.tool
        while self._row < len(self._hand.stamps) and self._hand.stamps[self._row] <= now:
            stamp = int(self._hand.stamps[self._row])
            target = self._clutch.target(stamp, self._hand.poses[self._row], tool)
            if target is not None:
                self._wanted = target
                self._targets.append((stamp, target))
            self._row += 1

    def _chunk(self, kept: list[tuple[int, Float64Array]], observed: int, start: int, names: PathPolicy) -> Chunk:
        return Chunk(
            stamps=start + np.array([stamp for stamp, _ in kept], dtype=np.int64),
            poses=np.array([target for _, target in kept]),
            widths_m=np.full(len(kept), np.nan),
            observed=observed,
            frame=names.frame,
            body=names.body,
            clock=names.clock,
        )

    def poll(self) -> Chunk | None:
        """Return a chunk that has arrived; None when none has."""
        return self._waiting.pop(0) if self._waiting else None

    def close(self) -> None:
        """Forget what is waiting."""
        self._waiting.clear()
