"""What a step sees of its episode: the committed streams wired to it, read from the store on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import attrs

from handloom.api import Rig, clock_map_of
from handloom.errors import StepError, StoreError, did_you_mean
from handloom.plan import RIG, Node, Plan, Reference, feeding, files_of, key_of, rig_digest, usable_digest
from handloom.store import Scene, StepKey
from handloom.streams import Samples, Stream, Video
from handloom.time import ClockMap, ClockMaps


class StoreInputs:
    """The inputs of one component of one episode, or of the scene.

    Streams of a scene-wide component are named "episode/device.stream".
    """

    def __init__(
        self, plan: Plan, node: Node, episode: str, scene: Scene, *, whole: StoreInputs | None = None
    ) -> None:
        self._plan = plan
        self._node = node
        self._scene = scene
        self._whole = whole
        self._looked_at_rig = False
        self.episode = episode

    @property
    def episodes(self) -> tuple[str, ...]:
        """The scene's episodes, for a component of the whole scene; the episode alone otherwise."""
        return (self.episode,) if self.episode else tuple(self._plan.episodes)

    def of(self, episode: str) -> StoreInputs:
        """Return what a component of the whole scene sees of one episode."""
        if episode not in self.episodes:
            raise StepError(f"this scene has no episode '{episode}'{did_you_mean(episode, self.episodes)}")
        return self if self.episode else StoreInputs(self._plan, self._node, episode, self._scene, whole=self)

    @property
    def files(self) -> tuple[Path, ...]:
        """The recorded files that the episode names for the component."""
        return files_of(self._plan, self._node, self.episode)

    @property
    def rig(self) -> Rig:
        """The hardware with the episode's clock maps; a step that looks at it is stale when it changes."""
        (self._whole or self)._looked_at_rig = True
        return attrs.evolve(self._plan.rig, clock_maps=self._clock_maps())

    def _clock_maps(self) -> ClockMaps:
        """Return the rig's clock maps and the wired ones; of listed ones the first of each pair of clocks."""
        maps = self._plan.rig.clock_maps
        for (key, name), listed in self._wired_clock_maps().items():
            known = clock_map_of(self._read(key, name))
            if not (listed and _joined(maps, known)):
                maps = maps.with_map(known)
        return maps

    def _wired_clock_maps(self) -> dict[tuple[StepKey, str], bool]:
        """Return where the clock maps of this episode, or of the scene, are kept, and whether they were listed."""
        return {
            (key, name): port in self._node.block.inputs
            for port in self._node.inputs
            for _, key, name in self._many(port)
            if key.episode in ("", self.episode) and self._is_clock_map(key, name)
        }

    def _is_clock_map(self, key: StepKey, name: str) -> bool:
        entry = self._scene.entry(key)
        return bool(entry and entry.commit and entry.commit.streams[name]["type"]["kind"] == "clock_map")

    def samples(self, port: str) -> Samples:
        """Read the samples wired to a port."""
        stream = self._only(port)
        if not isinstance(stream, Samples):
            raise StepError(f"'{self._reference(port)}' is a video; its frames are decoded, not read as samples.")
        return stream

    def video(self, port: str) -> Video:
        """Return the video wired to a port."""
        stream = self._only(port)
        if not isinstance(stream, Video):
            raise StepError(f"'{self._reference(port)}' is no video but {stream.type}.")
        return stream

    def streams(self, port: str) -> Mapping[str, Stream]:
        """Read all streams wired to a port that takes many, by full name, sorted."""
        found = {name: self._read(key, stream) for name, key, stream in self._many(port)}
        input_port = self._node.ports.inputs[port]
        return {name: stream for name, stream in sorted(found.items()) if input_port.fits(stream.type)}

    def attributes(self, port: str) -> Mapping[str, Any]:
        """Return the attributes of the component that wrote the stream wired to a port."""
        key = self._key(self._reference(port).node)
        return self._scene.read(key).attributes

    def digests(self) -> dict[str, str]:
        """Return the digest of each group that feeds it, and of the rig if it was looked at."""
        found: dict[str, str] = {}
        for feeder, episode in feeding(self._plan, self._node, self.episode):
            key = key_of(feeder, episode)
            found[key.path] = usable_digest(self._scene.entry(key))
        return {**found, RIG: rig_digest(self._plan)} if self._looked_at_rig else found

    def _only(self, port: str) -> Stream:
        reference = self._reference(port)
        key = self._key(reference.node)
        names = self._streams_of(key)
        if not names:
            raise StepError(f"this episode has nothing from '{reference.node}', which '{port}' needs.")
        if reference.stream not in names:
            raise StepError(
                f"this recording has no '{reference}', which '{port}' needs{self._why(reference, names)}"
            )
        return self._read(key, reference.stream)

    def _why(self, reference: Reference, names: list[str]) -> str:
        """Return where to look: at what was said of the recording when the stream is one that may be missing."""
        node = self._plan.nodes[reference.node]
        if reference.stream not in node.ports.outputs:
            return did_you_mean(reference.stream, names)
        entry = self._scene.entry(self._key(reference.node))
        return f"; the notes of '{node.name}' say more." if entry and entry.notes else "."

    def _read(self, key: StepKey, name: str) -> Stream:
        try:
            return self._scene.stream(key, name)
        except StoreError as error:
            raise StepError(
                f"what '{key.step}' left in the scene can't be used: {error} That is: --force {key.step}."
            ) from error

    def _reference(self, port: str) -> Reference:
        references = self._node.inputs.get(port, ())
        if not references:
            raise StepError(f"nothing is wired to '{port}'.")
        return references[0]

    def _key(self, name: str) -> StepKey:
        return key_of(self._plan.nodes[name], self.episode)

    def _many(self, port: str) -> Iterator[tuple[str, StepKey, str]]:
        for reference in self._node.inputs.get(port, ()):
            for feeder, episode in feeding(self._plan, self._node, self.episode):
                key = key_of(feeder, episode)
                if feeder.name != reference.node or (self._whole and episode not in ("", self.episode)):
                    continue
                prefix = f"{episode}/" if self._node.scope == "scene" and episode and not self._whole else ""
                for stream in self._streams_of(key):
                    if fnmatchcase(stream, reference.stream):
                        yield f"{prefix}{feeder.name}.{stream}", key, stream

    def _streams_of(self, key: StepKey) -> list[str]:
        """Name the committed streams of a component; none when it has no results here."""
        entry = self._scene.entry(key)
        return sorted(entry.commit.streams) if usable_digest(entry) and entry and entry.commit else []


def _joined(maps: ClockMaps, known: ClockMap) -> bool:
    pair = {known.source, known.target}
    return any({other.source, other.target} == pair for other in maps)
