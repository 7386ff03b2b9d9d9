"""Telemetry as a robot's cycles, with a gap wherever records are missing."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import RobotState
from handloom.errors import RecordingError
from handloom.geometry import pose
from handloom_controllers.arms import Arm
from handloom_controllers.arms.chain import Chain
from handloom_controllers.native.structs import REFLEXES, names_of
from handloom_controllers.replaying.weight import Weight

Float64Array = npt.NDArray[np.float64]

MOST_CYCLES = 100_000_000
"""More than a day at 1 kHz; stamps that are farther apart are no recording of one motion."""


@attrs.frozen(kw_only=True, eq=False)
class Recording:
    """A recorded robot, cycle by cycle.

    Attributes:
        records: Of the telemetry.
        stamps: (n,) int64 ns of every cycle, those of a gap included.
        record: (n,) index of the record of each cycle; -1 in a gap.
        chain: Kinematics of the arm.
        compensates_gravity: Whether the arm adds gravity to a commanded torque by itself.
        weight: Tells gravity and Coriolis torques; None for NaN.
    """

    records: npt.NDArray[np.void]
    stamps: npt.NDArray[np.int64]
    record: npt.NDArray[np.int64]
    chain: Chain
    compensates_gravity: bool
    weight: Weight | None = None

    def state(self, cycle: int) -> RobotState:
        """Return what was measured; what telemetry doesn't hold, and all of it in a gap, is NaN."""
        count = len(self.chain.axes)
        if self.record[cycle] < 0:
            return _nothing(int(self.stamps[cycle]), count, compensates_gravity=self.compensates_gravity)
        row = self.records[self.record[cycle]]
        q = row["q"][:count].copy()
        known = bool(np.isfinite(q).all())
        dq = row["dq"][:count].copy()
        unknown = np.full(count, np.nan)
        gravity, coriolis = self.weight.torques(q, dq) if self.weight else (unknown, unknown)
        return RobotState(
            stamp=int(self.stamps[cycle]),
            q=q,
            dq=dq,
            tau=row["tau"][:count].copy(),
            jacobian=self.chain.jacobian(q) if known else np.full((6, count), np.nan),
            T_base_flange=pose.from_matrix(self.chain.forward(q)) if known else np.full(7, np.nan),
            coriolis=coriolis,
            gravity=gravity,
            wrench=row["wrench_measured"].copy(),
            width_m=float(row["width_m"]),
            compensates_gravity=self.compensates_gravity,
            reflexes=names_of(int(row["reflexes"]), REFLEXES),
        )

    def commanded(self, cycle: int) -> tuple[Float64Array, float]:
        """Return the torques (n,) and the width that were commanded; NaN in a gap."""
        count = len(self.chain.axes)
        if self.record[cycle] < 0:
            return np.full(count, np.nan), float("nan")
        row = self.records[self.record[cycle]]
        return row["tau_command"][:count].copy(), float(row["width_reference"])


def read_recording(path: Path, arm: Arm) -> Recording:
    """Read telemetry and find its gaps.

    Raises:
        RecordingError: It can't be read, holds less than two records, is of another arm, or its stamps don't rise.
    """
    # Listing the robot must not import all that runs one.
    from handloom_controllers.control.telemetry import read_telemetry

    records = read_telemetry(path)
    if len(records) < 2:
        raise RecordingError(f"{path} holds {len(records)} records; expected two or more.")
    joints = np.unique(records["joints"])
    if joints.tolist() != [len(arm.joints)]:
        raise RecordingError(
            f"{path} is of a robot with {', '.join(map(str, joints))} joints; {arm.name} has {len(arm.joints)}. "
            "Name the arm that was recorded."
        )
    stamps, record = with_gaps(records["stamp_ns"], path)
    return Recording(
        records=records,
        stamps=stamps,
        record=record,
        chain=arm.chain,
        compensates_gravity=arm.compensates_gravity,
    )


def with_gaps(found: npt.NDArray[np.int64], path: Path) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the stamps of all cycles, and the index of each one's record, -1 where it is missing.

    The period is the median of the steps; a step of one and a half or more has cycles missing.

    Raises:
        RecordingError: The stamps don't rise, or are too far apart.
    """
    stamps = np.asarray(found, dtype=np.int64)
    steps = np.diff(stamps)
    if (steps <= 0).any():
        raise RecordingError(
            f"{path}: stamps fall after record {int(np.argmax(steps <= 0))}; expected them to rise."
        )
    missing = np.maximum(np.rint(steps / np.median(steps)).astype(np.int64) - 1, 0)
    if missing.sum() > MOST_CYCLES:
        raise RecordingError(
            f"{path}: records {int(np.argmax(missing))} and the next are {steps.max() * 1e-9:.0f} s apart; "
            "expected one motion."
        )
    places = np.arange(len(stamps)) + np.concatenate([[0], np.cumsum(missing)])
    count = int(places[-1]) + 1
    record = np.full(count, -1, dtype=np.int64)
    record[places] = np.arange(len(stamps))
    # Stamps count from the first, since float64 does not hold nanoseconds of an epoch.
    between = np.interp(np.arange(count), places, (stamps - stamps[0]).astype(np.float64))
    whole = stamps[0] + np.rint(between).astype(np.int64)
    whole[places] = stamps
    return whole, record


def _nothing(stamp: int, count: int, *, compensates_gravity: bool) -> RobotState:
    unknown = np.full(count, np.nan)
    return RobotState(
        stamp=stamp,
        q=unknown,
        dq=unknown,
        tau=unknown,
        jacobian=np.full((6, count), np.nan),
        T_base_flange=np.full(7, np.nan),
        coriolis=unknown,
        gravity=unknown,
        wrench=np.full(6, np.nan),
        compensates_gravity=compensates_gravity,
    )
