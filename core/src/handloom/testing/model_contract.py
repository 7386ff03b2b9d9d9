"""What every policy model keeps."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk, Observation, ObservationSpec, PolicyContract
from handloom.errors import HandloomError
from handloom.testing.component_contract import ComponentContract

_AT_REST = (0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)
"""A tool 0.4 m before the base and 0.3 m up that points down: within reach of any arm."""


class ModelContract(ComponentContract):
    """Inherit and name your class as `component`; override `streams` when made-up observations do not do."""

    def contract(self) -> PolicyContract:
        """Return what the model says it sees and answers."""
        contract: PolicyContract = self.component.contract(self.config())  # type: ignore[attr-defined]
        return contract

    def streams(self) -> dict[str, npt.NDArray[Any]]:
        """Return one observation's streams: a pose at rest, noise for all else."""
        noise = np.random.default_rng(0)
        return {name: made_up(spec, noise) for name, spec in sorted(self.contract().observation.items())}

    def observation(self, stamp: int = 10_000_000_000) -> Observation:
        """Return what the policy is shown."""
        return Observation(stamp=stamp, clock="host", streams=self.streams())

    def answers(self, seed: int = 1, count: int = 3) -> list[Chunk]:
        """Open the model, reset it and show it some observations, a chunk's half apart."""
        contract = self.contract()
        apart_ns = round(contract.horizon * contract.period_s * 0.5e9)
        policy = self.make().open()
        try:
            policy.reset(seed)
            return [policy.predict(self.observation(10_000_000_000 + k * apart_ns)) for k in range(count)]
        finally:
            policy.close()

    def test_the_contract_is_complete_and_cheap(self) -> None:
        """It is exchanged before anything is loaded."""
        contract = self.contract()
        assert contract == self.contract()
        assert contract.observation, "the policy sees nothing"
        assert contract.horizon >= 1
        assert contract.period_s > 0
        assert contract.frame, "the answered poses T_a_b have no frame a"
        assert contract.body, "the answered poses T_a_b have no body b"

    def test_chunks_are_as_the_contract_says(self) -> None:
        """Frame, body, clock, number of waypoints and the time between them."""
        contract = self.contract()
        for chunk in self.answers():
            assert (chunk.frame, chunk.body, chunk.clock) == (contract.frame, contract.body, "host")
            assert len(chunk.stamps) == contract.horizon
            assert np.abs(np.diff(chunk.stamps) - contract.period_s * 1e9).max(initial=0) <= 1, (
                f"waypoints are not {contract.period_s} s apart: {np.diff(chunk.stamps)}"
            )

    def test_waypoints_come_after_the_observation(self) -> None:
        """A waypoint in the past is a waypoint lost."""
        for chunk in self.answers():
            assert chunk.stamps.dtype == np.int64
            assert chunk.stamps[0] > chunk.observed

    def test_a_chunk_names_the_observation_it_answers(self) -> None:
        """The controller counts stale waypoints from it."""
        policy = self.make().open()
        policy.reset(1)
        assert policy.predict(self.observation(10_500_000_000)).observed == 10_500_000_000
        policy.close()

    def test_waypoints_are_poses(self) -> None:
        """Finite, with unit quaternions, and widths that are NaN or not negative."""
        for chunk in self.answers():
            assert np.isfinite(chunk.poses).all()
            assert np.allclose(np.linalg.norm(chunk.poses[:, 3:], axis=1), 1, atol=1e-6)
            assert not (chunk.widths_m < 0).any()
            assert not np.isinf(chunk.widths_m).any()

    def test_the_same_seed_gives_the_same_bytes(self) -> None:
        """Rollouts can be repeated."""
        first, second = self.answers(), self.answers()
        assert [chunk_bytes(chunk) for chunk in first] == [chunk_bytes(chunk) for chunk in second]

    def test_reset_forgets_the_rollout_before(self) -> None:
        """The same seed gives the same chunk after any past."""
        policy = self.make().open()
        policy.reset(7)
        first = chunk_bytes(policy.predict(self.observation()))
        policy.predict(self.observation(11_000_000_000))
        policy.reset(7)
        assert chunk_bytes(policy.predict(self.observation())) == first
        policy.close()

    def test_a_lost_pose_is_never_answered_with_nan(self) -> None:
        """Refuse it with a sentence, or answer something a robot can follow."""
        lost = {
            name: np.full_like(values, math.nan) if np.issubdtype(values.dtype, np.floating) else values
            for name, values in self.streams().items()
        }
        policy = self.make().open()
        policy.reset(1)
        try:
            chunk = policy.predict(attrs.evolve(self.observation(), streams=lost))
        except HandloomError:
            return
        finally:
            policy.close()
        assert np.isfinite(chunk.poses).all()


def made_up(spec: ObservationSpec, noise: np.random.Generator) -> npt.NDArray[Any]:
    """Return an observation of a kind, (horizon, *shape): a pose at rest, noise for anything else.

    Raises:
        AssertionError: The spec leaves a length open.
    """
    shape = spec.type.shape
    assert None not in shape, f"{spec.type} leaves a length open; a contract may not"
    dtype = np.dtype(spec.type.dtype)
    if spec.type.kind == "pose":
        return np.tile(np.array(_AT_REST, dtype=dtype), (spec.horizon, 1))
    size = (spec.horizon, *(length for length in shape if length is not None))
    if np.issubdtype(dtype, np.integer):
        return noise.integers(0, 256, size).astype(dtype)
    return noise.random(size).astype(dtype)


def chunk_bytes(chunk: Chunk) -> bytes:
    """Return all that is in a chunk, for comparison."""
    words = f"{chunk.clock} {chunk.frame} {chunk.body} {chunk.observed}".encode()
    return words + chunk.stamps.tobytes() + chunk.poses.tobytes() + chunk.widths_m.tobytes()
