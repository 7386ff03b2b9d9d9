"""Motions that trajectories are put through, and the trajectory by each backend."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from handloom.api import Chunk
from handloom_controllers.native_trajectory import NativeTrajectory
from handloom_controllers.numpy_trajectory import NumpyTrajectory

EPOCH = 1_700_000_000_000_000_000
"""ns since 1970: what a wall clock says today, where a double is no finer than 256 ns."""

REST = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
SECOND = 1_000_000_000


def chunk(times_s, poses, *, observed=0, epoch=EPOCH, widths=None):
    """Return a chunk by seconds after the epoch."""
    stamps = epoch + np.rint(np.asarray(times_s) * 1e9).astype(np.int64)
    widths = np.full(len(stamps), 0.05) if widths is None else np.asarray(widths, dtype=np.float64)
    poses = np.asarray(poses, dtype=np.float64).reshape(len(stamps), 7)
    return Chunk(
        stamps=stamps, clock="robot", poses=poses, widths_m=widths, frame="base", body="tcp", observed=observed
    )


def moved(x, turn, axis=(0.0, 0.0, 1.0)):
    """Return the pose at rest moved along the base's x and turned about an axis of the base."""
    orientation = Rotation.from_rotvec(turn * np.asarray(axis)) * Rotation.from_quat(REST[3:])
    return np.concatenate([REST[:3] + np.array([x, 0, 0]), orientation.as_quat()])


@attrs.define
class Wild:
    """Random chunks one after the other, each at a time when the one before is still under way.

    Attributes:
        random: Where they come from.
        now: int64 ns.
        observed: Counts the chunks.
    """

    random: np.random.Generator
    now: int = EPOCH
    observed: int = 0

    def start(self, trajectory):
        """Begin somewhere."""
        trajectory.start(self.now, self.pose(REST, 0.3, 3.0), 0.05)

    def pose(self, near, shift, turn):
        """Return a random pose near another."""
        turned = Rotation.from_quat(near[3:]) * Rotation.from_rotvec(turn * self.random.normal(size=3))
        return np.concatenate([near[:3] + shift * self.random.normal(size=3), turned.as_quat()])

    def chunk(self, pose):
        """Return a walk from a pose: long or short steps, soon or late, in haste or at leisure."""
        random, count = self.random, int(self.random.integers(1, 17))
        shift, turn, step_s = (
            10 ** random.uniform(-3, 0),
            10 ** random.uniform(-3, 0.5),
            10 ** random.uniform(-2.5, 0),
        )
        poses = [pose]
        for _ in range(count):
            poses.append(self.pose(poses[-1], shift, turn))
        gaps = 1 + (random.uniform(0.05, 1, count) * step_s * 1e9).astype(np.int64)
        later = int(random.choice([0, 0, random.uniform(0, 2e9), -random.uniform(0, step_s * 1e9)]))
        self.observed += 1
        widths = np.where(random.random(count) < 0.2, np.nan, random.uniform(0, 0.1, count))
        made = chunk(np.zeros(count), poses[1:], observed=self.observed, widths=widths)
        return attrs.evolve(made, stamps=self.now + later + np.cumsum(gaps))

    def wait(self, trajectory):
        """Go on to an instant when the trajectory is likely to be under way."""
        ahead = min(max(trajectory.end - self.now, 1), SECOND // 3)
        self.now += 1 + int(self.random.uniform(0, ahead))


@pytest.fixture(scope="session")
def wild():
    """Return what makes a `Wild` of a seed."""
    return lambda seed: Wild(np.random.default_rng(seed))


@pytest.fixture(scope="session")
def make_chunk():
    """Return what makes a chunk by seconds after the epoch."""
    return chunk


@pytest.fixture(scope="session")
def make_pose():
    """Return what moves the pose at rest."""
    return moved


@pytest.fixture(scope="session")
def compiled(native_once):
    """Return what makes a compiled trajectory."""
    return lambda config=None: NativeTrajectory(config, native_once)


@pytest.fixture(scope="session", params=["numpy", "compiled"])
def make_trajectory(request):
    """Return what makes a trajectory, in numpy and compiled: for what must hold of both."""
    return NumpyTrajectory if request.param == "numpy" else request.getfixturevalue("compiled")
