"""Turn a set of known transforms into trees, since Foxglove lets every frame have one parent only.

A rig knows `T_tcp_camera` and a tracker gives `T_world_camera`: as they stand, the camera would have two parents
and the tool would hang off nothing. Turned round where needed, they are world -> camera -> tcp.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import attrs


@attrs.frozen(kw_only=True)
class Edge:
    """A known transform `T_parent_child` between two frames.

    Attributes:
        parent: The frame it maps to.
        child: The frame it maps from.
        stream: Full name of the pose stream that gives it; "" for one that never changes.
        turned: Whether `parent` and `child` are those of the inverse of what is known.
    """

    parent: str
    child: str
    stream: str = ""
    turned: bool = False

    def turn(self) -> Edge:
        """Return the edge of the inverse transform."""
        return Edge(parent=self.child, child=self.parent, stream=self.stream, turned=not self.turned)


def plant(edges: Sequence[Edge]) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    """Choose and turn edges so that every frame has at most one parent.

    Args:
        edges: Known transforms, the most trusted first; one that would close a loop is left out.

    Returns:
        The edges of the trees, each pointing away from its root, and the edges left out. The root of a tree is the
        parent of its first timed edge, or of its first edge when none is timed.
    """
    kept, left_out = _without_loops(edges)
    planted: list[Edge] = []
    reached: set[str] = set()
    for edge in sorted(kept, key=lambda edge: not edge.stream):
        if edge.parent not in reached:
            planted += _grow(edge.parent, kept, reached)
    return tuple(planted), left_out


def _without_loops(edges: Sequence[Edge]) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    tree_of: dict[str, str] = {}

    def tree(frame: str) -> str:
        while tree_of.get(frame, frame) != frame:
            frame = tree_of[frame]
        return frame

    kept: list[Edge] = []
    left_out: list[Edge] = []
    for edge in edges:
        parent, child = tree(edge.parent), tree(edge.child)
        (left_out if parent == child else kept).append(edge)
        tree_of[child] = parent
    return tuple(kept), tuple(left_out)


def _grow(root: str, edges: Sequence[Edge], reached: set[str]) -> list[Edge]:
    """Return the edges of the tree of `root`, pointing away from it, and mark its frames as reached."""
    grown: list[Edge] = []
    reached.add(root)
    waiting = deque([root])
    while waiting:
        frame = waiting.popleft()
        for edge in (*edges, *(edge.turn() for edge in edges)):
            if edge.parent == frame and edge.child not in reached:
                grown.append(edge)
                reached.add(edge.child)
                waiting.append(edge.child)
    return grown
