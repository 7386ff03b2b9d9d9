"""Half an hour of a simulated arm under a policy at 10 Hz whose chunks come late, twice, stale or not at all.

Every cycle is looked at. Time is the robot's own, so that it passes as fast as the machine can.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import attrs

from benchmarks.harness import Bar, Measured
from benchmarks.rollout_checks import Watch
from benchmarks.rollout_chunks import Unreliable, Wandering
from handloom.geometry import pose
from handloom_controllers.control.tracking import tracking
from handloom_controllers.impedance import Impedance, ImpedanceConfig
from handloom_controllers.realtime import LoopSettings, LoopStatus, RealTimeLoop, WaySettings
from handloom_simulation.arm.robots import MujocoFr3
from handloom_simulation.arm.settings import MujocoFr3Config

MINUTES, QUICK_MINUTES = 30.0, 3.0
TOOL = (0.0, 0.0, 0.1034, 0.0, 0.0, -0.382683432, 0.923879533)
"""Between the fingers of the Franka Hand, in the flange."""

_CYCLES = 20
"""Between two looks at what has arrived."""

_BLOCK = 100
"""Looks after which the telemetry is taken out."""

_SETTINGS = LoopSettings(
    hold_s=0.5, telemetry_every=1, telemetry_room=1 << 14, way=WaySettings(max_speed_m_per_s=0.5)
)
_TORQUE_STEP_NM = 1.0


@attrs.frozen(kw_only=True)
class Rollout:
    """What became of a rollout.

    Attributes:
        status: The loop's at the end.
        watch: What was found in its cycles.
        sent: Chunks of each kind.
        minutes: Of simulated time.
        growth_mib: By how much the process has grown since a tenth of it was over.
        rms_mm: Of the last seconds, the tool against its reference.
        times_real_time: Simulated time by wall time.
    """

    status: LoopStatus
    watch: Watch
    sent: Mapping[str, int]
    minutes: float
    growth_mib: float
    rms_mm: float
    times_real_time: float


def rollout(minutes: float, *, seed: int = 0) -> Rollout:
    """Move the arm so long, or until it stops."""
    robot = MujocoFr3(MujocoFr3Config(first_stamp_ns=10**9, model_error=0.02, seed=seed))
    # mypy does not see through a converter that is a plain type.
    law = Impedance(ImpedanceConfig(T_flange_tcp=TOOL, torque_step_nm=_TORQUE_STEP_NM))
    way = _SETTINGS.way
    watch = Watch(
        robot.limits,
        torque_step_nm=_TORQUE_STEP_NM,
        speeds=(way.max_speed_m_per_s, way.max_speed_rad_per_s),
    )
    began = time.monotonic()
    with robot, RealTimeLoop(robot, law, _SETTINGS) as loop:
        start = robot.read()
        wandering = Wandering(pose.compose(start.T_base_flange, TOOL), seed)
        line = Unreliable(wandering, start.stamp, seed)
        looks, settled_mib = round(minutes * 60_000 / _CYCLES), 0.0
        for look in range(looks):
            for chunk in line.arrived(start.stamp + look * _CYCLES * _SETTINGS.period_ns):
                loop.push(chunk)
            loop.run(_CYCLES)
            if look % _BLOCK == _BLOCK - 1 or look == looks - 1:
                records = loop.telemetry()
                watch.look(records)
                if loop.status().phase not in ("following", "holding"):
                    break
            if look == looks // 10:
                settled_mib = resident_mib()
        status = loop.status()
        grown = resident_mib() - settled_mib
    followed = tracking(records["stamp_ns"], records["reference"], records["T_base_tcp"])
    return Rollout(
        status=status,
        watch=watch,
        sent=dict(sorted(line.sent.items())),
        minutes=(status.stamp - start.stamp) / 60e9,
        growth_mib=grown,
        rms_mm=followed.rms_mm,
        times_real_time=(status.stamp - start.stamp) * 1e-9 / (time.monotonic() - began),
    )


def resident_mib() -> float:
    """Return the memory that this process holds, MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars of one rollout."""
    minutes = QUICK_MINUTES if quick else MINUTES

    @cache
    def made() -> Rollout:
        return rollout(minutes)

    return (
        Bar(
            name="rollout: time without a stop",
            goal=minutes - 0.01,
            compare=">=",
            unit="simulated minutes",
            measure=lambda: _time(made()),
        ),
        Bar(
            name="rollout: reflexes of the arm",
            goal=0,
            compare="<=",
            unit="reflexes",
            measure=lambda: Measured(value=len(made().status.reflexes)),
        ),
        Bar(
            name="rollout: cycles beyond a limit of joint, torque, its rate or the reference",
            goal=0,
            compare="<=",
            unit="cycles",
            measure=lambda: _violations(made()),
        ),
        Bar(
            name="rollout: growth of memory after the first tenth",
            goal=2.0,
            compare="<=",
            unit="MiB",
            measure=lambda: Measured(value=made().growth_mib, figures={"resident_mib": resident_mib()}),
        ),
    )


def _time(made: Rollout) -> Measured:
    sent = {f"chunks_{kind.replace(' ', '_')}": float(count) for kind, count in made.sent.items()}
    taken = {"taken": float(made.status.chunks_taken), "refused": float(made.status.chunks_refused)}
    return Measured(value=made.minutes, figures={**sent, **taken, "times_real_time": made.times_real_time})


def _violations(made: Rollout) -> Measured:
    nearest = {f"{name.replace(' ', '_')}_share": share for name, share in made.watch.furthest.items()}
    return Measured(value=float(made.watch.found.total()), figures={**nearest, "last_rms_mm": made.rms_mm})
