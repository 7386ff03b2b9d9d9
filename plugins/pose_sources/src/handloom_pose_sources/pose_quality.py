"""The step `pose_quality`: say whether a pose stream is whole and smooth enough to be used, and why not."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import InputPort, Inputs, Outputs, Ports, Progress, Step, hookimpl
from handloom.streams import Samples
from handloom_pose_sources.continuity import Motion, motion

BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True)
class PoseQualityConfig:
    """What a usable pose stream keeps.

    Attributes:
        max_gap_s: Two tracked rows further apart than this have a gap between them.
        min_coverage: Least share of the time with poses. Source: PolyUMI marks episodes below 0.90 as low.
        largest_gap_s: Longest time without a pose. Source: MILD marks trajectories with gaps over 0.5 s.
        jump_m: Longest step between two rows.
        jump_deg: Largest turn between two rows.
        speed_m_per_s: Highest speed. Source: Franka FR3, Cartesian limit 3.0 m/s; faster can't be replayed.
        speed_deg_per_s: Highest turning rate; our choice: a wrist stays below, a flipped marker does not.
        min_tracked: Fewest tracked rows. Source: PolyUMI, 60 tracked frames.
    """

    max_gap_s: float = 0.15
    min_coverage: float = 0.9
    largest_gap_s: float = 0.5
    jump_m: float = 0.1
    jump_deg: float = 30.0
    speed_m_per_s: float = 3.0
    speed_deg_per_s: float = 1000.0
    min_tracked: int = 60


class PoseQuality(Step):
    """Measures one pose stream and holds it against the thresholds; writes no stream."""

    Config = PoseQualityConfig
    summary = "Coverage, gaps, jumps and speed of a pose stream, and whether it may be used"

    @classmethod
    def ports(cls, config: PoseQualityConfig) -> Ports:
        """Take one pose stream."""
        return Ports(inputs={"pose": InputPort(kinds="pose")})

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Measure the stream; a bad one is a verdict, not an error."""
        progress(0.0)
        pose = inputs.samples("pose")
        measured = _measure(pose, self.config)
        reasons = reasons_against(measured, _tracked(pose), self.config)
        progress(1.0)
        return Outputs(
            attributes={
                "usable": not reasons,
                "reasons": sorted(reasons),
                "rows": len(pose),
                "tracked_rows": _tracked(pose),
                "jumps": int(np.count_nonzero(jumps(measured, self.config))),
                **measured.to_json(),
            },
            notes=tuple(reasons[name] for name in sorted(reasons)),
        )


def jumps(measured: Motion, config: PoseQualityConfig) -> BoolArray:
    """Say which steps, (M,), are longer or turn further than a tool does from one row to the next."""
    too_far: BoolArray = measured.distances_m > config.jump_m
    return too_far | (np.degrees(measured.angles_rad) > config.jump_deg)


def reasons_against(measured: Motion, tracked: int, config: PoseQualityConfig) -> dict[str, str]:
    """Return a sentence for each threshold that is not kept, by the reason's name; none for a usable stream."""
    jumping = int(np.count_nonzero(jumps(measured, config)))
    speed = float(measured.speeds_m_per_s.max(initial=0.0))
    turning = float(np.degrees(measured.speeds_rad_per_s).max(initial=0.0))
    gap = measured.largest_gap_s
    checks = {
        "too_few_poses": (
            tracked < config.min_tracked,
            f"{tracked} rows are tracked; at least {config.min_tracked} are needed.",
        ),
        "low_coverage": (
            measured.coverage < config.min_coverage,
            f"Poses cover {measured.coverage:.3f} of the time; at least {config.min_coverage:g} is needed.",
        ),
        "long_gap": (
            gap > config.largest_gap_s,
            f"The longest time without a pose is {gap:.3f} s; at most {config.largest_gap_s:g} s is allowed.",
        ),
        "jump": (jumping > 0, f"{jumping} steps are longer than {config.jump_m:g} m or {config.jump_deg:g} deg."),
        "too_fast": (
            speed > config.speed_m_per_s,
            f"The tool moves at up to {speed:.3g} m/s; at most {config.speed_m_per_s:g} m/s is allowed.",
        ),
        "turns_too_fast": (
            turning > config.speed_deg_per_s,
            f"The tool turns at up to {turning:.4g} deg/s; at most {config.speed_deg_per_s:g} deg/s is allowed.",
        ),
    }
    return {name: sentence for name, (passed, sentence) in checks.items() if passed}


def _measure(pose: Samples, config: PoseQualityConfig) -> Motion:
    stamps = pose.all_stamps()
    span = (int(stamps[0]), int(stamps[-1])) if len(stamps) else (0, 0)
    assert pose.tracked is not None
    return motion(stamps, pose.data, pose.tracked, max_gap_s=config.max_gap_s, span=span)


def _tracked(pose: Samples) -> int:
    return 0 if pose.tracked is None else int(np.count_nonzero(pose.tracked))


@hookimpl
def step(kind: str) -> type[Step]:
    """Answer for `pose_quality`."""
    return PoseQuality
