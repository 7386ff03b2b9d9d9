"""The quickest way to a target by ruckig, whose answers are taken as proposals only.

Ruckig's community build sends what it is asked to a cloud service as soon as way-points are set
(pantor/ruckig#112). Nothing here can set any: the only inputs are a motion, one target and the bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError, PluginError
from handloom_controllers.gate.path import Motion, Path
from handloom_controllers.gate.settings import Bounds

Float64Array = npt.NDArray[np.float64]


class NoPathError(HandloomError):
    """Raised when ruckig gives no way to a target; the caller plans one in closed form."""


class Planner:
    """Asks ruckig, with buffers that are made once."""

    def __init__(self, joints: int) -> None:
        """Make the buffers.

        Args:
            joints: How many there are.

        Raises:
            PluginError: Ruckig is not installed.
        """
        ruckig = _ruckig()
        self._errors: tuple[type[Exception], ...] = (ruckig.RuckigError, ValueError, TypeError, OverflowError)
        self._solver = ruckig.Ruckig(joints)
        self._input = ruckig.InputParameter(joints)
        # Each joint by itself: a late joint then never makes another leave the shortest way, and the step that
        # synchronises is the one with the known numeric failures (pantor/ruckig#58, #96, #160).
        self._input.synchronization = ruckig.Synchronization.No
        self._output = ruckig.Trajectory(joints)

    def path(self, start: Motion, target: Float64Array, bounds: Bounds) -> Path:
        """Return the quickest way to rest at a target.

        Args:
            start: Where it begins.
            target: (n,) rad.
            bounds: What it keeps; the range is not looked at.

        Raises:
            NoPathError: Ruckig found none.
        """
        given = self._input
        # Lists, because they are handed over ten times faster than arrays.
        given.max_velocity = bounds.speed.tolist()
        given.max_acceleration = bounds.acceleration.tolist()
        given.max_jerk = bounds.jerk.tolist()
        given.current_position, given.current_velocity = start.q.tolist(), start.dq.tolist()
        given.current_acceleration = start.ddq.tolist()
        given.target_position = target.tolist()
        try:
            result = self._solver.calculate(given, self._output)
        except self._errors as error:
            raise NoPathError(f"Ruckig finds no way to the target: {str(error).splitlines()[0]}.") from error
        if result < 0:
            raise NoPathError(f"Ruckig finds no way to the target: {result}.")
        return _integrated(start, self._output.profiles[0])


def _integrated(start: Motion, profiles: Any) -> Path:
    """Return the path of ruckig's durations and jerks: two segments that brake into the limits, then seven."""
    durations = np.array([[*each.brake.t, *each.t] for each in profiles])
    jerks = np.array([[*each.brake.j, *each.j] for each in profiles])
    return Path(start, durations.T, jerks.T)


def _ruckig() -> Any:
    try:
        import ruckig
    except ImportError as error:
        raise PluginError(
            "The safety gate needs ruckig, which is not installed; pip install 'handloom-controllers[gate]'."
        ) from error
    return ruckig
