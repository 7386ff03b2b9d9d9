"""Where the files of exporters go, and which exporters would write the same file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from handloom.config import Pipeline
from handloom.plan.graph import Node


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
