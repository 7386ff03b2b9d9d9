"""The trajectory against what UMI does: straight lines and slerp in scipy, built anew for every waypoint."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count, islice
from statistics import median
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from benchmarks.rounds import interleaved
from handloom.api import Chunk
from handloom.geometry import quaternion

if TYPE_CHECKING:
    from handloom_controllers.native_trajectory import NativeTrajectory

Array = npt.NDArray[Any]

EPOCH = 1_700_000_000_000_000_000
"""ns since 1970, as real stamps are."""

WAYPOINTS, PERIOD_S = 16, 0.1
"""A chunk of a diffusion policy: 16 waypoints at 10 Hz."""

STEP_S = 1e-6
"""Over which a velocity is measured."""

BRAKING = 9.0
"""m/s^2, as the trajectory brakes by default."""


def control_bars(*, quick: bool) -> list[Bar]:
    """Return the bars of the trajectory."""
    rounds, motions, splices = (5, 40, 2_000) if quick else (15, 500, 100_000)
    return [
        Bar(
            name="trajectory: evaluation in C++",
            goal=500,
            compare=">=",
            unit="scipy interp1d + Slerp / ours, CPU",
            measure=lambda: _evaluation(rounds=rounds),
        ),
        Bar(
            name="trajectory: splice of 16 waypoints in C++",
            goal=1000,
            compare=">=",
            unit="scipy, a new interpolator for each / ours, CPU",
            measure=lambda: _splicing(rounds=rounds),
        ),
        Bar(
            name="trajectory: velocity jump at a splice",
            goal=0.05,
            compare="<=",
            unit="our worst / UMI's median, the larger of linear and angular",
            measure=lambda: _jumps(splices=motions),
        ),
        Bar(
            name="trajectory: position jump at a splice",
            goal=1e-9,
            compare="<=",
            unit="m",
            measure=lambda: _position_jump(splices=motions),
        ),
        Bar(
            name="trajectory: excursion beyond the box of present and waypoints",
            goal=1.0,
            compare="<=",
            unit="mm more than v^2/2a",
            measure=lambda: _excursion(splices=splices),
        ),
    ]


class ScipyTrajectory:
    """What UMI's controllers follow: straight lines and slerp between timed poses, as scipy has them.

    Each waypoint drops what was planned after the one before, the first of a chunk all that was planned, and is
    passed no sooner than the speed caps allow. Our own code, after what UMI's interpolator of poses does.
    """

    def __init__(self, times_s: Array, poses: Array) -> None:
        from scipy.interpolate import interp1d
        from scipy.spatial.transform import Rotation, Slerp

        self.times_s, self.poses = times_s, poses
        if len(times_s) > 1:
            self._positions = interp1d(times_s, poses[:, :3], axis=0, assume_sorted=True)
            self._orientations = Slerp(times_s, Rotation.from_quat(poses[:, 3:]))

    def at(self, time_s: float) -> Array:
        """Return the (7,) pose at a time in seconds."""
        if len(self.times_s) == 1:
            return np.array(self.poses[0])
        time_s = min(max(time_s, self.times_s[0]), self.times_s[-1])
        pose: Array = np.concatenate([self._positions(time_s), self._orientations(time_s).as_quat()])
        return pose

    def scheduled(self, pose: Array, time_s: float, now_s: float, last_s: float) -> ScipyTrajectory:
        """Return the trajectory that goes to a pose after what is planned until a time."""
        keep = (self.times_s > now_s) & (self.times_s <= last_s)
        begin = self.at(now_s)
        poses = np.vstack([begin, self.poses[keep]])
        times_s = np.concatenate([[now_s], self.times_s[keep]])
        way = float(np.linalg.norm(pose[:3] - poses[-1, :3]))
        turn = float(quaternion.angle_between(pose[3:], poses[-1, 3:]))
        time_s = max(time_s, times_s[-1] + max(way / 1.0, turn / math.pi))
        return ScipyTrajectory(np.append(times_s, time_s), np.vstack([poses, pose]))

    def spliced(self, times_s: Array, poses: Array, now_s: float) -> ScipyTrajectory:
        """Return the trajectory after a whole chunk, waypoint by waypoint."""
        trajectory, last_s = self, now_s
        for pose, time_s in zip(poses, times_s.tolist(), strict=True):
            trajectory = trajectory.scheduled(pose, time_s, now_s, last_s)
            last_s = float(trajectory.times_s[-1])
        return trajectory


def _walk(random: np.random.Generator, pose: Array, count: int, shift: float, turn: float) -> Array:
    """Return (count, 7) poses, each a step further in about the same direction."""
    steps = shift * (random.normal(size=3) + 0.3 * random.normal(size=(count, 3)))
    turns = turn * (random.normal(size=3) + 0.3 * random.normal(size=(count, 3)))
    turned = quaternion.from_rotvec(np.cumsum(turns, axis=0))
    return np.hstack([pose[:3] + np.cumsum(steps, axis=0), quaternion.multiply(pose[3:], turned)])


def _chunk(stamps: npt.NDArray[np.int64], poses: Array, observed: int) -> Chunk:
    widths = np.full(len(stamps), 0.05)
    return Chunk(
        stamps=stamps, clock="", poses=poses, widths_m=widths, frame="base", body="tcp", observed=observed
    )


@attrs.frozen(eq=False)
class _Motion:
    """The same motion, ours and scipy's, half-way through a chunk."""

    ours: NativeTrajectory
    theirs: ScipyTrajectory
    stamps: npt.NDArray[np.int64]
    poses: Array
    now: int

    def at(self, time_s: float) -> Array:
        return self.ours.at(EPOCH + round(time_s * 1e9))[0]

    @property
    def now_s(self) -> float:
        return (self.now - EPOCH) * 1e-9

    @property
    def times_s(self) -> Array:
        seconds: Array = (self.stamps - EPOCH) * 1e-9
        return seconds


