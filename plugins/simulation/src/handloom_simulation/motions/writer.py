"""Writes a script move by move."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom_simulation.motions.script import Script, Stance, Track

FloatArray = npt.NDArray[np.float64]

_TURN_RAD_PER_S = 0.8
"""Mean turning speed of a free move; the camera is a quarter of a metre from the point it turns about."""

_SHORTEST_S = 0.25
"""No free move is quicker, however short its way."""

_BRISKEST = 1.6
"""By how much rests and the jaw are hurried at the most; they never take longer than usual."""


class ScriptWriter:
    """Collects way-points; each call goes on where the last one ended."""

    def __init__(self, start: Stance, width_m: float, *, speed_m_per_s: float, pace: float = 1.0) -> None:
        """Begin at rest.

        Args:
            start: Where the tool is.
            width_m: How far the jaw is open.
            speed_m_per_s: Mean speed of a free move.
            pace: By how much free moves are hurried.
        """
        self.stance, self.width_m = start, width_m
        self._speed, self._pace, self._brisk = speed_m_per_s, pace, min(max(pace, 1.0), _BRISKEST)
        self._now = 0.0
        self._tool: list[tuple[float, FloatArray, FloatArray | None]] = [(0.0, start.as_row(), np.zeros(6))]
        self._jaw: list[tuple[float, float]] = [(0.0, width_m)]

    def rest(self, seconds: float) -> None:
        """Stay where it is for about so long."""
        self.wait(seconds / self._brisk)

    def wait(self, seconds: float) -> None:
        """Stay where it is for just so long."""
        if seconds > 0.0:
            self._reach(seconds, np.zeros(6))

    def go(
        self,
        tcp_m: npt.ArrayLike,
        *,
        yaw_rad: float | None = None,
        pitch_rad: float | None = None,
        roll_rad: float | None = None,
        through: bool = False,
        slowly: float = 1.0,
    ) -> None:
        """Move freely.

        Args:
            tcp_m: (3,) m in world.
            yaw_rad: New yaw; None keeps it. Likewise the others.
            pitch_rad: New pitch.
            roll_rad: New roll.
            through: Pass this point without stopping.
            slowly: By how much slower than usual.
        """
        before = self.stance.as_row()
        self._turn(tcp_m, yaw_rad, pitch_rad, roll_rad)
        way = np.abs(self.stance.as_row() - before)
        seconds = max(
            float(np.linalg.norm(way[:3])) / self._speed, float(way[3:].max()) / _TURN_RAD_PER_S, _SHORTEST_S
        )
        self._reach(seconds * slowly / self._pace, None if through else np.zeros(6))

    def swing(self, tcp_m: npt.ArrayLike, seconds: float, velocity: npt.ArrayLike) -> None:
        """Move in a set time and arrive with a velocity, (3,) m/s in world; orientation stays."""
        self._turn(tcp_m, None, None, None)
        self._reach(seconds, np.concatenate([np.asarray(velocity, dtype=np.float64), np.zeros(3)]))

    def jaw(self, width_m: float, seconds: float, *, delay_s: float = 0.0, wait: bool = True) -> None:
        """Open or close the jaw, while the tool rests, or without waiting for it and then in just that time."""
        if wait:
            seconds /= self._brisk
        start = self._now + delay_s
        if start > self._jaw[-1][0]:
            self._jaw.append((start, self.width_m))
        self.width_m = width_m
        self._jaw.append((start + seconds, width_m))
        if wait:
            self.wait(delay_s + seconds)

    def script(self) -> Script:
        """Return what was written."""
        times = np.array([time for time, _, _ in self._tool])
        values = np.array([value for _, value, _ in self._tool])
        passing = _passing_velocities(times, values)
        chosen = [passing[k] if velocity is None else velocity for k, (_, _, velocity) in enumerate(self._tool)]
        if self._jaw[-1][0] < self._now:
            self._jaw.append((self._now, self.width_m))
        jaw_times, widths = np.array(self._jaw).T
        return Script(
            tool=Track(times_s=times, values=values, velocities=np.array(chosen)),
            jaw=Track(times_s=jaw_times, values=widths[:, None], velocities=np.zeros((len(jaw_times), 1))),
        )

    def _turn(self, tcp_m: npt.ArrayLike, yaw: float | None, pitch: float | None, roll: float | None) -> None:
        x, y, z = np.asarray(tcp_m, dtype=np.float64).tolist()
        turned = {"yaw_rad": yaw, "pitch_rad": pitch, "roll_rad": roll}
        known = {name: value for name, value in turned.items() if value is not None}
        self.stance = attrs.evolve(self.stance, tcp_m=(x, y, z), **known)

    def _reach(self, seconds: float, velocity: FloatArray | None) -> None:
        self._now += seconds
        self._tool.append((self._now, self.stance.as_row(), velocity))


def _passing_velocities(times: FloatArray, values: FloatArray) -> FloatArray:
    """Return the velocity to pass each point with, (K, C), such that no channel overshoots; 0 at both ends.

    Source: Fritsch and Butland, "A method for constructing local monotone piecewise cubic interpolants", SIAM
    Journal on Scientific and Statistical Computing 5 (1984): the harmonic mean of the slopes on both sides, 0
    where they differ in sign.
    """
    velocities = np.zeros_like(values)
    slopes = np.diff(values, axis=0) / np.diff(times)[:, None]
    before, after = slopes[:-1], slopes[1:]
    onward = before * after > 0.0
    total = np.where(onward, before + after, 1.0)
    velocities[1:-1] = np.where(onward, 2.0 * before * after / total, 0.0)
    return velocities
