"""How well the arm follows a chirp that comes in chunks, ten a second."""

from __future__ import annotations

import attrs
import numpy as np

from benchmarks.control_arm_lab import Float64Array, arm, chunk, law
from handloom.geometry import pose
from handloom_controllers.realtime import LoopSettings, RealTimeLoop

AMPLITUDE_M = 0.03
FROM_HZ, TO_HZ = 0.1, 1.0
CHUNK_S = 0.1
WAYPOINT_S = 0.02
WAYPOINTS = 20
MOST_LAG_S = 0.2


@attrs.frozen(kw_only=True)
class Tracked:
    """How far the tool was from where it should have been.

    Attributes:
        rms_m: Of the distance, over the whole chirp.
        lag_s: By which it fits best when it is moved back in time.
    """

    rms_m: float
    lag_s: float


def chirp(times_s: Float64Array, seconds: float) -> Float64Array:
    """Return the offset (n,) m: a sine whose frequency rises linearly, from rest and not before 0."""
    t = np.clip(times_s, 0.0, seconds)
    phase = 2 * np.pi * (FROM_HZ * t + (TO_HZ - FROM_HZ) * t**2 / (2 * seconds))
    return AMPLITUDE_M * np.sin(phase)


def tracked(*, feed_forward: bool, seconds: float) -> Tracked:
    """Let the arm follow the chirp sideways, and compare."""
    settings = LoopSettings(telemetry_every=1, telemetry_room=1 << 16)
    robot, controller = arm(), law(feed_forward=feed_forward)
    with robot, RealTimeLoop(robot, controller, settings) as loop:
        at_start = pose.compose(robot.read().T_base_flange, controller.T_flange_tcp)
        for number in range(round(seconds / CHUNK_S)):
            now_s = number * CHUNK_S
            times = np.linspace(now_s + WAYPOINT_S, now_s + WAYPOINTS * WAYPOINT_S, WAYPOINTS)
            positions = at_start[:3] + np.outer(chirp(times, seconds), [0.0, 1.0, 0.0])
            loop.push(chunk(times, positions, at_start, now_s + 1e-6))
            loop.run(round(CHUNK_S * 1e3))
        records = loop.telemetry()
        assert loop.status().phase == "following", loop.status()
    times = records["stamp_ns"] * 1e-9
    return _compared(times, records["T_base_tcp"][:, :3] - at_start[:3], seconds)


def _compared(times: Float64Array, offsets: Float64Array, seconds: float) -> Tracked:
    wanted = np.outer(chirp(times, seconds), [0.0, 1.0, 0.0])
    lags = np.arange(0.0, MOST_LAG_S, 1e-4)
    misfit = [np.sum((offsets[:, 1] - chirp(times - lag, seconds)) ** 2) for lag in lags]
    rms = float(np.sqrt(np.mean(np.sum((offsets - wanted) ** 2, axis=1))))
    return Tracked(rms_m=rms, lag_s=float(lags[int(np.argmin(misfit))]))
