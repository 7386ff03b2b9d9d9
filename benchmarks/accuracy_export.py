"""The bars of the exporter's accuracy: what a dataset says of a motion, against the formula it was made by."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.export_scene import inputs_of, scene_of, true_poses
from benchmarks.harness import Bar, Measured
from handloom.geometry import pose, quaternion
from handloom.media import Clip, index_video, write_clip
from handloom_exporters.umi import UmiConfig, UmiExporter

FloatArray = npt.NDArray[np.float64]


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars; all read one exported minute, quick ten seconds."""

    @cache
    def found() -> dict[str, Measured]:
        return measure_export(seconds=10 if quick else 60)

    return (
        Bar(
            name="relative TCP motion in the dataset's f4",
            goal=0.05,
            compare="<=",
            unit="mm from truth, at most",
            measure=lambda: found()["translation_mm"],
        ),
        Bar(
            name="relative TCP turn in the dataset's f4",
            goal=0.02,
            compare="<=",
            unit="degrees from truth, at most",
            measure=lambda: found()["turn_deg"],
        ),
    )


def measure_export(*, seconds: int) -> dict[str, Measured]:
    """Export poses from a tracker at 120 Hz, on a clock of its own, and compare every motion that a policy learns.

    A sample of UMI's is a pose seen from another up to 45 steps before: all of 1, 3, 15 and 45 steps are compared.

    Args:
        seconds: Length of the take.
    """
    with tempfile.TemporaryDirectory() as folder:
        clip = Clip(width=64, height=48, rate=Fraction(60000, 1001), frames=60 * seconds)
        video = index_video((write_clip(Path(folder) / "clip.mp4", clip),)).video
        path = Path(folder) / "set.zarr.zip"
        inputs = scene_of([inputs_of(video, "take")])
        UmiExporter(UmiConfig(image_size=32)).export(inputs, path, lambda share: None)
        read = read_poses(path)
    apart = np.concatenate([motion_error(read, true_poses(video.stamps), over) for over in (1, 3, 15, 45)])
    distance_mm = np.linalg.norm(apart[:, :3], axis=1) * 1e3
    turn_deg = np.degrees(np.linalg.norm(quaternion.to_rotvec(apart[:, 3:]), axis=1))
    return {
        "translation_mm": Measured(value=float(distance_mm.max()), figures={"rms_mm": _rms(distance_mm)}),
        "turn_deg": Measured(value=float(turn_deg.max()), figures={"rms_deg": _rms(turn_deg)}),
    }


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


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))
