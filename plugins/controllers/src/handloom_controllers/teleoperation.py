"""The relative motion of teleoperation: the tool moves as the hand does, each seen in its own axes.

Frames: `world` is the tracker's and may lie anywhere; `hand` is the tracked body; `base` is the robot's.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom.geometry import pose

Float64Array = npt.NDArray[np.float64]


def relative_motion(
    T_base_start: Float64Array, T_world_hand0: Float64Array, T_world_hand: Float64Array
) -> Float64Array:
    """Return (7,) T_base_target = T_base_start * (T_world_hand0^-1 * T_world_hand).

    The hand's motion since the start is one transform, in the axes that the hand had then; the tool makes that
    same transform in the axes that it had then. Translation and turn are never taken apart, so a hand that swings
    about a point makes the tool swing about the same point, and where the tracker has its world does not matter.

    Args:
        T_base_start: (7,) the tool when the motion began, metres and quaternion x y z w.
        T_world_hand0: (7,) the hand then.
        T_world_hand: (7,) the hand now.

    Raises:
        HandloomError: One of them is no pose.
    """
    for name, given in (("tool", T_base_start), ("hand's start", T_world_hand0), ("hand", T_world_hand)):
        if not is_pose(given):
            raise HandloomError(
                f"The pose of the {name} is {np.asarray(given).tolist()}; expected 7 finite numbers, the last "
                "four a quaternion of norm 1."
            )
    moved = pose.compose(pose.inverse(T_world_hand0), T_world_hand)
    return pose.compose(T_base_start, moved)


def is_pose(given: npt.ArrayLike) -> bool:
    """Tell whether something is (7,) finite numbers with a unit quaternion."""
    found = np.asarray(given, dtype=np.float64)
    if found.shape != (7,) or not np.isfinite(found).all():
        return False
    return abs(float(np.linalg.norm(found[3:])) - 1) < 1e-3


class Clutch:
    """Couples a tool to a hand where both are, and anew after the hand was lost.

    Each time it engages, the tool stays where it really is: neither a tracker that finds the hand again elsewhere
    nor a target that was never reached becomes a leap.
    """

    def __init__(self, *, lost_after_ns: int) -> None:
        """Begin open.

        Args:
            lost_after_ns: It opens when no pose of the hand came for longer than this; shorter gaps are bridged.
        """
        self._lost_after_ns = lost_after_ns
        self._engaged_at: tuple[Float64Array, Float64Array] | None = None
        self._seen = 0

    def open(self) -> None:
        """Let go of the hand; the next pose engages anew."""
        self._engaged_at = None

    def target(self, stamp: int, T_world_hand: Float64Array, T_base_tool: Float64Array) -> Float64Array | None:
        """Return (7,) T_base_target where the tool shall be; None while the hand is lost.

        Args:
            stamp: int64 ns of the hand's pose.
            T_world_hand: (7,); anything that is no pose is a lost one.
            T_base_tool: (7,) where the tool is, which holds when it engages.

        Raises:
            HandloomError: It has to engage, and the tool's pose is none.
        """
        if not is_pose(T_world_hand):
            return None
        if not 0 <= stamp - self._seen <= self._lost_after_ns:
            self.open()
        self._seen = stamp
        if self._engaged_at is None:
            engaged = np.array(T_base_tool), np.array(T_world_hand)
            target = relative_motion(*engaged, T_world_hand)
            self._engaged_at = engaged
            return target
        return relative_motion(*self._engaged_at, T_world_hand)
