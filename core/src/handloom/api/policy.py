"""Models: the contract of a policy, what it sees and the absolutely stamped waypoints it answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api.component import Component
from handloom.errors import StreamError
from handloom.streams import StreamType

Array = npt.NDArray[Any]


@attrs.frozen(kw_only=True)
class ObservationSpec:
    """One entry of what a policy sees.

    Attributes:
        type: Kind, dtype, shape of one sample, unit, frame.
        horizon: How many samples, oldest first.
        period_s: Time between two of them.
    """

    type: StreamType
    horizon: int
    period_s: float


@attrs.frozen(kw_only=True)
class PolicyContract:
    """What a policy sees and answers, exchanged before anything moves.

    Attributes:
        observation: By stream name.
        frame: Frame `a` of the answered waypoints `T_a_b`.
        body: Body `b`.
        horizon: Waypoints in a chunk.
        period_s: Time between two waypoints.
    """

    observation: Mapping[str, ObservationSpec]
    frame: str
    body: str
    horizon: int
    period_s: float


@attrs.frozen(kw_only=True, eq=False)
class Observation:
    """What a policy sees at an instant.

    Attributes:
        stamp: int64 ns, the instant the observation stands for: its oldest newest-sample.
        clock: Name of the clock the stamps are on.
        streams: By stream name, (horizon, *shape), oldest first.
    """

    stamp: int
    clock: str
    streams: Mapping[str, Array]


@attrs.frozen(kw_only=True, eq=False)
class Chunk:
    """Waypoints, each due at its own stamp.

    Attributes:
        stamps: (N,) int64 ns on `clock`, strictly increasing.
        clock: Name of the clock.
        poses: (N, 7) T_frame_body, metres and quaternion x y z w.
        widths_m: (N,) gripper width, NaN where the model does not command it.
        frame: Frame `a` of `T_a_b`.
        body: Body `b`.
        observed: int64 ns stamp of the observation it answers.

    Raises:
        StreamError: Lengths differ.
    """

    stamps: npt.NDArray[np.int64]
    clock: str
    poses: npt.NDArray[np.float64]
    widths_m: npt.NDArray[np.float64]
    frame: str
    body: str
    observed: int

    def __attrs_post_init__(self) -> None:
        for name in ("stamps", "poses", "widths_m"):
            value = getattr(self, name)
            if not isinstance(value, np.ndarray):
                raise StreamError(f"The `{name}` of a chunk are a {type(value).__name__}; expected a numpy array.")
        count = self.stamps.size
        if self.poses.shape != (count, 7) or self.widths_m.shape != (count,):
            raise StreamError(
                f"A chunk of {count} stamps needs poses ({count}, 7) and widths ({count},); "
                f"found {self.poses.shape} and {self.widths_m.shape}."
            )


class Policy(Protocol):
    """A loaded model."""

    def reset(self, seed: int) -> None:
        """Start a new rollout; the same seed and observations give the same chunks."""

    def predict(self, observation: Observation) -> Chunk:
        """Answer an observation with waypoints after it."""

    def close(self) -> None:
        """Give back what `open` took."""


class Model(Component):
    """A policy model."""

    @classmethod
    @abstractmethod
    def contract(cls, config: Any) -> PolicyContract:
        """Say what the policy sees and answers, without loading it."""

    @abstractmethod
    def open(self) -> Policy:
        """Load the policy."""
