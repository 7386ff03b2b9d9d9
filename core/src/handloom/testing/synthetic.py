"""A made-up episode whose truth is known in closed form: a tool seen by a tracker, an IMU and a microphone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Rig
from handloom.geometry import quaternion
from handloom.streams import AUDIO, POSE, Samples, Stream, StreamType
from handloom.testing.memory_inputs import MemoryInputs
from handloom.time import ClockMap, ClockMaps

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

SIMULATION = "simulation"
"""Name of the clock the truth is on."""

GRAVITY_M_PER_S2 = 9.80665
"""Standard gravity. Source: 3rd CGPM, 1901; ISO 80000-3."""

CLICK_S = 0.5
"""When the microphone hears a click, in seconds of the simulation."""

_LOST_S = (0.9, 1.1)
_AXIS = np.array([2.0, -1.0, 2.0]) / 3.0


@attrs.frozen(kw_only=True, eq=False)
class SyntheticEpisode:
    """Streams on their devices' clocks, and the motion they were made from.

    Attributes:
        streams: By full name: "tracker.pose", "camera.acceleration", "camera.angular_velocity",
            "microphone.audio", "gripper.width".
        rig: The rig, with the true maps from the simulation's clock to each device's.
        amplitudes_m: (3,) of the sine on each axis.
        frequencies_hz: (3,)
        turn_rad: Amplitude of the turn about a fixed axis.
        turn_hz: Its frequency.
    """

    streams: Mapping[str, Stream]
    rig: Rig
    amplitudes_m: Float64Array
    frequencies_hz: Float64Array
    turn_rad: float
    turn_hz: float

    def true_poses(self, stamps: Int64Array) -> Float64Array:
        """Return (N, 7) T_world_tool at stamps of the simulation's clock."""
        phase = 2 * np.pi * stamps[:, None] * 1e-9 * self.frequencies_hz
        half = 0.5 * self.turn_rad * np.sin(2 * np.pi * self.turn_hz * stamps * 1e-9)
        turned = np.column_stack([np.sin(half)[:, None] * _AXIS, np.cos(half)])
        return np.column_stack([self.amplitudes_m * np.sin(phase), turned])

    def true_angular_velocity(self, stamps: Int64Array) -> Float64Array:
        """Return (N, 3) rad/s in the tool's axes at stamps of the simulation's clock."""
        rate = 2 * np.pi * self.turn_hz
        turning: Float64Array = (self.turn_rad * rate * np.cos(rate * stamps * 1e-9))[:, None] * _AXIS
        return turning

    def true_specific_force(self, stamps: Int64Array) -> Float64Array:
        """Return (N, 3) m/s^2 in the tool's axes: acceleration minus gravity, which points along -z of world."""
        rates = 2 * np.pi * self.frequencies_hz
        acceleration = -self.amplitudes_m * rates**2 * np.sin(stamps[:, None] * 1e-9 * rates)
        in_world = acceleration + np.array([0.0, 0.0, GRAVITY_M_PER_S2])
        return quaternion.rotate(quaternion.conjugate(self.true_poses(stamps)[:, 3:]), in_world)

    def clock_map(self, device: str) -> ClockMap:
        """Return the true map from the simulation's clock to a device's."""
        return next(known for known in self.rig.clock_maps if known.target == device)

    def inputs(self, **ports: str | Iterable[str]) -> MemoryInputs:
        """Wire streams to ports: one name, or several for a `many` port."""
        wired: dict[str, Stream | Mapping[str, Stream]] = {
            port: self.streams[names] if isinstance(names, str) else {name: self.streams[name] for name in names}
            for port, names in ports.items()
        }
        return MemoryInputs(wired=wired, rig=self.rig)


