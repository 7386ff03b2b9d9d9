"""Where the files of exporters go, which would write the same file, and which could not write theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import attrs

from handloom.api import declared_clock_maps
from handloom.config import Document, Pipeline
from handloom.plan.graph import Node, Plan
from handloom.streams import StreamType


def export_folder(node: Node, scene: Path) -> Path:
    """Return where an exporter's files go: the `folder` as written, else `exports` beside the scene."""
    return node.block.folder or scene.parent / "exports"


def export_file(node: Node, scene: Path, episode: str) -> Path:
    """Return the file that an exporter writes for an episode; "" is the whole scene, whose file has its name."""
    return export_folder(node, scene) / f"{episode or scene.name}{node.component.suffix}"


def clashing_exports(pipeline: Pipeline, nodes: Mapping[str, Node]) -> list[str]:
    """Return a sentence for each exporter that would write into the scene, or the files of one before it."""
    taken: dict[tuple[Path, str], str] = {}
    problems = []
    for node in nodes.values():
        if node.role != "exporter":
            continue
        place = (export_folder(node, pipeline.scene.store), node.component.suffix)
        if place[0].is_relative_to(pipeline.scene.store):
            message = f"{place[0]} lies inside the scene, which keeps no other files; choose a folder beside it."
            problems.append(pipeline.document.problem((*node.block.key, "folder"), message))
        if place in taken:
            message = f"would write the same files as '{taken[place]}'; give one another folder."
            problems.append(pipeline.document.problem((*node.block.key, "folder"), message))
        taken.setdefault(place, node.name)
    return problems


def impossible_exports(document: Document, plan: Plan) -> list[str]:
    """Return what exporters have against the streams that an episode is sure to give them, each sentence once."""
    return [
        document.problem(node.block.key, sentence)
        for node in plan.nodes.values()
        if node.role == "exporter"
        for sentence in dict.fromkeys(_objections(plan, node))
    ]


def _objections(plan: Plan, node: Node) -> Iterator[str]:
    rig = attrs.evolve(plan.rig, clock_maps=declared_clock_maps(plan.rig.clock_maps, _wired_types(plan, node)))
    for episode in plan.episodes:
        types = _sure_types(plan, node, episode)
        yield from node.component.check(node.config, types, rig)


def _wired_types(plan: Plan, exporter: Node) -> Iterator[StreamType]:
    """Yield the types of all wired streams; a map that a recording may lack may still join its clocks."""
    for references in exporter.inputs.values():
        for reference in references:
            outputs = plan.nodes[reference.node].outputs
            yield from (type_ for stream, type_ in outputs.items() if fnmatchcase(stream, reference.stream))


def _sure_types(plan: Plan, exporter: Node, episode: str) -> dict[str, StreamType]:
    """Return the types of the wired streams that an episode must have, by full name, sorted.

    A device that the episode does not name gives nothing, and what stands behind it may not run.
    """
    devices = plan.episodes[episode]
    away = [name for name, node in plan.nodes.items() if node.ports.files and name not in devices]
    unsure = {*away, *(behind for name in away for behind in plan.behind(name))}
    found = {
        f"{reference.node}.{stream}": type_
        for port, references in exporter.inputs.items()
        for reference in references
        if reference.node not in unsure and plan.nodes[reference.node].role != "live"
        for stream, type_ in plan.nodes[reference.node].outputs.items()
        if fnmatchcase(stream, reference.stream)
        and not plan.nodes[reference.node].ports.outputs[stream].optional
        and exporter.ports.inputs[port].fits(type_)
    }
    return dict(sorted(found.items()))
