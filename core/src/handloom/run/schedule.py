"""What can run now: components become units of work, and frame steps of the same video share one."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from handloom.plan import Node, Plan, feeding, instances


@attrs.frozen
class Unit:
    """Work for one process: one component, or the frame steps of one decode pass, on one episode.

    Attributes:
        nodes: Names of the components.
        episode: The episode; "" for the scene.
    """

    nodes: tuple[str, ...]
    episode: str


def units(plan: Plan) -> list[Unit]:
    """Return all units of a plan, each after those it may depend on."""
    found: list[Unit] = []
    for group in _groups(plan):
        found.extend(Unit(tuple(node.name for node in group), episode) for episode in instances(plan, group[0]))
    return found


def _groups(plan: Plan) -> list[list[Node]]:
    """Put frame steps of one video together, those that build on an earlier pass in a pass of their own."""
    depths = _depths(plan)
    groups: dict[object, list[Node]] = {}
    for node in plan.offline():
        key = (str(node.video), depths[node.name]) if node.role == "frame_step" else node.name
        groups.setdefault(key, []).append(node)
    return list(groups.values())


def _depths(plan: Plan) -> Mapping[str, int]:
    """Count, for each component, how many decode passes must have ended before it can start."""
    depths: dict[str, int] = {}
    for node in plan.offline():
        depths[node.name] = max(
            (depths[name] + (plan.nodes[name].role == "frame_step") for name in node.feeders), default=0
        )
    return depths


def needs(plan: Plan, unit: Unit) -> frozenset[tuple[str, str]]:
    """Return the (component, episode) pairs that must have ended before a unit can start."""
    return frozenset(
        (feeder.name, episode)
        for name in unit.nodes
        for feeder, episode in feeding(plan, plan.nodes[name], unit.episode)
    )
