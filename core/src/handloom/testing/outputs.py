"""Hold what a component gave against what it declared, and give it a digest so that two runs can be compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from handloom.api import OutputPort, Outputs, Ports
from handloom.streams import Samples, Stream, StreamType, Video


def check_outputs(
    outputs: Outputs, ports: Ports, clocks: Mapping[str, str] | None = None, *, more: bool = False
) -> None:
    """Check every stream, attribute and note.

    Args:
        outputs: What the component gave.
        ports: What it declared.
        clocks: By input port the clock of the stream wired to it.
        more: Whether streams that are not declared may be there too, as a sensor's files may hold anything.

    Raises:
        AssertionError: The outputs are not as declared; says which and how.
    """
    undeclared = sorted(set(outputs.streams) - set(ports.outputs))
    assert more or not undeclared, f"gave streams that its ports do not declare: {undeclared}"
    for name, port in sorted(ports.outputs.items()):
        stream = outputs.streams.get(name)
        assert stream is not None or port.optional, f"did not give '{name}', which is declared and not optional"
        if stream is not None:
            _check_type(name, stream.type, _with_frame(port, clocks or {}), (clocks or {}).get(port.clock_of))
            _check_stream(name, stream)
    for name in undeclared:
        _check_stream(name, outputs.streams[name])
    json.dumps(dict(outputs.attributes), allow_nan=False)
    for ending, text in outputs.beside.items():
        assert ending.startswith("."), f"a text beside a file is named by an ending; found {ending!r}"
        assert isinstance(text, str), f"'{ending}' is {type(text).__name__}; what goes beside a file is text"
    for note in outputs.notes:
        assert note.strip() == note, f"a note is a sentence without blanks around it; found {note!r}"
        assert note.endswith((".", "!", "?")), f"a note is a whole sentence; found {note!r}"


def _with_frame(port: OutputPort, clocks: Mapping[str, str]) -> OutputPort:
    """Return the port with the frame that a wired clock gives it."""
    frame = clocks.get(port.frame_clock_of, port.type.frame)
    return attrs.evolve(port, type=attrs.evolve(port.type, frame=frame))


def _check_type(name: str, type_: StreamType, port: OutputPort, clock: str | None) -> None:
    declared = port.type
    assert type_.clock in (declared.clock, clock), (
        f"'{name}' is stamped on clock '{type_.clock}'; declared is '{clock or declared.clock}'"
    )
    for field in ("kind", "dtype", "unit", "frame", "body"):
        want, have = getattr(declared, field), getattr(type_, field)
        assert have == want, f"'{name}' has {field} {have!r}; declared is {want!r}"
    assert declared.allows(type_.shape), f"'{name}' has shape {type_.shape}; declared is {declared.shape}"


def _check_stream(name: str, stream: Stream) -> None:
    stamps = stream.all_stamps() if isinstance(stream, Samples) else stream.stamps
    assert stamps.dtype == np.int64, f"'{name}' has stamps of {stamps.dtype}; stamps are int64 ns"
    assert (np.diff(stamps) >= 0).all(), f"'{name}' has stamps that go back"
    json.dumps(dict(stream.attributes), allow_nan=False)
    if stream.type.kind == "pose" and isinstance(stream, Samples):
        assert stream.tracked is not None, f"'{name}' does not say where it is tracked"
        finite = np.isfinite(stream.data).all(axis=1)
        empty = np.isnan(stream.data).all(axis=1)
        assert (finite == stream.tracked).all(), f"'{name}': lost means NaN and tracked = false"
        assert (finite | empty).all(), f"'{name}' has a row that is half lost"


def json_text(outputs: Outputs) -> str:
    """Return all attributes and notes as one text: what ends up in a store besides arrays."""
    streams = {name: dict(stream.attributes) for name, stream in outputs.streams.items()}
    said = [dict(outputs.attributes), streams, list(outputs.notes), dict(outputs.beside)]
    return json.dumps(said, sort_keys=True, ensure_ascii=False)


def digest(outputs: Outputs) -> str:
    """Return a digest of every array, type, attribute and note; equal means the same bytes."""
    state = hashlib.sha256(json_text(outputs).encode())
    for name, stream in sorted(outputs.streams.items()):
        state.update(name.encode())
        state.update(json.dumps(stream.type.to_json(), sort_keys=True).encode())
        for field in attrs.fields(Samples if isinstance(stream, Samples) else Video):
            _update(state, field.name, getattr(stream, field.name))
    return state.hexdigest()


def _update(state: Any, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray):
        state.update(f"{name} {value.dtype} {value.shape}".encode())
        state.update(np.ascontiguousarray(value).tobytes())
    elif name in ("rotation_deg", "codec"):
        state.update(f"{name} {value}".encode())