def synthetic_rig(seed: int = 0) -> Rig:
    """Return a rig of four devices whose clocks have offsets up to 5 s and drifts up to 50 ppm."""
    random = np.random.default_rng([seed, 1])
    maps = tuple(
        ClockMap(
            source=SIMULATION,
            target=device,
            offset_ns=int(random.integers(-5_000_000_000, 5_000_000_000)),
            drift_ppm=float(random.uniform(-50, 50)),
        )
        for device in ("camera", "gripper", "microphone", "tracker")
    )
    return Rig(name="synthetic", clock_maps=ClockMaps(maps))


def synthetic_episode(seed: int = 0, *, duration_s: float = 2.0) -> SyntheticEpisode:
    """Return an episode; the same seed gives the same bytes.

    The tracker is lost from 0.9 s to 1.1 s. There is no noise: what differs from the truth is the reader's doing.
    """
    random = np.random.default_rng([seed, 2])
    bare = SyntheticEpisode(
        streams={},
        rig=synthetic_rig(seed),
        amplitudes_m=random.uniform(0.05, 0.15, 3),
        frequencies_hz=random.uniform(0.3, 0.8, 3),
        turn_rad=float(random.uniform(0.3, 0.8)),
        turn_hz=float(random.uniform(0.3, 0.8)),
    )
    streams = {**_tracker(bare, duration_s), **_imu(bare, duration_s), **_microphone(bare, duration_s)}
    return attrs.evolve(bare, streams={**streams, **_gripper(bare, duration_s)})


def _times(rate_hz: float, duration_s: float) -> Int64Array:
    times: Int64Array = np.rint(np.arange(int(rate_hz * duration_s)) * (1e9 / rate_hz)).astype(np.int64)
    return times


def _tracker(episode: SyntheticEpisode, duration_s: float) -> dict[str, Stream]:
    times = _times(120, duration_s)
    poses = episode.true_poses(times)
    tracked = (times < _LOST_S[0] * 1e9) | (times >= _LOST_S[1] * 1e9)
    poses[~tracked] = np.nan
    type_ = attrs.evolve(POSE, frame="world", body="tool", clock="tracker")
    stamps = episode.clock_map("tracker").apply(times)
    return {"tracker.pose": Samples(type=type_, data=poses, stamps=stamps, tracked=tracked)}


def _imu(episode: SyntheticEpisode, duration_s: float) -> dict[str, Stream]:
    times = _times(200, duration_s)
    stamps = episode.clock_map("camera").apply(times)
    common = {"dtype": "float64", "shape": (3,), "frame": "tool", "clock": "camera"}
    force = StreamType(kind="acceleration", unit="m/s^2", **common)  # type: ignore[arg-type]
    turning = StreamType(kind="angular_velocity", unit="rad/s", **common)  # type: ignore[arg-type]
    return {
        "camera.acceleration": Samples(type=force, data=episode.true_specific_force(times), stamps=stamps),
        "camera.angular_velocity": Samples(type=turning, data=episode.true_angular_velocity(times), stamps=stamps),
    }


def _microphone(episode: SyntheticEpisode, duration_s: float) -> dict[str, Stream]:
    """Return silence with one click, at `CLICK_S` by the simulation's clock."""
    rate_hz = 16000
    sound = np.zeros((int(rate_hz * duration_s), 1), np.float32)
    sound[round(CLICK_S * rate_hz)] = 1.0
    ends = np.array([0, len(sound) - 1], np.int64)
    stamps = episode.clock_map("microphone").apply(np.rint(ends * (1e9 / rate_hz)).astype(np.int64))
    type_ = attrs.evolve(AUDIO, shape=(1,), clock="microphone")
    return {"microphone.audio": Samples(type=type_, data=sound, knots=np.column_stack([ends, stamps]))}


def _gripper(episode: SyntheticEpisode, duration_s: float) -> dict[str, Stream]:
    times = _times(60, duration_s)
    widths = 0.04 + 0.03 * np.cos(2 * np.pi * 0.5 * times * 1e-9)
    type_ = StreamType(kind="scalar", dtype="float64", unit="m", clock="gripper")
    stamps = episode.clock_map("gripper").apply(times)
    return {"gripper.width": Samples(type=type_, data=widths, stamps=stamps)}
