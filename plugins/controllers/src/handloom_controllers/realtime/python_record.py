"""One cycle of a PythonLoop as a telemetry record."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.api import RobotState
from handloom_controllers.native.structs import FAULTS, PHASES, new
from handloom_controllers.realtime.python_cycle import PythonCycle, Wake


def record_of(cycle: PythonCycle, wake: Wake, compute_ns: int) -> npt.NDArray[np.void]:
    """Return a cycle as hl_telemetry; what a law in Python does not tell is NaN."""
    record = new("hl_telemetry")
    record["stamp_ns"], record["lateness_ns"], record["compute_ns"] = cycle.now, wake.lateness_ns, compute_ns
    record["phase"], record["missed"] = PHASES.index(cycle.phase), cycle.missed
    record["faults"] = sum(1 << FAULTS.index(kind) for kind in cycle.faults)
    record["reflexes"], record["chunks"] = cycle.status["reflexes"], cycle.status["chunks_taken"]
    for name in ("T_base_tcp", "reference", "twist", "error", "wrench_command", "wrench_measured"):
        record[name] = np.nan
    record["width_m"] = record["width_reference"] = record["width_force"] = np.nan
    if cycle.state is not None:
        _fill_measured(record, cycle, cycle.state)
    if cycle.reference is not None:
        record["reference"], record["twist"] = cycle.reference.pose, cycle.reference.twist
        record["width_reference"] = cycle.reference.width_m
    return record


def _fill_measured(record: npt.NDArray[np.void], cycle: PythonCycle, state: RobotState) -> None:
    n = len(state.q)
    record["joints"] = n
    for name in ("q", "dq", "tau"):
        record[name][:n] = getattr(state, name)
    record["tau_command"][:n] = np.nan if cycle.command.tau is None else cycle.command.tau
    record["T_base_tcp"], record["wrench_measured"] = cycle.measured(), state.wrench
    record["width_m"], record["width_force"] = state.width_m, state.grip_force_n