def _motion(seed: int, *, shift: float = 0.01, turn: float = 0.02) -> _Motion:
    """Return a motion under way, and the chunk that comes next: 0.1 m/s and 0.2 rad/s by default."""
    from handloom_controllers.native_trajectory import NativeTrajectory

    random = np.random.default_rng(seed)
    rest = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
    ours = NativeTrajectory()
    ours.start(EPOCH, rest, 0.05)
    theirs = ScipyTrajectory(np.zeros(1), rest[None])
    steps = (PERIOD_S * 1e9 * np.arange(1, WAYPOINTS + 1)).astype(np.int64)
    poses = _walk(random, rest, WAYPOINTS, shift, turn)
    ours.splice(_chunk(EPOCH + steps, poses, 0), EPOCH)
    theirs = theirs.spliced(steps * 1e-9, poses, 0.0)
    now = EPOCH + int(random.uniform(0.2, 0.8) * 1e9)
    stamps = now - int(random.uniform(0, PERIOD_S) * 1e9) + steps
    near = ours.at(int(stamps[0]))[0]
    return _Motion(ours, theirs, stamps, _walk(random, near, WAYPOINTS, shift, turn), now)


def _evaluation(*, rounds: int) -> Measured:
    motion, batch, singles = _motion(0), 50_000, 200
    random = np.random.default_rng(1)
    stamps = EPOCH + random.integers(0, int(1.6e9), batch)
    times_s = ((stamps[:singles] - EPOCH) * 1e-9).tolist()
    motion.ours.at_many(stamps)
    times = interleaved(
        {
            "ours": lambda: motion.ours.at_many(stamps),
            "scipy": lambda: [motion.theirs.at(time_s) for time_s in times_s],
        },
        rounds=rounds,
    )
    one = {"ours_ns": 1e9 * median(times["ours"]) / batch, "scipy_ns": 1e9 * median(times["scipy"]) / singles}
    pairs = zip(times["ours"], times["scipy"], strict=True)
    return Measured(value=median((theirs / singles) / (ours / batch) for ours, theirs in pairs), figures=one)


def _splicing(*, rounds: int) -> Measured:
    motion, batch, singles = _motion(0), 2_000, 3
    splice, observed = _bound_splice(motion)
    observations = count(1)

    def ours() -> None:
        for observation in islice(observations, batch):
            observed[()] = observation  # a chunk that answers the same one again is refused
            if splice() < 0:
                raise RuntimeError("A chunk of the benchmark was refused.")

    def theirs() -> None:
        for _ in range(singles):
            motion.theirs.spliced(motion.times_s, motion.poses, motion.now_s)

    times = interleaved({"ours": ours, "scipy": theirs}, rounds=rounds)
    figures = {"ours_us": 1e6 * median(times["ours"]) / batch, "scipy_us": 1e6 * median(times["scipy"]) / singles}
    pairs = zip(times["ours"], times["scipy"], strict=True)
    return Measured(value=median((theirs / singles) / (ours / batch) for ours, theirs in pairs), figures=figures)


def _bound_splice(motion: _Motion) -> tuple[Callable[[], int], npt.NDArray[np.int64]]:
    """Return the splice of a motion's chunk with nothing of Python around it, and the observation it answers."""
    from handloom_controllers.native import library, new

    observed = np.ones((), dtype=np.int64)
    widths = np.full(WAYPOINTS, 0.05)
    chunk = WAYPOINTS, motion.stamps, motion.poses, widths
    report = new("hl_splice_report")
    bound = library().bound("hl_trajectory_splice", motion.ours.address, motion.now, observed, *chunk, report)
    return bound, observed


