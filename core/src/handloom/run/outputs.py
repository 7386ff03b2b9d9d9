"""What a component made, held against what it declared."""

from __future__ import annotations

import attrs

from handloom.api import Outputs
from handloom.errors import StreamError
from handloom.plan import Node
from handloom.streams import Samples, Stream, StreamType


def checked(node: Node, outputs: Outputs) -> dict[str, Stream]:
    """Return the streams with the component's name filled in for "@".

    A sensor may write streams it did not declare, for whatever its files hold; they are kept but can't be wired.

    Raises:
        StreamError: A declared stream is missing or of another type, or a step wrote one it did not declare.
    """
    if outputs.beside and node.role != "exporter":
        raise StreamError(f"'{node.block.kind}' gives texts to go beside a file, but only exporters write files.")
    missing = [
        name for name, port in node.ports.outputs.items() if not port.optional and name not in outputs.streams
    ]
    if missing:
        raise StreamError(f"'{node.block.kind}' declares {', '.join(missing)} but did not write it.")
    return {name: _checked(node, name, stream) for name, stream in sorted(outputs.streams.items())}


def _checked(node: Node, name: str, stream: Stream) -> Stream:
    declared = node.outputs.get(name)
    type_ = _with_lengths(stream).bind(node.name)
    if declared is None:
        if node.role != "sensor":
            raise StreamError(f"'{node.block.kind}' wrote a stream '{name}' that it does not declare.")
        return attrs.evolve(stream, type=type_)
    if type_.clock == node.name and node.ports.outputs[name].clock_of:
        type_ = attrs.evolve(type_, clock=declared.clock)
    if not _same(declared, type_):
        raise StreamError(f"'{node.block.kind}' declares {name} as {declared} but wrote {type_}.")
    return attrs.evolve(stream, type=type_)


def _with_lengths(stream: Stream) -> StreamType:
    """Return the type with the lengths that only the recording could tell."""
    shape = stream.data.shape[1:] if isinstance(stream, Samples) else stream.type.shape
    return attrs.evolve(stream.type, shape=shape)


def _same(declared: StreamType, found: StreamType) -> bool:
    return declared.allows(found.shape) and attrs.evolve(declared, shape=()) == attrs.evolve(found, shape=())
