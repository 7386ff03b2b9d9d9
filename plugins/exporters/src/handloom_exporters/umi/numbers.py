"""Poses and widths at the steps, and where they can't be had."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import require_same_tcp
from handloom.errors import StepError
from handloom.geometry import interpolate_linear, interpolate_poses, interpolate_poses_cubic, quaternion
from handloom.streams import Samples, repeated_rows
from handloom.streams.samples import Int64Array
from handloom_exporters.umi.config import UmiConfig
from handloom_exporters.umi.timeline import BoolArray

FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class PoseRows:
    """Poses at the steps.

    Attributes:
        values: (M, 6) x y z in metres and a rotation vector in radians; NaN where lost.
        lost: (M,) whether no tracked poses are near enough on both sides.
        repeating: (M,) whether there are such poses, but of a tracker that was frozen.
        jumping: (M,) whether the step lies inside a jump, where nothing can be interpolated.
        after_jump: (M,) whether the poses jump between the step before and this one.
    """

    values: FloatArray
    lost: BoolArray
    repeating: BoolArray
    jumping: BoolArray
    after_jump: BoolArray


def pose_rows(samples: Samples, stamps: Int64Array, steps: Int64Array, config: UmiConfig) -> PoseRows:
    """Interpolate poses, as the settings ask, never across a lost or frozen row or a jump.

    Args:
        samples: T_world_tcp.
        stamps: (N,) instants of its rows on the steps' clock.
        steps: (M,) instants.
        config: The kind of curve, the largest gap, how many repeated rows are frozen, and the speed that no hand
            reaches.
    """
    assert samples.tracked is not None
    moving = _without_frozen(samples, config.frozen_rows)
    assert moving.tracked is not None
    jumps, gap_ns = _jumps(moving, stamps, config.max_speed_m_per_s), round(config.max_pose_gap_s * 1e9)
    _, found = interpolate_poses(stamps, samples.data, samples.tracked, steps, max_gap_ns=gap_ns)
    given = (stamps, moving.data, moving.tracked, steps)
    if config.pose_interpolation == "cubic":
        poses, tracked = interpolate_poses_cubic(*given, max_gap_ns=gap_ns, breaks=jumps[:, 1])
    else:
        poses, tracked = interpolate_poses(*given, max_gap_ns=gap_ns)
    jumping, after = _around_jumps(stamps[jumps], steps)
    values = np.concatenate([poses[:, :3], quaternion.to_rotvec(poses[:, 3:])], axis=1)
    return PoseRows(
        values=values, lost=~found, repeating=found & ~tracked, jumping=jumping & tracked, after_jump=after
    )


def _without_frozen(samples: Samples, frozen_rows: int) -> Samples:
    """Return the poses with those lost that a frozen tracker repeats; 0 rows leave them as they are."""
    if not frozen_rows:
        return samples
    assert samples.tracked is not None
    frozen = repeated_rows(samples.data, at_least=frozen_rows)
    data = np.where(frozen[:, None], np.nan, samples.data)
    return attrs.evolve(samples, data=data, tracked=samples.tracked & ~frozen)


def _jumps(samples: Samples, stamps: Int64Array, max_speed_m_per_s: float) -> Int64Array:
    """Return the rows, (K, 2), of tracked neighbours that no hand could join."""
    assert samples.tracked is not None
    rows = np.flatnonzero(samples.tracked)
    seconds = np.diff(stamps[rows]) * 1e-9
    distance = np.linalg.norm(np.diff(samples.data[rows, :3], axis=0), axis=1)
    far = np.flatnonzero(distance > max_speed_m_per_s * seconds)
    return np.column_stack([rows[far], rows[far + 1]])


def _around_jumps(jumps: Int64Array, steps: Int64Array) -> tuple[BoolArray, BoolArray]:
    """Find the steps inside and after jumps, (K, 2) instants from and to."""
    inside, after = np.zeros(len(steps), dtype=bool), np.zeros(len(steps), dtype=bool)
    first = np.searchsorted(steps, jumps[:, 0], side="right")
    last = np.searchsorted(steps, jumps[:, 1], side="left")
    # A loop over jumps, of which a stream that is worth exporting has few.
    for begin, end in zip(first, last, strict=True):
        inside[begin:end] = True
        after[end : end + 1] = True
    after[0:1] = False
    return inside, after


def width_rows(
    samples: Samples, stamps: Int64Array, steps: Int64Array, config: UmiConfig
) -> tuple[FloatArray, BoolArray]:
    """Interpolate widths, never across a row that is none.

    Returns:
        (M, 1) metres, NaN where lost, and (M,) whether it is lost.
    """
    widths, known = interpolate_linear(stamps, samples.data, steps, max_gap_ns=round(config.max_width_gap_s * 1e9))
    return widths[:, None], ~known


def check_tcp(port: str, name: str, samples: Samples, config: UmiConfig) -> str:
    """Return the digest of where the tool centre point behind a pose stream is.

    Raises:
        FrameError: The poses are of another body, or the stream has no digest.
        StepError: The digest is not the one that the settings ask for.
    """
    digest = require_same_tcp({name: samples}, body=config.tcp_body)
    if config.tcp_digest not in ("", digest):
        raise StepError(
            f"'{name}' on '{port}' was made with the tool transform {digest}; the settings ask for "
            f"{config.tcp_digest}. Run the step again with the rig that holds it, or correct tcp_digest."
        )
    return digest
