"""The inputs of the exporter `umi`, and the one stream of an episode that stands behind each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handloom.api import InputPort, Inputs, Ports, Rig
from handloom.errors import ClockError, StepError
from handloom.streams import Samples, Stream, StreamType, Video
from handloom_exporters.umi.config import UmiConfig

_KINDS: Mapping[str, tuple[str, ...]] = {
    "camera": ("video",),
    "finger": ("video",),
    "microphone": ("audio", "vector"),
}


def umi_ports(config: UmiConfig) -> Ports:
    """Return the inputs; each takes a stream of every episode."""
    inputs: dict[str, InputPort] = {}
    for number in range(config.robots):
        inputs[f"robot{number}_pose"] = InputPort(kinds="pose", body=config.tcp_body, many=True)
        inputs[f"robot{number}_width"] = InputPort(kinds="scalar", unit="m", many=True)
    counts = {"camera": config.cameras, "microphone": config.microphones, "finger": config.fingers}
    for name, count in counts.items():
        for number in range(count):
            inputs[f"{name}{number}"] = InputPort(kinds=_KINDS[name], many=True)
    if config.verdict:
        inputs["verdict"] = InputPort(kinds="scalar", unit="1", many=True, optional=True)
    inputs["clock_maps"] = InputPort(kinds="clock_map", many=True, optional=True)
    return Ports(inputs=inputs)


def objections(config: UmiConfig, types: Mapping[str, StreamType], rig: Rig) -> Iterator[str]:
    """Yield what can be known before anything runs: poses of another body, clocks that nothing joins."""
    for name, type_ in sorted(types.items()):
        if type_.kind == "pose" and type_.body != config.tcp_body:
            yield (
                f"'{name}' holds poses of '{type_.body}'; a dataset holds poses of the fingertip midpoint, "
                f"'{config.tcp_body}'. Put a step between that carries them there."
            )
    videos = [type_.clock for _, type_ in sorted(types.items()) if type_.kind == "video"]
    for name, type_ in sorted(types.items()):
        if not videos or type_.kind == "clock_map":
            continue
        try:
            rig.clock_maps.between(type_.clock, videos[0])
        except ClockError as error:
            yield f"'{name}' can't be brought to the frames: {error}"


def only_stream(inputs: Inputs, port: str) -> tuple[str, Stream]:
    """Return the stream that an episode has on a port, with its full name.

    Raises:
        StepError: It has none, or several.
    """
    found = inputs.streams(port)
    if not found:
        raise StepError(f"it has no stream for '{port}'.")
    if len(found) > 1:
        raise StepError(f"{len(found)} streams fit '{port}' ({', '.join(found)}); name one under inputs.")
    ((name, stream),) = found.items()
    if not len(stream):
        raise StepError(f"'{name}' is empty.")
    return name, stream


def only_samples(inputs: Inputs, port: str) -> tuple[str, Samples]:
    """Return the samples on a port, with their full name.

    Raises:
        StepError: There are none, or several streams.
    """
    name, stream = only_stream(inputs, port)
    if not isinstance(stream, Samples):
        raise StepError(f"'{name}' on '{port}' is a video; expected samples.")
    return name, stream


def only_video(inputs: Inputs, port: str) -> tuple[str, Video]:
    """Return the video on a port, with its full name.

    Raises:
        StepError: There is none, or several.
    """
    name, stream = only_stream(inputs, port)
    if not isinstance(stream, Video):
        raise StepError(f"'{name}' on '{port}' is {stream.type}; expected a video.")
    return name, stream


def usable_streams(inputs: Inputs) -> dict[str, Samples]:
    """Return the streams that say which rows may be used; other numbers without unit are passed over."""
    return {
        name: stream
        for name, stream in inputs.streams("verdict").items()
        if name.endswith(".usable") and isinstance(stream, Samples)
    }
