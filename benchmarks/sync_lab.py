"""The clock sync on the simulated lab's own microphones: loudspeaker and both recorders on one gripper."""

from __future__ import annotations

from functools import cache

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from benchmarks.sync_rooms import SWEEP_S
from handloom.api import Rig, clock_map_of
from handloom.errors import StepError
from handloom.geometry import FrameTree
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs
from handloom.time import ClockMap
from handloom_sensors.sync.chirp_settings import ChirpSyncConfig
from handloom_sensors.sync.chirp_sync import ChirpSync
from handloom_simulation.devices.clocks import SIM, Sampling
from handloom_simulation.devices.microphones import MICROPHONES, record_sound
from handloom_simulation.devices.sound_settings import SoundSettings
from handloom_simulation.gripper import MOUNTED
from handloom_simulation.take import Take

SETTINGS = ChirpSyncConfig(
    speaker_frame="speaker",
    first_frame=MICROPHONES["camera"],
    second_frame=MICROPHONES["air"],
    temperature_uncertainty_c=0.0,
)
RECORDERS = {"first": ("camera", 48_000), "second": ("air", 16_000)}
_LENGTH_S = 3.0


def lab_sync_bars(*, quick: bool) -> list[Bar]:
    """Return the bars of the clock sync in the lab; here the noise is that much below the straight sound."""
    trials = 8 if quick else 60
    return [_bar(0.0, trials, 5.0), _bar(-15.0, trials, 25.0)]


def _bar(snr_db: float, trials: int, goal_us: float) -> Bar:
    return Bar(
        name=f"sync: clock offset in the simulated lab at {snr_db:g} dB, at the chirp's centre, median error",
        goal=goal_us,
        compare="<=",
        unit="us",
        measure=lambda: _measured(snr_db, trials),
    )


@cache
def _errors_us(snr_db: float, trials: int) -> tuple[float, ...]:
    return tuple(_error_us(snr_db, number) for number in range(trials))


def _measured(snr_db: float, trials: int) -> Measured:
    errors = np.abs(_errors_us(snr_db, trials))
    return Measured(
        value=float(np.nanmedian(errors)),
        figures={"p90_us": float(np.nanpercentile(errors, 90)), "found": float(np.mean(errors < 100.0))},
    )


def _error_us(snr_db: float, number: int) -> float:
    """Return the error of the map at the chirp's centre; NaN when it was refused."""
    rng = np.random.default_rng([number, 6])
    take = _standing(rng.uniform([-1.0, -0.8, 0.1], [1.0, 0.8, 0.8]), round(rng.uniform(0.6e9, 1.2e9)))
    settings = attrs.evolve(SoundSettings(), snr_db=snr_db, rt60_s=float(rng.uniform(0.3, 0.6)))
    clocks, wired = {}, {}
    for name, (microphone, rate_hz) in RECORDERS.items():
        clocks[name] = ClockMap(
            source=SIM,
            target=name,
            offset_ns=int(rng.integers(10**9, 10**12)),
            drift_ppm=float(rng.uniform(-50, 50)),
        )
        wired[name] = _recorded(take, microphone, rate_hz, clocks[name], settings, number, rng)
    inputs = MemoryInputs(wired=wired, rig=Rig(frames=_frames()))
    try:
        found = clock_map_of(ChirpSync(SETTINGS).run(inputs, lambda share: None).streams["map"])
    except StepError:
        return float("nan")
    true = clocks["first"].inverse().compose(clocks["second"])
    centre_ns = int(clocks["first"].apply(take.chirps[0] + round(0.5e9 * SWEEP_S)))
    return (int(found.apply(centre_ns)) - int(true.apply(centre_ns))) * 1e-3


def _recorded(
    take: Take,
    microphone: str,
    rate_hz: int,
    clock: ClockMap,
    settings: SoundSettings,
    seed: int,
    rng: np.random.Generator,
) -> Samples:
    end_ns = round((_LENGTH_S - 0.1) * 1e9)
    sampling = Sampling.within(clock, start_ns=round(rng.uniform(0, 3e8)), end_ns=end_ns, rate_hz=rate_hz)
    sound = record_sound(take, microphone, sampling, settings=settings, seed=seed)
    start_ns = int(clock.apply(sampling.start_ns))
    return Samples(
        type=StreamType(kind="audio", dtype="float32", shape=(1,), clock=clock.target),
        data=sound.astype(np.float32)[:, None],
        knots=np.array([[0, start_ns], [len(sound), start_ns + round(len(sound) / rate_hz * 1e9)]], np.int64),
    )


def _standing(place: npt.NDArray[np.float64], chirp_ns: int) -> Take:
    """Return a take in which the gripper stands still and plays one chirp."""
    count = round(_LENGTH_S * 1000) + 1
    poses = np.tile([*place, 0.0, 0.0, 0.0, 1.0], (count, 1))
    return Take(
        name="standing",
        stamps=np.arange(count) * 1_000_000,
        poses=dict.fromkeys(("gripper", "finger_left", "finger_right"), poses),
        width_m=np.full(count, 0.05),
        pad_force_n=np.zeros((count, 2)),
        pad_shear_n=np.zeros((count, 2, 2)),
        slide_speed_m_per_s=np.zeros(count),
        chirps=(chirp_ns,),
    )


def _frames() -> FrameTree:
    frames = FrameTree()
    for name in ("speaker", MICROPHONES["camera"], MICROPHONES["air"]):
        frames = frames.with_static("gripper", name, MOUNTED[name])
    return frames
