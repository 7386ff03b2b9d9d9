"""The tree of coordinate frames: every frame hangs under one parent by a fixed or a timed transform."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import ClockError, FrameError, did_you_mean
from handloom.geometry import pose
from handloom.geometry.arrays import BoolArray, FloatArray, Int64Array
from handloom.geometry.edges import Edge, StaticEdge, TimedEdge
from handloom.geometry.interpolate import as_stamps


def _read_only(edges: Mapping[str, Edge]) -> Mapping[str, Edge]:
    return MappingProxyType(dict(edges))


@attrs.frozen(eq=False)
class FrameTree:
    """Coordinate frames joined by transforms; adding one returns a new tree.

    Several trees may stand side by side; asking for a transform between two of them is an error.

    Attributes:
        edges: By child frame.
    """

    edges: Mapping[str, Edge] = attrs.field(factory=dict, converter=_read_only)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames, sorted."""
        return tuple(sorted({name for edge in self.edges.values() for name in (edge.parent, edge.child)}))

    def with_static(self, parent: str, child: str, T_parent_child: npt.ArrayLike) -> FrameTree:
        """Return the tree with a fixed transform more.

        Args:
            parent: Frame a.
            child: Frame b, which has no parent yet.
            T_parent_child: (7,) metres and unit quaternion x y z w.

        Raises:
            FrameError: The transform is not one, the child has a parent, or the frames would form a ring.
        """
        return self._with(StaticEdge(parent=parent, child=child, T_parent_child=T_parent_child))

    def with_timed(
        self,
        parent: str,
        child: str,
        stamps: npt.ArrayLike,
        poses: npt.ArrayLike,
        tracked: npt.ArrayLike,
        max_gap_ns: int,
        *,
        clock: str = "",
    ) -> FrameTree:
        """Return the tree with a tracked transform more.

        Args:
            parent: Frame a.
            child: Frame b, which has no parent yet.
            stamps: (N,) int64 ns, never decreasing.
            poses: (N, 7) T_parent_child, NaN where lost.
            tracked: (N,) bool.
            max_gap_ns: Largest distance between two samples that is bridged.
            clock: Name of the clock of the stamps; timed transforms of different clocks are never combined.

        Raises:
            FrameError: The child has a parent, or the frames would form a ring.
            StreamError: Stamps, poses and flags do not go together.
        """
        edge = TimedEdge(
            parent=parent,
            child=child,
            stamps=stamps,
            poses=poses,
            tracked=tracked,
            max_gap_ns=max_gap_ns,
            clock=clock,
        )
        return self._with(edge)

    def transform(self, a: str, b: str) -> FloatArray:
        """Return T_a_b, (7,), of two frames that do not move against each other.

        Raises:
            FrameError: A frame is unknown, no transforms join them, or one on the way changes with time.
        """
        up, down = self._path(a, b)
        for edge in (*up, *down):
            if isinstance(edge, TimedEdge):
                raise FrameError(
                    f"T_{a}_{b} changes with time, as '{edge.child}' moves in '{edge.parent}'; "
                    f"use transform_at with stamps."
                )
        poses, _ = _along(up, down, np.zeros(1, dtype=np.int64))
        whole: FloatArray = poses[0]
        return whole

    def transform_at(
        self, a: str, b: str, stamps: npt.ArrayLike, *, clock: str = ""
    ) -> tuple[FloatArray, BoolArray]:
        """Return T_a_b at stamps; lost wherever any transform on the way is.

        Args:
            a: Frame the result is expressed in.
            b: Frame that is mapped.
            stamps: (N,) int64 ns on the clock of the timed transforms.
            clock: Name of that clock, to have it checked.

        Returns:
            (N, 7) poses, NaN where lost, and (N,) tracked.

        Raises:
            FrameError: A frame is unknown or no transforms join them.
            ClockError: Timed transforms on the way are on different clocks, or not on the one named.
        """
        up, down = self._path(a, b)
        _check_clocks((*up, *down), clock)
        return _along(up, down, as_stamps(stamps))

    def root(self, frame: str) -> str:
        """Return the frame at the top of the tree that a frame hangs in.

        Raises:
            FrameError: The frame is unknown.
        """
        self._check_known(frame)
        chain = self._ancestors(frame)
        return chain[-1].parent if chain else frame

    def _with(self, edge: Edge) -> FrameTree:
        if not edge.parent or not edge.child:
            raise FrameError(f"Both frames need names; found parent '{edge.parent}' and child '{edge.child}'.")
        if edge.child in self.edges:
            raise FrameError(
                f"Frame '{edge.child}' already hangs under '{self.edges[edge.child].parent}' and can't hang under "
                f"'{edge.parent}' too; a frame has one parent."
            )
        above = [edge.parent, *(known.parent for known in self._ancestors(edge.parent))]
        if edge.child in above:
            ring = " under ".join(f"'{name}'" for name in (edge.child, *above[: above.index(edge.child) + 1]))
            raise FrameError(f"The frames would form a ring: {ring}.")
        return FrameTree({**self.edges, edge.child: edge})

    def _check_known(self, frame: str) -> None:
        if frame not in self.frames:
            raise FrameError(f"Frame '{frame}' is unknown{did_you_mean(frame, self.frames)}")

    def _ancestors(self, frame: str) -> list[Edge]:
        """Return the edges from a frame up to its root."""
        chain: list[Edge] = []
        while frame in self.edges:
            chain.append(self.edges[frame])
            frame = chain[-1].parent
        return chain

    def _path(self, a: str, b: str) -> tuple[list[Edge], list[Edge]]:
        """Return the edges from a up, and those from b up, to the frame where both meet."""
        if self.root(a) != self.root(b):
            raise FrameError(
                f"Frames '{a}' and '{b}' are not joined: '{a}' hangs under '{self.root(a)}' and '{b}' under "
                f"'{self.root(b)}'; a transform between the two trees is missing."
            )
        up, down = self._ancestors(a), self._ancestors(b)
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return up, down


def _along(up: list[Edge], down: list[Edge], stamps: Int64Array) -> tuple[FloatArray, BoolArray]:
    T_top_a, a_tracked = _descend(up, stamps)
    T_top_b, b_tracked = _descend(down, stamps)
    return pose.compose(pose.inverse(T_top_a), T_top_b), a_tracked & b_tracked


def _descend(edges: list[Edge], stamps: Int64Array) -> tuple[FloatArray, BoolArray]:
    """Return T_top_bottom along edges given from the bottom up, (N, 7), and (N,) tracked."""
    T_top_frame, tracked = np.tile(pose.IDENTITY, (len(stamps), 1)), np.ones(len(stamps), dtype=bool)
    for edge in reversed(edges):
        T_parent_child, seen = edge.at(stamps)
        T_top_frame, tracked = pose.compose(T_top_frame, T_parent_child), tracked & seen
    return T_top_frame, tracked


def _check_clocks(edges: tuple[Edge, ...], asked: str) -> None:
    clocks = {edge.clock for edge in edges if isinstance(edge, TimedEdge)} - {""}
    if asked and clocks:
        clocks.add(asked)
    if len(clocks) > 1:
        raise ClockError(
            f"Transforms and stamps are on different clocks, {', '.join(sorted(clocks))}; map them to one first."
        )
