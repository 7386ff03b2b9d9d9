"""The bars of the exporter's accuracy: what a dataset says of a motion, against the truth it was made from.

The motions are demonstrations of the lab, and a formula as a figure beside them: its poses are smooth, those of a
hand that throws are not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.export_lab import frames_of, lab_inputs, true_tcp_poses
from benchmarks.export_scene import inputs_of, scene_of, true_poses
from benchmarks.harness import Bar, Measured
from handloom.geometry import pose, quaternion
from handloom.media import Clip, index_video, write_clip
from handloom.streams import Video
from handloom.testing import MemoryInputs
from handloom_exporters.umi import UmiConfig, UmiExporter
from handloom_simulation.motions import make_take

FloatArray = npt.NDArray[np.float64]

MOTIONS = ("pick_and_place", "wipe", "throw")
RATE = Fraction(60000, 1001)
UNITS = {"translation": "mm", "turn": "deg"}


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars; all read the same exports, of the lab's takes and of a formula's minute (quick: 10 s)."""

    @cache
    def found() -> dict[str, Measured]:
        return measure_export(seconds=10 if quick else 60)

    return (
        Bar(
            name="relative TCP motion in the dataset's f4, worst of the lab's takes",
            goal=0.05,
            compare="<=",
            unit="mm from truth, at most",
            measure=lambda: found()["translation"],
        ),
        Bar(
            name="relative TCP turn in the dataset's f4, worst of the lab's takes",
            goal=0.02,
            compare="<=",
            unit="degrees from truth, at most",
            measure=lambda: found()["turn"],
        ),
    )


def measure_export(*, seconds: int) -> dict[str, Measured]:
    """Export poses from a tracker at 120 Hz, on a clock of its own, and compare every motion that a policy learns.

    Args:
        seconds: Length of the formula's motion.

    Returns:
        By `UNITS` the worst of the takes; behind it the worst and the rms of each, and of the formula.
    """
    apart = {motion: lab_error(motion) for motion in MOTIONS}
    worst = {name: max(float(sizes[name].max()) for sizes in apart.values()) for name in UNITS}
    apart["formula"] = formula_error(seconds)
    return {
        name: Measured(value=worst[name], figures=_figures(unit, {what: apart[what][name] for what in apart}))
        for name, unit in UNITS.items()
    }


def _figures(unit: str, sizes: Mapping[str, FloatArray]) -> dict[str, float]:
    largest = {f"{what}_{unit}": float(size.max()) for what, size in sizes.items()}
    return largest | {f"{what}_rms_{unit}": float(np.sqrt(np.mean(size**2))) for what, size in sizes.items()}


def lab_error(motion: str, config: UmiConfig | None = None) -> dict[str, FloatArray]:
    """Return by how much the export of a lab's take misses, by `UNITS`, of every motion."""
    take = make_take(motion, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        video = _film(Path(folder), frames_of(take, float(RATE)))
        read = _exported(Path(folder), lab_inputs(video, take), config)
    return sizes_of_error(read, true_tcp_poses(video, take))


def formula_error(seconds: int, config: UmiConfig | None = None) -> dict[str, FloatArray]:
    """Return the same of a motion that a formula gives."""
    with tempfile.TemporaryDirectory() as folder:
        video = _film(Path(folder), 60 * seconds)
        read = _exported(Path(folder), inputs_of(video, "take"), config)
    return sizes_of_error(read, true_poses(video.stamps))


def sizes_of_error(read: FloatArray, truth: FloatArray) -> dict[str, FloatArray]:
    """Return by `UNITS` by how much each motion of poses, (N, 7), misses.

    A sample of UMI's is a pose seen from another up to 45 steps before: all of 1, 3, 15 and 45 steps are compared.
    """
    apart = np.concatenate([motion_error(read, truth, over) for over in (1, 3, 15, 45)])
    return {
        "translation": np.linalg.norm(apart[:, :3], axis=1) * 1e3,
        "turn": np.degrees(np.linalg.norm(quaternion.to_rotvec(apart[:, 3:]), axis=1)),
    }


def _film(folder: Path, frames: int) -> Video:
    return index_video(
        (write_clip(folder / "clip.mp4", Clip(width=64, height=48, rate=RATE, frames=frames)),)
    ).video


def _exported(folder: Path, episode: MemoryInputs, config: UmiConfig | None) -> FloatArray:
    path, settings = folder / "set.zarr.zip", config or UmiConfig(image_size=32)
    UmiExporter(settings).export(scene_of([episode]), path, lambda share: None)
    return read_poses(path)


def read_poses(path: Path) -> FloatArray:
    """Return T_world_tcp of the first gripper as the dataset has it, (N, 7), in double precision from its f4."""
    import zarr

    store = zarr.storage.ZipStore(path, mode="r")
    data: Any = zarr.open_group(store, mode="r", zarr_format=2)["data"]
    turn = np.asarray(data["robot0_eef_rot_axis_angle"][:], dtype=np.float64)
    poses = np.column_stack([data["robot0_eef_pos"][:].astype(np.float64), quaternion.from_rotvec(turn)])
    store.close()
    return poses


def motion_error(read: FloatArray, truth: FloatArray, steps: int) -> FloatArray:
    """Return, for every motion over so many steps, the read one seen from the true one, (N - steps, 7)."""

    def motions(poses: FloatArray) -> FloatArray:
        return pose.compose(pose.inverse(poses[:-steps]), poses[steps:])

    return pose.compose(pose.inverse(motions(truth)), motions(read))
