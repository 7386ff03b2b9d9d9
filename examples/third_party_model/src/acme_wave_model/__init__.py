"""A model that waves the tool around where it was first seen, as an example of a distribution of one's own."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk, Model, Observation, ObservationSpec, PolicyContract, Ports, hookimpl
from handloom.errors import StreamError
from handloom.streams import POSE


@attrs.frozen(kw_only=True)
class WaveConfig:
    """How to wave.

    Attributes:
        amplitude_m: How far to each side, along y of the frame.
        rate_hz: How often.
        frame: Frame `a` of the poses `T_a_b`.
        body: Body `b`.
        horizon: Waypoints in a chunk.
        period_s: Time between two of them.
    """

    amplitude_m: float = 0.05
    rate_hz: float = 0.5
    frame: str = "base"
    body: str = "tcp"
    horizon: int = 16
    period_s: float = 0.1


class Wave(Model):
    """Waves from side to side, on and on."""

    Config = WaveConfig
    summary = "Waves the tool from side to side around where it was first seen"

    @classmethod
    def ports(cls, config: WaveConfig) -> Ports:
        """Declare nothing: a model is wired by its contract."""
        return Ports()

    @classmethod
    def contract(cls, config: WaveConfig) -> PolicyContract:
        """Say that it sees one pose and answers `horizon` of the same frame and body."""
        pose = attrs.evolve(POSE, frame=config.frame, body=config.body)
        return PolicyContract(
            observation={"pose": ObservationSpec(type=pose, horizon=1, period_s=config.period_s)},
            frame=config.frame,
            body=config.body,
            horizon=config.horizon,
            period_s=config.period_s,
        )

    def open(self) -> WavePolicy:
        """Return a policy that has not seen anything yet."""
        return WavePolicy(self.config)


class WavePolicy:
    """Remembers where and when it first saw the tool."""

    def __init__(self, config: WaveConfig) -> None:
        self._config = config
        self._first: tuple[int, npt.NDArray[np.float64]] | None = None

    def reset(self, seed: int) -> None:
        """Forget where the tool was; waving knows no chance."""
        self._first = None

    def predict(self, observation: Observation) -> Chunk:
        """Answer with the next stretch of the wave.

        Raises:
            StreamError: The observed pose is lost.
        """
        config, pose = self._config, observation.streams["pose"][-1]
        if not np.isfinite(pose).all():
            raise StreamError("The pose of the tool is lost; it can't be waved.")
        self._first = self._first or (observation.stamp, pose.astype(np.float64))
        began, middle = self._first
        after_ns = np.rint(np.arange(1, config.horizon + 1) * config.period_s * 1e9).astype(np.int64)
        stamps = observation.stamp + after_ns
        poses = np.tile(middle, (config.horizon, 1))
        poses[:, 1] += config.amplitude_m * np.sin(2 * np.pi * config.rate_hz * (stamps - began) * 1e-9)
        return Chunk(
            stamps=stamps,
            clock=observation.clock,
            poses=poses,
            widths_m=np.full(config.horizon, np.nan),
            frame=config.frame,
            body=config.body,
            observed=observation.stamp,
        )

    def close(self) -> None:
        """Give back nothing: nothing was taken."""


@hookimpl
def model(kind: str) -> type[Model]:
    """Answer for `acme_wave`."""
    return Wave
