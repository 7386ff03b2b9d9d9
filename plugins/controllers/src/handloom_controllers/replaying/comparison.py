"""How the commands written to a recorded robot differ from those that it was given then."""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import RobotCommand

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class CommandComparison:
    """What the commands differ by, over all cycles so far.

    Attributes:
        cycles: Commands written.
        compared: Of these, with torques on both sides.
        rms_nm: (n,) root mean square of the torques' difference; NaN before anything was compared.
        max_nm: (n,) its greatest magnitude; likewise.
        max_width_m: Greatest difference of the gripper's width; NaN where none was commanded on both sides.
    """

    cycles: int
    compared: int
    rms_nm: Float64Array
    max_nm: Float64Array
    max_width_m: float

    def sentence(self) -> str:
        """Say it in a sentence."""
        if not self.compared:
            return f"None of {self.cycles} commands could be compared: one side has no torques."
        joint = int(np.argmax(self.max_nm))
        rms = float(np.sqrt(np.mean(self.rms_nm**2)))
        return (
            f"{self.compared} of {self.cycles} commands were compared with the recorded ones: they differ by "
            f"{rms:.3g} Nm (root mean square), at most {self.max_nm[joint]:.3g} Nm at joint {joint + 1}."
        )


class Comparison:
    """Adds up differences, cycle by cycle."""

    def __init__(self, joints: int) -> None:
        self._cycles = 0
        self._compared = 0
        self._squares = np.zeros(joints)
        self._most = np.zeros(joints)
        self._width = math.nan

    def add(self, command: RobotCommand, torques: Float64Array, width_m: float) -> None:
        """Hold a command against the recorded one.

        Args:
            command: Written in this cycle.
            torques: (n,) recorded, Nm; NaN where none was.
            width_m: Recorded; NaN where none was.
        """
        self._cycles += 1
        self._width = float(np.fmax(self._width, abs(command.width_m - width_m)))
        if command.tau is None or not np.isfinite(torques).all():
            return
        difference = np.abs(command.tau - torques)
        self._compared += 1
        self._squares += difference**2
        self._most = np.maximum(self._most, difference)

    def result(self) -> CommandComparison:
        """Return what it comes to."""
        nothing = np.full_like(self._most, np.nan)
        return CommandComparison(
            cycles=self._cycles,
            compared=self._compared,
            rms_nm=np.sqrt(self._squares / self._compared) if self._compared else nothing,
            max_nm=self._most.copy() if self._compared else nothing,
            max_width_m=self._width,
        )