def _jumps(*, splices: int) -> Measured:
    """Compare the step of the velocity from just before a splice to just after it, over random motions.

    By differences of poses in both, not by what is said of their velocity.
    """
    ours, theirs = np.zeros((splices, 2)), np.zeros((splices, 2))
    for seed in range(splices):
        motion = _motion(seed)
        before = _twist(motion.at, motion.now_s - STEP_S)
        old = _twist(motion.theirs.at, motion.now_s - STEP_S)
        motion.ours.splice(_chunk(motion.stamps, motion.poses, 1), motion.now)
        fresh = motion.stamps > motion.now
        spliced = motion.theirs.spliced(motion.times_s[fresh], motion.poses[fresh], motion.now_s)
        after = _twist(motion.at, motion.now_s)
        ours[seed] = _parts(after - before)
        theirs[seed] = _parts(_twist(spliced.at, motion.now_s) - old)
    worst, usual = ours.max(axis=0), np.median(theirs, axis=0)
    names = ("ours_worst_m_per_s", "ours_worst_rad_per_s", "umi_median_m_per_s", "umi_median_rad_per_s")
    figures = dict(zip(names, [*worst.tolist(), *usual.tolist()], strict=True))
    return Measured(value=float((worst / usual).max()), figures=figures)


def _parts(twist: Array) -> tuple[float, float]:
    return float(np.linalg.norm(twist[:3])), float(np.linalg.norm(twist[3:]))


def _twist(at: Callable[[float], Array], time_s: float) -> Array:
    """Return the (6,) mean twist over the step after a time."""
    now, then = at(time_s), at(time_s + STEP_S)
    turn = quaternion.to_rotvec(quaternion.multiply(then[3:], quaternion.conjugate(now[3:])))
    return np.concatenate([then[:3] - now[:3], turn]) / STEP_S


def _position_jump(*, splices: int) -> Measured:
    worst = 0.0
    for seed in range(splices):
        motion = _motion(seed, shift=0.03, turn=0.1)
        before = motion.ours.at(motion.now)[0]
        motion.ours.splice(_chunk(motion.stamps, motion.poses, 1), motion.now)
        worst = max(worst, float(np.linalg.norm(motion.ours.at(motion.now)[0][:3] - before[:3])))
    return Measured(value=worst)


def _excursion(*, splices: int) -> Measured:
    """Splice chunk after chunk, each while the one before is under way, and look at the whole curve densely."""
    from handloom_controllers.native_trajectory import NativeTrajectory
    from handloom_controllers.trajectory import TrajectoryConfig

    ours = NativeTrajectory(TrajectoryConfig(reach_m=100.0))
    random, now, taken = np.random.default_rng(0), EPOCH, 0
    excess, speeds = -math.inf, []
    pose = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
    ours.start(now, pose, 0.05)
    while taken < splices:
        pose, twist, _ = ours.at(now)
        if np.abs(pose[:3]).max() > 5:  # walked far from home
            ours.start(now, np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0]), 0.05)
            continue
        count = int(random.integers(1, WAYPOINTS + 1))
        gaps = 1 + (random.uniform(0.05, 1, count) * 10 ** random.uniform(-2.5, 0) * 1e9).astype(np.int64)
        stamps = now + int(random.choice([0, random.uniform(0, 2e9)])) + np.cumsum(gaps)
        poses = _walk(random, pose, count, 10 ** random.uniform(-3, -0.5), 10 ** random.uniform(-3, 0.3))
        if not ours.splice(_chunk(stamps, poses, taken), now).taken:
            raise RuntimeError("A chunk of the benchmark was refused.")
        taken += 1
        speed = float(np.linalg.norm(twist[:3]))
        speeds.append(speed)
        excess = max(excess, _beyond(ours, now, pose) - speed**2 / (2 * BRAKING))
        now += 1 + int(random.uniform(0, min(ours.end - now, 300_000_000)))
    figures = {"splices": float(taken), "median_speed_m_per_s": median(speeds), "fastest_m_per_s": max(speeds)}
    return Measured(value=1e3 * excess, figures=figures)


def _beyond(ours: NativeTrajectory, now: int, pose: Array) -> float:
    """Return by how much the curve ahead leaves the box of the present pose and the waypoints, in metres."""
    corners = np.vstack([pose[:3], ours.pending(now)[1][:, :3]])
    rows = ours.at_many(now + np.linspace(0, ours.end - now, 200).astype(np.int64))[:, :3]
    beyond = np.maximum(rows - corners.max(axis=0), corners.min(axis=0) - rows)
    return float(beyond.max())
