"""A plan as text for a terminal and as a Mermaid graph for a page."""

from __future__ import annotations

from collections.abc import Iterator

from handloom.api import Rig
from handloom.plan.graph import Node, Plan
from handloom.plan.hints import kept_episodes, missing_files, rig_hints


def to_text(plan: Plan) -> str:
    """Return the plan as indented lines: each component, what feeds it, what it writes."""
    lines = [f"scene  {plan.scene}", *_rig_lines(plan.rig), *rig_hints(plan), ""]
    for node in plan.nodes.values():
        lines.extend(_node_lines(node))
    lines.append("")
    lines.extend(_episode_lines(plan))
    lines.extend(missing_files(plan))
    lines.extend(kept_episodes(plan))
    return "\n".join(lines)


def _rig_lines(rig: Rig) -> Iterator[str]:
    maps = [f"{known.source} -> {known.target}" for known in rig.clock_maps]
    frames = [f"{child} in {edge.parent}" for child, edge in sorted(rig.frames.edges.items())]
    some = maps or frames or rig.cameras
    yield f"rig    {rig.name or ('(unnamed)' if some else '(none)')}"
    if maps:
        yield f"clocks {', '.join(sorted(maps))}"
    if frames:
        yield f"frames {', '.join(frames)}"


def _node_lines(node: Node) -> Iterator[str]:
    live = "  (runs live only)" if node.role == "live" else ""
    scene = "  (once a scene)" if node.scope == "scene" else ""
    yield f"{node.name}  {node.block.kind} from {node.distribution} {node.distribution_version}{live}{scene}"
    yield f"    {node.component.summary}"
    for port, references in node.inputs.items():
        yield f"    <- {port}: {', '.join(str(reference) for reference in references)}"
    for stream, type_ in node.outputs.items():
        maybe = " (where recorded)" if node.ports.outputs[stream].optional else ""
        yield f"    -> {node.name}.{stream}: {type_}{maybe}"


def _episode_lines(plan: Plan) -> Iterator[str]:
    yield f"{len(plan.episodes)} episode{'' if len(plan.episodes) == 1 else 's'}"
    for episode, devices in plan.episodes.items():
        files = ", ".join(
            f"{device}: {' + '.join(path.name for path in paths)}" for device, paths in devices.items()
        )
        yield f"    {episode}  {files}"


def to_mermaid(plan: Plan) -> str:
    """Return the plan as a Mermaid flow chart, one box a component and one arrow a wired stream."""
    lines = ["flowchart LR"]
    ids = {name: f"n{index}" for index, name in enumerate(plan.nodes)}
    for name, node in plan.nodes.items():
        label = f"{_escaped(name)}<br/>{_escaped(node.block.kind)}"
        opening, closing = _SHAPES.get(node.role, ("[", "]"))
        lines.append(f'    {ids[name]}{opening}"{label}"{closing}')
    for name, node in plan.nodes.items():
        for references in node.inputs.values():
            lines.extend(f'    {ids[ref.node]} -- "{_escaped(ref.stream)}" --> {ids[name]}' for ref in references)
    return "\n".join(lines)


_SHAPES = {"sensor": ("([", "])"), "exporter": ("[/", "/]"), "live": ("{{", "}}")}


def _escaped(text: str) -> str:
    return text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace("*", "#42;")
