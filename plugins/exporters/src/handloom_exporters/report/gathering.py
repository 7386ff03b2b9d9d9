"""Collects what a report shows of a scene: streams on one time axis, clock maps, verdicts, failures and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import clock_map_of
from handloom.errors import ClockError, StoreError
from handloom.store import Entry, Scene, StepKey
from handloom.streams import Samples, StreamType
from handloom.time import ClockMap, ClockMaps

FloatArray = npt.NDArray[np.float64]

_SHOWN = ("scalar", "pose", "image", "clock_map")
"""Kinds of streams that are drawn; the others are only counted."""


@attrs.frozen(kw_only=True, eq=False)
class Track:
    """A stream of numbers or poses on the report's time axis.

    Attributes:
        name: "tcp.pose".
        type: What a sample is.
        seconds: (N,) s since the episode's zero.
        data: (N, …) as stored, NaN where lost.
        own_zero: Whether its clock is joined with no other, so that it begins at its own zero.
    """

    name: str
    type: StreamType
    seconds: FloatArray
    data: npt.NDArray[Any]
    own_zero: bool = False


@attrs.frozen(kw_only=True, eq=False)
class Sync:
    """A clock map that was found.

    Attributes:
        name: "sync.map".
        known: The map.
        attributes: What the step said: method, confidence, envelopes.
    """

    name: str
    known: ClockMap
    attributes: Mapping[str, Any]


@attrs.frozen(kw_only=True, eq=False)
class Said:
    """What one component said of an episode.

    Attributes:
        step: Its name.
        kind: Its kind.
        outcome: "committed" or "failed".
        reason: Why it failed; "" otherwise.
        notes: Its sentences.
        attributes: Its plain values.
        is_recorded: Whether it read a device's recording.
    """

    step: str
    kind: str
    outcome: str
    reason: str
    notes: tuple[str, ...]
    attributes: Mapping[str, Any]
    is_recorded: bool


@attrs.frozen(kw_only=True, eq=False)
class EpisodeFacts:
    """All that is shown of one episode, or of the scene as a whole.

    Attributes:
        name: The episode's id; "" for the scene.
        said: By every component, in the order of their names.
        tracks: Scalars and poses.
        pictures: Streams of small pictures.
        syncs: Clock maps that were found.
        counts: For each stream, its type and how many samples it has.
    """

    name: str
    said: tuple[Said, ...]
    tracks: tuple[Track, ...]
    pictures: tuple[Track, ...]
    syncs: tuple[Sync, ...]
    counts: Mapping[str, tuple[StreamType, int, float]]

    @property
    def verdict(self) -> Mapping[str, Any] | None:
        """The attributes of the component that said whether the episode may be used; None when none did."""
        judged = [said.attributes for said in self.said if isinstance(said.attributes.get("usable"), bool)]
        whole = [attributes for attributes in judged if "measures" in attributes or len(judged) == 1]
        return next(iter([*whole, *judged]), None)

    @property
    def seconds(self) -> float:
        """How long the longest video, or else any stream, lasts."""
        lengths = {name: span for name, (_, _, span) in self.counts.items()}
        videos = [lengths[name] for name, (type_, _, _) in self.counts.items() if type_.kind == "video"]
        return max(videos or lengths.values(), default=0.0)


@attrs.frozen(kw_only=True, eq=False)
class SceneFacts:
    """All that a report shows.

    Attributes:
        title: The scene's name.
        episodes: In the order of their names.
        whole: What components of the whole scene said.
    """

    title: str
    episodes: tuple[EpisodeFacts, ...]
    whole: EpisodeFacts


def gather(scene: Scene, *, title: str) -> SceneFacts:
    """Read what a report needs of a scene; videos and sound are only counted."""
    ledger = dict(sorted(scene.ledger().items()))
    episodes = tuple(_facts(scene, ledger, episode) for episode in sorted(scene.episodes()))
    return SceneFacts(title=title, episodes=episodes, whole=_facts(scene, ledger, ""))


def _facts(scene: Scene, ledger: Mapping[StepKey, Entry], episode: str) -> EpisodeFacts:
    entries = {key: entry for key, entry in ledger.items() if key.episode == episode}
    whole = {f"{key.step}.{name}": (key, name) for key, entry in entries.items() for name in _streams(entry)}
    summaries = {
        full: entries[key].commit.streams[name]  # type: ignore[union-attr]
        for full, (key, name) in whole.items()
    }
    types = {full: StreamType.from_json(summary["type"]) for full, summary in summaries.items()}
    wanted = {full: where for full, where in whole.items() if types[full].kind in _SHOWN}
    shown, damaged = _shown(scene, wanted)
    syncs = tuple(_sync(full, stream) for full, stream in shown.items() if stream.type.kind == "clock_map")
    axis = _Axis.of(types, summaries, syncs)
    tracks = [axis.track(full, stream) for full, stream in shown.items() if stream.type.kind != "clock_map"]
    return EpisodeFacts(
        name=episode,
        said=tuple(_said(scene, key, entry, damaged.get(key, ())) for key, entry in entries.items()),
        tracks=tuple(track for track in tracks if track.type.kind != "image"),
        pictures=tuple(track for track in tracks if track.type.kind == "image"),
        syncs=syncs,
        counts={full: (types[full], summary["count"], _span(summary)) for full, summary in summaries.items()},
    )


def _shown(
    scene: Scene, wanted: Mapping[str, tuple[StepKey, str]]
) -> tuple[dict[str, Samples], dict[StepKey, list[str]]]:
    """Read streams by full name; what is damaged is said of the component that wrote it, and costs no other."""
    shown: dict[str, Samples] = {}
    damaged: dict[StepKey, list[str]] = {}
    for full, (key, name) in wanted.items():
        try:
            stream = scene.stream(key, name)
        except StoreError as error:
            damaged.setdefault(key, []).append(str(error))
            continue
        if isinstance(stream, Samples):
            shown[full] = stream
    return shown, damaged


def _streams(entry: Entry) -> Mapping[str, Any]:
    return entry.commit.streams if entry.commit else {}


def _span(summary: Mapping[str, Any]) -> float:
    if summary["start_ns"] is None:
        return 0.0
    return float(summary["end_ns"] - summary["start_ns"]) * 1e-9


def _sync(name: str, stream: Samples) -> Sync:
    return Sync(name=name, known=clock_map_of(stream), attributes=stream.attributes)


def _said(scene: Scene, key: StepKey, entry: Entry, damaged: Sequence[str]) -> Said:
    attributes = scene.read(key).attributes if entry.commit else {}
    return Said(
        step=key.step,
        kind=entry.provenance.kind,
        outcome="failed" if damaged else entry.outcome,
        reason=" ".join((*([entry.reason] if entry.reason else []), *damaged)),
        notes=entry.notes,
        attributes=attributes,
        is_recorded=key.kind_of == "sensor",
    )


@attrs.frozen(kw_only=True)
class _Axis:
    """The time axis of one episode: a clock, the stamp that counts as 0 s on it, and its video's length or 0."""

    clock: str
    zero_ns: int
    length_s: float
    maps: ClockMaps

    @classmethod
    def of(
        cls, types: Mapping[str, StreamType], summaries: Mapping[str, Mapping[str, Any]], syncs: tuple[Sync, ...]
    ) -> _Axis:
        """Begin at the first frame of a video, else of any stream: one with joined clocks, the longest."""
        maps = _joined(syncs)
        begun = [full for full in types if summaries[full]["start_ns"] is not None]
        joined = {full: len(maps.joined_with(types[full].clock)) for full in begun}
        begun.sort(key=lambda full: (types[full].kind != "video", -joined[full], -_span(summaries[full]), full))
        if not begun:
            return cls(clock="", zero_ns=0, length_s=0.0, maps=maps)
        first = summaries[begun[0]]
        length_s = _span(first) if types[begun[0]].kind == "video" else 0.0
        return cls(clock=types[begun[0]].clock, zero_ns=first["start_ns"], length_s=length_s, maps=maps)

    def track(self, name: str, stream: Samples) -> Track:
        """Put a stream on the axis; one whose clock nothing joins begins at its own zero."""
        stamps = stream.all_stamps()
        own_zero = False
        zero = self.zero_ns
        if stream.type.clock != self.clock:
            try:
                stamps = self.maps.apply(stamps, source=stream.type.clock, target=self.clock)
            except ClockError:
                own_zero, zero = True, int(stamps[0]) if len(stamps) else 0
        seconds: FloatArray = (stamps - zero).astype(np.float64) * 1e-9
        shown = np.ones(len(seconds), dtype=bool) if own_zero else self._shown(seconds)
        return Track(
            name=name, type=stream.type, seconds=seconds[shown], data=stream.data[shown], own_zero=own_zero
        )

    def _shown(self, seconds: FloatArray) -> npt.NDArray[np.bool_]:
        """Leave out what lies outside the episode: a tracker may record a whole scene."""
        inside: npt.NDArray[np.bool_] = (seconds >= 0.0) & (seconds <= self.length_s)
        return inside if self.length_s else np.ones(len(seconds), dtype=bool)


def _joined(syncs: tuple[Sync, ...]) -> ClockMaps:
    """Return all found maps; of two between the same clocks the one that is surer of itself."""
    best: dict[frozenset[str], ClockMap] = {}
    for sync in sorted(syncs, key=lambda sync: sync.known.uncertainty_ns):
        best.setdefault(frozenset((sync.known.source, sync.known.target)), sync.known)
    return ClockMaps(tuple(best.values()))
