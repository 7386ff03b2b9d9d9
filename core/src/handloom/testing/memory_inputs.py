"""The inputs of a step, held in memory: what a store would hand it, without a store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from handloom.api import Rig
from handloom.errors import StepError, did_you_mean
from handloom.streams import Samples, Stream, Video


def _read_only(streams: Mapping[str, Stream | Mapping[str, Stream]]) -> dict[str, Stream | Mapping[str, Stream]]:
    """Return the same wiring over views that refuse to be written, as a store's arrays are another step's too."""
    return {
        port: {name: _locked(stream) for name, stream in sorted(wired.items())}
        if isinstance(wired, Mapping)
        else _locked(wired)
        for port, wired in streams.items()
    }


def _locked(stream: Stream) -> Stream:
    arrays: dict[str, Any] = {
        field.name: value.view()
        for field in attrs.fields(type(stream))
        if isinstance(value := getattr(stream, field.name), np.ndarray)
    }
    for array in arrays.values():
        array.flags.writeable = False
    return attrs.evolve(stream, **arrays)


@attrs.frozen(kw_only=True)
class MemoryInputs:
    """An implementation of `handloom.api.Inputs` for tests and examples; its arrays can't be written.

    Attributes:
        wired: By port the stream, or for a `many` port the streams by their full names.
        files: The recorded files of the component.
        episode: The episode's id.
        rig: The described hardware.
        written: By port the attributes of the component that wrote the stream.
        parts: For a component of the whole scene, what it sees of each episode.
    """

    wired: Mapping[str, Stream | Mapping[str, Stream]] = attrs.field(factory=dict, converter=_read_only)
    files: tuple[Path, ...] = ()
    episode: str = "episode-0"
    rig: Rig = attrs.field(factory=Rig)
    written: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    parts: Mapping[str, MemoryInputs] = attrs.field(factory=dict)

    @property
    def episodes(self) -> tuple[str, ...]:
        """The episodes of the parts; without parts the episode alone."""
        return tuple(self.parts) or (self.episode,)

    def of(self, episode: str) -> MemoryInputs:
        """Return what is seen of one episode.

        Raises:
            StepError: There is no such episode.
        """
        if episode not in self.episodes:
            raise StepError(f"There is no episode '{episode}'{did_you_mean(episode, self.episodes)}")
        return self.parts.get(episode, self)

    def samples(self, port: str) -> Samples:
        """Return the samples wired to a port.

        Raises:
            StepError: Nothing, or no samples, are wired to it.
        """
        stream = self.wired.get(port)
        if not isinstance(stream, Samples):
            raise StepError(f"Episode {self.episode} has no samples on port '{port}'.")
        return stream

    def video(self, port: str) -> Video:
        """Return the video wired to a port.

        Raises:
            StepError: Nothing, or no video, is wired to it.
        """
        stream = self.wired.get(port)
        if not isinstance(stream, Video):
            raise StepError(f"Episode {self.episode} has no video on port '{port}'.")
        return stream

    def streams(self, port: str) -> Mapping[str, Stream]:
        """Return all streams wired to a `many` port, sorted by name; none when nothing is."""
        wired = self.wired.get(port, {})
        return wired if isinstance(wired, Mapping) else {port: wired}

    def attributes(self, port: str) -> Mapping[str, Any]:
        """Return the attributes of the component that wrote the stream wired to a port."""
        return self.written.get(port, {})
