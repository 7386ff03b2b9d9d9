"""Every device's own clock, and the instants at which a device samples by it."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt

from handloom.time import ClockMap

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

SIM = "sim"

LARGEST_DRIFT_PPM = 50.0
"""Of a common crystal at room temperature. Source: data sheets of 24 MHz crystals, ±20 to ±50."""


@attrs.frozen(kw_only=True)
class DeviceClocks:
    """The clocks of one take, each as a map from simulation time.

    Attributes:
        gopro: Time within the GoPro's file: 0 at its first frame.
        pi: The Pi's monotonic clock, nanoseconds since it booted.
        wall: The Pi's wall clock, nanoseconds since 1970 UTC; runs with `pi`, as both hang on one crystal.
        optitrack: Time within the OptiTrack take.
        vr: The VR tracker's own clock.
    """

    gopro: ClockMap
    pi: ClockMap
    wall: ClockMap
    optitrack: ClockMap
    vr: ClockMap

    def __iter__(self) -> Iterator[ClockMap]:
        return iter((self.gopro, self.pi, self.wall, self.optitrack, self.vr))


def random_clocks(
    seed: int,
    *,
    started_ns: int,
    gopro_start_ns: int,
    wall_ns: int,
    largest_drift_ppm: float = LARGEST_DRIFT_PPM,
) -> DeviceClocks:
    """Return the clocks of a take that begins some time after its scene did.

    The same seed gives the same crystals, so that the clocks of all takes of a scene run on without a step; only
    the GoPro begins each file at 0.

    Args:
        seed: Of drifts and offsets.
        started_ns: How long the scene has lasted at instant 0 of the take, ns.
        gopro_start_ns: Simulation time of the GoPro's first frame.
        wall_ns: True time of day at the scene's beginning, ns since 1970 UTC.
        largest_drift_ppm: Drifts are drawn evenly between minus and plus this.
    """
    rng = np.random.default_rng([seed, 101])
    drifts = rng.uniform(-largest_drift_ppm, largest_drift_ppm, 4)
    uptime_ns = int(rng.integers(600, 7200) * 10**9 + rng.integers(10**9))
    # The edge that starts OptiTrack comes a little before the first take; a tracker's runtime is up for a while.
    optitrack_ns, vr_ns = int(rng.integers(1, 2 * 10**9)), int(rng.integers(30, 600) * 10**9)

    def clock(name: str, at_scene_start_ns: int, drift_ppm: float) -> ClockMap:
        whole = ClockMap(source=SIM, target=name, offset_ns=at_scene_start_ns, drift_ppm=float(drift_ppm))
        return attrs.evolve(whole, offset_ns=int(whole.apply(started_ns)))

    return DeviceClocks(
        gopro=ClockMap(
            source=SIM,
            target="gopro",
            offset_ns=-gopro_start_ns,
            origin_ns=gopro_start_ns,
            drift_ppm=float(drifts[0]),
        ),
        pi=clock("pi", uptime_ns, drifts[1]),
        wall=clock("wall", wall_ns, drifts[1]),
        optitrack=clock("optitrack", optitrack_ns, drifts[2]),
        vr=clock("vr", vr_ns, drifts[3]),
    )


@attrs.frozen(kw_only=True)
class Sampling:
    """Instants evenly spaced on a device's own clock.

    Attributes:
        clock: Map from simulation time to the device's clock.
        start_ns: Simulation time of the first instant.
        rate_hz: By the device's own clock.
        count: How many.
    """

    clock: ClockMap
    start_ns: int
    rate_hz: float
    count: int

    @classmethod
    def within(cls, clock: ClockMap, *, start_ns: int, end_ns: int, rate_hz: float) -> Sampling:
        """Return the instants from one simulation time to another, the last included if it is one."""
        periods = (end_ns - start_ns) * 1e-9 * clock.rate * rate_hz
        return cls(clock=clock, start_ns=start_ns, rate_hz=rate_hz, count=max(int(np.floor(periods)) + 1, 0))

    def instants_s(self) -> FloatArray:
        """Return simulation times, (count,) s since instant 0 of the take."""
        times: FloatArray = self.start_ns * 1e-9 + np.arange(self.count) / (self.rate_hz * self.clock.rate)
        return times

    def instants_ns(self) -> Int64Array:
        """Return simulation times, (count,) int64 ns."""
        step_ns = 1e9 / (self.rate_hz * self.clock.rate)
        instants: Int64Array = self.start_ns + np.rint(np.arange(self.count) * step_ns).astype(np.int64)
        return instants

    def stamps_ns(self) -> Int64Array:
        """Return what the device stamps them with, (count,) int64 ns on its own clock."""
        first = int(self.clock.apply(self.start_ns))
        stamps: Int64Array = first + np.rint(np.arange(self.count) * (1e9 / self.rate_hz)).astype(np.int64)
        return stamps
