"""Which stream goes into which port: as written, else the only one that fits, else the candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import attrs

from handloom.api import InputPort
from handloom.errors import did_you_mean
from handloom.plan.graph import Node, Reference


def wire(node: Node, nodes: Mapping[str, Node]) -> tuple[dict[str, tuple[Reference, ...]], list[tuple[str, str]]]:
    """Find what feeds each port of a node.

    Returns:
        For each port its references, and (port, sentence) for each port that could not be wired.
    """
    wired: dict[str, tuple[Reference, ...]] = {}
    problems = [
        (port, f"'{node.block.kind}' has no such input{did_you_mean(port, node.ports.inputs)}")
        for port in node.block.inputs
        if port not in node.ports.inputs
    ]
    for name, port in node.ports.inputs.items():
        if name in node.block.inputs:
            references, problem = _written(node, name, port, nodes)
        elif port.many:
            references, problem = () if _takes_clock_maps(port) else _everything(node, port, nodes), ""
        else:
            references, problem = _only_fit(node, port, nodes)
        if problem:
            problems.append((name, problem))
        elif references:
            wired[name] = references
    return wired, problems


def candidates(node: Node, port: InputPort, nodes: Mapping[str, Node]) -> list[Reference]:
    """Return every declared stream of another component that fits the port, in order."""
    return [
        Reference(node=other.name, stream=stream)
        for other in nodes.values()
        if other.name != node.name
        for stream, output in other.ports.outputs.items()
        if port.fits(output.type.bind(other.name))
    ]


def _written(
    node: Node, name: str, port: InputPort, nodes: Mapping[str, Node]
) -> tuple[tuple[Reference, ...], str]:
    texts = node.block.inputs[name]
    if not port.many and len(texts) != 1:
        return (), f"{len(texts)} streams; expected one."
    problems = [problem for text in texts if (problem := _mistake(text, node, port, nodes))]
    return tuple(_split(text) for text in texts), " ".join(problems)


def _split(text: str) -> Reference:
    device, _, stream = text.partition(".")
    return Reference(node=device, stream=stream)


def _mistake(text: str, node: Node, port: InputPort, nodes: Mapping[str, Node]) -> str:
    reference = _split(text)
    others = {name: other for name, other in nodes.items() if name != node.name and other.ports.outputs}
    if not reference.stream:
        return f"'{text}' is not \"device.stream\"; {_list(candidates(node, port, nodes))}."
    if reference.node not in others:
        return f"'{reference.node}' is not a component that writes streams{did_you_mean(reference.node, others)}"
    outputs = others[reference.node].ports.outputs
    fitting = [stream for stream, output in outputs.items() if port.fits(output.type.bind(reference.node))]
    if port.many and any(fnmatchcase(stream, reference.stream) for stream in fitting):
        return ""
    if reference.stream not in outputs:
        return f"'{reference.node}' has no stream '{reference.stream}'{did_you_mean(reference.stream, outputs)}"
    if reference.stream not in fitting:
        type_ = outputs[reference.stream].type.bind(reference.node)
        return f"'{text}' is {type_}; expected {port}; {_list(candidates(node, port, nodes))}."
    return ""


def _list(references: list[Reference]) -> str:
    if not references:
        return "nothing in this pipeline fits"
    return f"what fits: {', '.join(str(reference) for reference in references)}"


def _only_fit(node: Node, port: InputPort, nodes: Mapping[str, Node]) -> tuple[tuple[Reference, ...], str]:
    fitting = candidates(node, port, nodes)
    if port.optional:
        # What is optional must not join two steps unasked: the second could need the first for another input.
        recorded = [ref for ref in fitting if nodes[ref.node].block.family in ("sensors", "pose_sources")]
        return tuple(recorded) if len(recorded) == 1 else (), ""
    if len(fitting) == 1:
        return tuple(fitting), ""
    if not fitting:
        return (), f"nothing in this pipeline gives {port}; add a component that does."
    return (), f"{len(fitting)} streams fit {port}: {', '.join(map(str, fitting))}; choose one under inputs."


def _everything(node: Node, port: InputPort, nodes: Mapping[str, Node]) -> tuple[Reference, ...]:
    """Wire a port that takes many: an exporter to all components, anything else to the sensors."""
    return tuple(
        Reference(node=other.name, stream="*")
        for other in _sources(node, nodes)
        if any(port.fits(output.type.bind(other.name)) for output in other.ports.outputs.values())
    )


def _sources(node: Node, nodes: Mapping[str, Node]) -> Iterator[Node]:
    for other in nodes.values():
        if other.role == "sensor" or (node.role == "exporter" and other.role in ("step", "frame_step")):
            yield other


def wire_clock_maps(nodes: Mapping[str, Node]) -> dict[str, Node]:
    """Give each port for clock maps that nobody wired the maps of all components that do not stand behind it.

    Args:
        nodes: By name, everything else wired, in the order of the configuration.
    """
    wired = dict(nodes)
    for name, node in nodes.items():
        for port_name, port in node.ports.inputs.items():
            if port.many and _takes_clock_maps(port) and port_name not in node.block.inputs:
                later = _behind(name, wired)
                found = tuple(ref for ref in candidates(node, port, nodes) if ref.node not in later)
                wired[name] = attrs.evolve(wired[name], inputs={**wired[name].inputs, port_name: found})
    return wired


def _takes_clock_maps(port: InputPort) -> bool:
    return port.kinds == ("clock_map",)


def _behind(name: str, nodes: Mapping[str, Node]) -> set[str]:
    """Return the names of a component and of all that need it, directly or not."""
    found, before = {name}, 0
    while len(found) > before:
        before = len(found)
        found |= {other.name for other in nodes.values() if found & set(other.feeders)}
    return found
