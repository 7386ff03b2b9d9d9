"""From a configuration to a plan: load plugins, check settings, wire, order; all mistakes at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from handloom.config import (
    Block,
    Document,
    dotted_name,
    load_document,
    parse_pipeline,
    settings_json,
    structure,
    with_matched_episodes,
)
from handloom.errors import ConfigError, PluginError
from handloom.host import Host
from handloom.plan.exports import clashing_exports, impossible_exports
from handloom.plan.graph import Node, Plan
from handloom.plan.wiring import wire, wire_clock_maps
from handloom.streams import StreamType

_MOVES_A_ROBOT = "this is a control pipeline, which moves a robot; check it with: handloom control check {file}"


def load_plan(path: Path, host: Host, overrides: Iterable[str] = ()) -> Plan:
    """Read a pipeline file and make its plan; nothing is opened, but folders are listed for `[episodes."*"]`.

    Raises:
        ConfigError: With all mistakes of the configuration.
    """
    document, problems = with_matched_episodes(load_document(path, overrides))
    if problems:
        raise ConfigError(problems)
    return build_plan(document, host)


def build_plan(document: Document, host: Host) -> Plan:
    """Make the plan of a document.

    Raises:
        ConfigError: With all mistakes of the configuration, or because it moves a robot and runs no steps.
    """
    if "control" in document.tables:
        raise ConfigError([document.problem(("control",), _MOVES_A_ROBOT.format(file=document.origin.label))])
    pipeline, problems = parse_pipeline(document)
    nodes: dict[str, Node] = {}
    for block in pipeline.blocks:
        node = _load(document, block, host, problems)
        if node:
            nodes[block.name] = node
    lost = {block.name for block in pipeline.blocks} - set(nodes)
    wired = {name: _wired(document, node, nodes, problems, lost) for name, node in nodes.items()}
    wired = wire_clock_maps(wired)
    problems.extend(clashing_exports(pipeline, wired))
    ordered = _ordered(document, wired, problems)
    if problems:
        raise ConfigError(problems)
    plan = Plan(
        scene=pipeline.scene.store,
        rig=pipeline.rig,
        run=pipeline.run,
        nodes=_with_outputs(ordered),
        episodes=pipeline.episodes,
        document=document.to_json(),
    )
    if impossible := impossible_exports(document, plan):
        raise ConfigError(impossible)
    return plan


def _load(document: Document, block: Block, host: Host, problems: list[str]) -> Node | None:
    try:
        loaded = host.load(block.family, block.kind)
    except PluginError as error:
        problems.append(document.problem((*block.key, "kind"), str(error)))
        return None
    config, mistakes = structure(document, block.key, block.table, loaded.component.Config)
    if config is None:
        problems.extend(mistakes)
        return None
    return Node(
        block=block,
        component=loaded.component,
        distribution=loaded.found.distribution,
        distribution_version=loaded.found.version,
        config=config,
        settings=settings_json(config),
        ports=loaded.component.ports(config),
    )


def _wired(document: Document, node: Node, nodes: Mapping[str, Node], problems: list[str], lost: set[str]) -> Node:
    """Wire a node; what a lost block, one with mistakes of its own, would have fed is not reported again."""
    inputs, mistakes = wire(node, nodes)
    for port, text in mistakes:
        written = {reference.partition(".")[0] for reference in node.block.inputs.get(port, ())}
        if not (written & lost if written else lost):
            problems.append(document.problem((*node.block.key, "inputs", port), text))
    return attrs.evolve(node, inputs=inputs)


def _ordered(document: Document, nodes: Mapping[str, Node], problems: list[str]) -> dict[str, Node]:
    """Sort nodes so that each stands after all that feed it; keeps the order of the file where it can."""
    ordered: dict[str, Node] = {}
    waiting = dict(nodes)
    while waiting:
        ready = [name for name, node in waiting.items() if not set(node.feeders) & set(waiting)]
        if not ready:
            circle = ", ".join(dotted_name(node.block) for node in waiting.values())
            first = next(iter(waiting.values()))
            problems.append(document.problem(first.block.key, f"these feed one another in a circle: {circle}."))
            return ordered
        for name in ready:
            ordered[name] = waiting.pop(name)
    return ordered


def _with_outputs(nodes: Mapping[str, Node]) -> dict[str, Node]:
    """Fill in the clocks of every output, following `clock_of` and `frame_clock_of` through the graph."""
    bound: dict[str, Node] = {}
    for name, node in nodes.items():
        bound[name] = attrs.evolve(node, outputs=_output_types(node, bound))
    return bound


def _output_types(node: Node, before: Mapping[str, Node]) -> dict[str, StreamType]:
    types: dict[str, StreamType] = {}
    for stream, output in node.ports.outputs.items():
        type_ = output.type.bind(node.name)
        if output.clock_of in node.inputs:
            type_ = attrs.evolve(type_, clock=_clock_wired_to(node, output.clock_of, before))
        if output.frame_clock_of in node.inputs:
            type_ = attrs.evolve(type_, frame=_clock_wired_to(node, output.frame_clock_of, before))
        types[stream] = type_
    return types


def _clock_wired_to(node: Node, port: str, before: Mapping[str, Node]) -> str:
    source = node.inputs[port][0]
    return before[source.node].outputs[source.stream].clock
