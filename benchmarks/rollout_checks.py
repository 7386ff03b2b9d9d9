"""What must never happen to an arm, looked for in every single cycle of its telemetry."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from handloom.api import JointLimits
from handloom.geometry import quaternion

Records = npt.NDArray[np.void]

_ROUNDING = 1e-9


class Watch:
    """Counts violations over blocks of records that follow one another.

    Attributes:
        found: Cycles with each kind of violation.
        furthest: How near to its limit each quantity came, 1 being the limit itself.
    """

    def __init__(self, limits: JointLimits, *, torque_step_nm: float, speeds: tuple[float, float]) -> None:
        """Say what is allowed.

        Args:
            limits: Of the joints.
            torque_step_nm: Change of a torque command in a cycle.
            speeds: Caps on the reference, m/s and rad/s.
        """
        self._limits, self._step, self._speeds = limits, torque_step_nm, speeds
        self._last: Records | None = None
        self.found: Counter[str] = Counter()
        self.furthest: dict[str, float] = {}

    def look(self, records: Records) -> None:
        """Look at the next records, one a cycle."""
        if not len(records):
            return
        joined = records if self._last is None else np.concatenate([self._last, records])
        self._last = records[-1:].copy()
        self._joints(records)
        self._steps(joined)

    def _joints(self, records: Records) -> None:
        limits, count = self._limits, len(self._limits.names)
        q, dq, tau = (records[name][:, :count] for name in ("q", "dq", "tau_command"))
        half = 0.5 * (limits.upper - limits.lower)
        self._within("position", np.abs(q - limits.lower - half) / half)
        self._within("velocity", np.abs(dq) / limits.velocity)
        self._within("torque", np.abs(tau) / limits.torque)

    def _steps(self, joined: Records) -> None:
        elapsed = np.diff(joined["stamp_ns"]) * 1e-9
        torque = np.abs(np.diff(joined["tau_command"], axis=0)).max(axis=1, initial=0.0)
        self._within("torque rate", torque / self._step)
        reference = joined["reference"]
        way = np.linalg.norm(np.diff(reference[:, :3], axis=0), axis=1)
        turn = quaternion.angle_between(reference[1:, 3:], reference[:-1, 3:])
        self._within("reference speed", way / (self._speeds[0] * elapsed))
        self._within("reference turning", turn / (self._speeds[1] * elapsed))

    def _within(self, name: str, shares: npt.NDArray[np.float64]) -> None:
        """Count the rows in which a share of a limit is above 1 or no number."""
        rows = shares.reshape(len(shares), -1)
        bad = ~(rows <= 1.0 + _ROUNDING).all(axis=1)
        self.found[name] += int(bad.sum())
        self.furthest[name] = max(self.furthest.get(name, 0.0), float(rows.max(initial=0.0)))
