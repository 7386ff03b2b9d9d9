"""The checked graph of a pipeline: nodes, what feeds them, and in which order they can run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from handloom.api import Exporter, FrameStep, Ports, Rig, Sensor, Step
from handloom.config import Block, RunSettings
from handloom.streams import StreamType

Role = Literal["sensor", "step", "frame_step", "exporter", "live"]


@attrs.frozen(kw_only=True)
class Reference:
    """One wired stream, or several of one component.

    Attributes:
        node: Name of the component that writes it.
        stream: Its output, or a pattern like "*" for a port that takes many.
    """

    node: str
    stream: str

    def __str__(self) -> str:
        return f"{self.node}.{self.stream}"


@attrs.frozen(kw_only=True)
class Node:
    """One component of the plan.

    Attributes:
        block: As written in the configuration.
        component: The plugin's class.
        distribution: Name of the distribution it came from.
        distribution_version: Its version.
        config: The settings object.
        settings: The same as JSON values, what the ledger keeps.
        ports: Declared inputs and outputs.
        inputs: For each wired port what feeds it.
        outputs: Types with clock and frames filled in.
    """

    block: Block
    component: type[Any]
    distribution: str
    distribution_version: str
    config: Any
    settings: Mapping[str, Any]
    ports: Ports
    inputs: Mapping[str, tuple[Reference, ...]] = attrs.field(factory=dict)
    outputs: Mapping[str, StreamType] = attrs.field(factory=dict)

    @property
    def name(self) -> str:
        """The name the configuration gives it."""
        return self.block.name

    @property
    def role(self) -> Role:
        """How it takes part: run offline as a sensor, step or exporter, or only live."""
        roles: tuple[tuple[type, Role], ...] = (
            (Sensor, "sensor"),
            (FrameStep, "frame_step"),
            (Step, "step"),
            (Exporter, "exporter"),
        )
        return next((role for base, role in roles if issubclass(self.component, base)), "live")

    @property
    def scope(self) -> str:
        """Whether it runs once an episode or once a scene."""
        scope: str = getattr(self.component, "scope", "episode")
        return scope

    @property
    def feeders(self) -> tuple[str, ...]:
        """Names of the components that feed it, sorted."""
        return tuple(sorted({ref.node for refs in self.inputs.values() for ref in refs}))

    @property
    def video(self) -> Reference | None:
        """For a frame step, the video it looks at."""
        return self.inputs[self.component.video][0] if self.role == "frame_step" else None


@attrs.frozen(kw_only=True)
class Plan:
    """What a pipeline will do.

    Attributes:
        scene: The scene directory.
        rig: The described hardware.
        run: How to run.
        nodes: By name, each after all that feed it.
        episodes: For each episode the recorded files of each device.
        document: The merged configuration as JSON values; a worker makes the same plan from it.
    """

    scene: Path
    rig: Rig
    run: RunSettings
    nodes: Mapping[str, Node]
    episodes: Mapping[str, Mapping[str, tuple[Path, ...]]]
    document: Mapping[str, Any]

    def offline(self) -> tuple[Node, ...]:
        """Return the nodes that the offline runner runs, in order."""
        return tuple(node for node in self.nodes.values() if node.role != "live")

    def behind(self, name: str) -> frozenset[str]:
        """Return the names of all components that need this one, directly or not."""
        found = {name}
        for node in self.nodes.values():
            if found & set(node.feeders):
                found.add(node.name)
        return frozenset(found - {name})


def restricted(plan: Plan, episodes: Iterable[str]) -> Plan:
    """Return the plan for some episodes only.

    What runs once a scene needs all of them; it is left out, and so is whatever it feeds.
    """
    once = [name for name, node in plan.nodes.items() if node.scope == "scene"]
    left_out = {*once, *(behind for name in once for behind in plan.behind(name))}
    nodes = {name: node for name, node in plan.nodes.items() if name not in left_out}
    kept = {name: files for name, files in plan.episodes.items() if name in set(episodes)}
    return attrs.evolve(plan, nodes=nodes, episodes=kept)
