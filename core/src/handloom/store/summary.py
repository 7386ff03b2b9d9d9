"""What is in a scene, as data for a listing: episodes, steps and their outcome, streams, counts, rates, sizes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import attrs

from handloom.errors import StoreError
from handloom.store.keys import StepKey
from handloom.store.layout import ROOT, read_root
from handloom.store.ledger import Entry, Outcome, folders, group_paths, read_ledger
from handloom.store.schema import check_schema
from handloom.store.staging import MEDIA
from handloom.streams import StreamType


@attrs.frozen(kw_only=True)
class StreamSummary:
    """One stream.

    Attributes:
        name: Its name in the step.
        type: What a sample is.
        count: Samples or frames.
        rate_hz: Mean rate; None for fewer than two samples.
        start_ns: First stamp on the stream's clock; None when empty.
        end_ns: Last stamp; None when empty.
    """

    name: str
    type: StreamType
    count: int
    rate_hz: float | None
    start_ns: int | None
    end_ns: int | None


@attrs.frozen(kw_only=True)
class StepSummary:
    """One step instance.

    Attributes:
        key: Which.
        kind: The component's kind in the config.
        outcome: How its last run ended.
        reason: Why it failed, "" when it did not.
        size_bytes: Room its group takes, without media.
        streams: What readers see, by name.
        attributes: Plain JSON values of the component: counts, residuals, a verdict.
        notes: Sentences for the person who recorded.
        media: Paths of its media files in the scene.
        lost: Those of them that are gone or not whole.
    """

    key: StepKey
    kind: str
    outcome: Outcome
    reason: str
    size_bytes: int
    streams: tuple[StreamSummary, ...]
    attributes: Mapping[str, Any]
    notes: tuple[str, ...]
    media: tuple[PurePosixPath, ...]
    lost: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class SceneSummary:
    """One scene.

    Attributes:
        schema: Version of its layout.
        rig: Name of the rig.
        episodes: Steps of each episode, by id; an episode without results has none.
        steps: Steps of the whole scene.
        media_bytes: Size of all media files.
        invalid: Paths of groups that no valid record belongs to: readers refuse them.
    """

    schema: int
    rig: str
    episodes: dict[str, tuple[StepSummary, ...]]
    steps: tuple[StepSummary, ...]
    media_bytes: int
    invalid: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        """Size of all results and media."""
        steps = (*self.steps, *(step for episode in self.episodes.values() for step in episode))
        return self.media_bytes + sum(step.size_bytes for step in steps)


def inspect(scene: Path) -> SceneSummary:
    """List what is in a scene, from its records only: no array is read.

    Raises:
        StoreError: The directory is not a scene, or of a newer schema.
    """
    scene = Path(scene)
    root = read_root(scene)
    by_episode: dict[str, list[StepSummary]] = {name: [] for name in ("", *folders(scene / "episodes"))}
    ledger = read_ledger(scene)
    for key, entry in ledger.items():
        by_episode[key.episode].append(_step(scene, key, entry))
    steps = by_episode.pop("")
    return SceneSummary(
        schema=check_schema(scene, root.get("handloom_schema")),
        rig=root.get("rig", ""),
        episodes={name: tuple(found) for name, found in by_episode.items()},
        steps=tuple(steps),
        media_bytes=_size(scene / MEDIA) - _size_of_file(scene / MEDIA / ROOT),
        invalid=tuple(sorted({*group_paths(scene)} - {key.path for key in ledger})),
    )


def _step(scene: Path, key: StepKey, entry: Entry) -> StepSummary:
    commit = entry.commit
    return StepSummary(
        key=key,
        kind=entry.provenance.kind,
        outcome=entry.outcome,
        reason=entry.reason or "",
        size_bytes=_size(scene / key.path),
        streams=tuple(_stream(name, commit.streams[name]) for name in sorted(commit.streams)) if commit else (),
        attributes=_attributes(scene / key.path) if commit else {},
        notes=entry.notes,
        media=tuple(PurePosixPath(path) for path in sorted(commit.media)) if commit else (),
        lost=entry.lost,
    )


def _attributes(group: Path) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = json.loads((group / ROOT).read_bytes())["attributes"]["attributes"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{group / ROOT} is damaged: {error}. See: handloom verify.") from error
    return found


def _stream(name: str, values: Mapping[str, Any]) -> StreamSummary:
    known = {field: values[field] for field in ("count", "rate_hz", "start_ns", "end_ns")}
    return StreamSummary(name=name, type=StreamType.from_json(values["type"]), **known)


def _size_of_file(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
