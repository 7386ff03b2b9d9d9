"""What the store costs over plain zarr: writing and reading the streams of a 60 s episode, transactions included.

Run it with `python -m benchmarks.platform_store`. The other side is what a user would write instead: zarr-python
with its own choice of chunks and codec, attributes for the types, no transaction, no fsync and no digest.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import zarr

from handloom.store import Provenance, Scene, StepKey, stage
from handloom.streams import POSE, Samples, StreamType

Episode = Mapping[StepKey, Mapping[str, Samples]]

_EPISODE = "0001"


def make_episode(seed: int = 0, duration_s: int = 60) -> Episode:
    """Make 7 streams in 17 arrays, about 11 MB for 60 s: IMU at 200 Hz, poses at 60 Hz, three microphones."""
    rng = np.random.default_rng(seed)
    imu = {
        "accelerometer": _vector(rng, "acceleration", "m/s^2", 200 * duration_s),
        "gyroscope": _vector(rng, "angular_velocity", "rad/s", 200 * duration_s),
        "audio": _audio(rng, channels=1, rate=48_000, duration_s=duration_s),
    }
    finger = {"audio": _audio(rng, channels=2, rate=16_000, duration_s=duration_s)}
    steps: dict[StepKey, Mapping[str, Samples]] = {
        StepKey("camera", _EPISODE, "sensor"): imu,
        StepKey("finger", _EPISODE, "sensor"): finger,
    }
    for source in ("orbslam3", "optitrack", "vr_tracker"):
        steps[StepKey(source, _EPISODE)] = {"pose": _pose(rng, 60 * duration_s)}
    return steps


def _stamps(rng: np.random.Generator, count: int, rate_hz: float) -> np.ndarray:
    jitter = rng.integers(-20_000, 20_000, count)
    return (np.arange(count) * (1e9 / rate_hz)).astype(np.int64) + jitter + 1_700_000_000_000_000_000


def _vector(rng: np.random.Generator, kind: str, unit: str, count: int) -> Samples:
    type_ = StreamType(kind=kind, dtype="float64", shape=(3,), unit=unit, clock="camera")
    # A 16-bit sensor: its floats hold no more than 16 bits.
    data = np.cumsum(rng.integers(-40, 41, (count, 3)), axis=0) / 417.0
    return Samples(type=type_, data=data, stamps=_stamps(rng, count, 200))


def _audio(rng: np.random.Generator, *, channels: int, rate: int, duration_s: int) -> Samples:
    count = rate * duration_s
    data = (rng.normal(size=(count, channels)) * 800).astype(np.int16)
    knots = np.array([[0, 0], [count // 2, duration_s * 500_000_010], [count, duration_s * 1_000_000_000]])
    type_ = StreamType(kind="audio", dtype="int16", shape=(channels,), clock="microphone")
    return Samples(type=type_, data=data, knots=knots)


def _pose(rng: np.random.Generator, count: int) -> Samples:
    data = np.concatenate(
        [np.cumsum(rng.normal(size=(count, 3)) * 1e-3, axis=0), rng.normal(size=(count, 4))], axis=1
    )
    data[:, 3:] /= np.linalg.norm(data[:, 3:], axis=1, keepdims=True)
    tracked = rng.random(count) > 0.02
    data[~tracked] = np.nan
    type_ = attrs.evolve(POSE, frame="map", body="camera", clock="camera")
    return Samples(type=type_, data=data, stamps=_stamps(rng, count, 60), tracked=tracked)


def _arrays(samples: Samples) -> Iterator[tuple[str, np.ndarray]]:
    for name in ("data", "stamps", "knots", "tracked"):
        array = getattr(samples, name)
        if array is not None:
            yield name, array


def write_plain(path: Path, episode: Episode) -> None:
    """Write the episode as a user of zarr-python would."""
    root = zarr.open_group(path, mode="w")
    for key, streams in episode.items():
        for name, samples in streams.items():
            group = root.create_group(f"{key.path}/{name}", attributes={"type": samples.type.to_json()})
            for array_name, array in _arrays(samples):
                group.create_array(array_name, data=array)


def read_plain(path: Path, episode: Episode) -> None:
    """Read the episode as a user of zarr-python would, into checked samples."""
    root = zarr.open_group(path, mode="r")
    for key, streams in episode.items():
        for name in streams:
            group: Any = root[f"{key.path}/{name}"]
            arrays: dict[str, Any] = {array_name: array[:] for array_name, array in group.arrays()}
            Samples(type=StreamType.from_json(group.attrs["type"]), **arrays)


def write_store(path: Path, episode: Episode) -> None:
    """Write the episode in one transaction a step, synced and hashed."""
    with Scene.open(path, "w", create=True) as scene:
        for key, streams in episode.items():
            with stage(path, key, provenance=Provenance(kind="bench")) as staged:
                for name, samples in streams.items():
                    staged.write(name, samples)
                finished = staged.finish()
            scene.commit(finished)


def read_store(path: Path, episode: Episode) -> None:
    """Read the episode, commits validated and every byte compared with its digest."""
    scene = Scene.open(path)
    for key, streams in episode.items():
        for name in streams:
            scene.stream(key, name)


def _timed(work: Callable[[], None]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


def measure_store(*, rounds: int = 7, duration_s: int = 60) -> dict[str, float]:
    """Measure both sides in turn.

    Args:
        rounds: How often each side runs; one more is not counted.
        duration_s: Length of the episode.

    Returns:
        `write_ratio` and `read_ratio`, CPU of the store over plain zarr; `write_wall_ratio` and `read_wall_ratio`;
        the medians in ms behind them; the number of arrays and their size.
    """
    episode = make_episode(duration_s=duration_s)
    sides = {
        "plain_write": write_plain,
        "store_write": write_store,
        "plain_read": read_plain,
        "store_read": read_store,
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for _ in range(rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            for name, work in sides.items():
                path = Path(folder, name.split("_")[0])
                times[name].append(_timed(partial(work, path, episode)))
    return {
        "arrays": sum(1 for array in _all_arrays(episode)),
        "megabytes": sum(array.nbytes for array in _all_arrays(episode)) / 1e6,
        **_compare("write", times["store_write"][1:], times["plain_write"][1:]),
        **_compare("read", times["store_read"][1:], times["plain_read"][1:]),
    }


def _all_arrays(episode: Episode) -> list[np.ndarray]:
    return [array for step in episode.values() for samples in step.values() for _, array in _arrays(samples)]


def _compare(action: str, store: list[tuple[float, float]], plain: list[tuple[float, float]]) -> dict[str, float]:
    found = {}
    for column, kind in enumerate(("wall_", "")):
        ours, theirs = (statistics.median(row[column] for row in rows) for rows in (store, plain))
        found[f"{action}_{kind}ratio"] = ours / theirs
        found[f"{action}_{kind or 'cpu_'}ms"] = ours
        found[f"plain_{action}_{kind or 'cpu_'}ms"] = theirs
    return {name: round(value, 3) for name, value in found.items()}


if __name__ == "__main__":
    print(json.dumps(measure_store(), indent=1))
