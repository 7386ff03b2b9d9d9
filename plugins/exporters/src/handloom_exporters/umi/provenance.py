"""Where a dataset comes from: kept in its root attributes and, for people, in a file beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import handloom
from handloom.api import TCP_DIGEST
from handloom_exporters.umi.config import UmiConfig
from handloom_exporters.umi.episode import Episode
from handloom_exporters.umi.runs import Cut, Run

SIDECAR = ".provenance.json"
NAMED = "its name is in leave_out."
"""Why an episode is left out on purpose, which is worth no note."""

_NAMED_AT_MOST = 3


@attrs.define
class Record:
    """What became of each episode of the scene, filled while they are exported.

    Attributes:
        episodes: By episode that gave something what it gave: streams, runs and cuts.
        left_out: By episode that gave nothing the reason.
        digests: By input of poses the digest of its tool transform, the same in all episodes.
        rate_hz: Steps a second, the same in all episodes; NaN before the first.
    """

    episodes: dict[str, dict[str, Any]] = attrs.field(factory=dict)
    left_out: dict[str, str] = attrs.field(factory=dict)
    digests: dict[str, str] = attrs.field(factory=dict)
    rate_hz: float = float("nan")

    def keep(self, episode: Episode, runs: Sequence[Run], cuts: Sequence[Cut], first_row: int) -> None:
        """Keep what an episode gave.

        Args:
            episode: The episode.
            runs: Its runs of steps in the dataset, in order.
            cuts: What was cut out of it.
            first_row: Row of the dataset at which its first run starts.
        """
        described = []
        for start, end in runs:
            stamps = episode.steps[[start, end - 1]].tolist()
            rows = [first_row, first_row + end - start]
            described.append({"rows": rows, "steps": [start, end], "stamps_ns": stamps})
            first_row = rows[1]
        self.episodes[episode.name] = {
            "streams": episode.streams,
            "steps": len(episode.steps),
            "rate_hz": round(episode.rate_hz, 6),
            "runs": described,
            "cuts": list(cuts),
        }
        self.digests.update(episode.digests)
        self.rate_hz = episode.rate_hz if np.isnan(self.rate_hz) else self.rate_hz

    def attributes(self, config: UmiConfig, rig: str) -> dict[str, Any]:
        """Return the root attributes of the dataset: plain JSON values, no path and no time of day."""
        settings = json.loads(json.dumps(attrs.asdict(config)))
        return {
            "handloom": {
                "version": handloom.__version__,
                "exporter": "umi",
                "rig": rig,
                "settings": settings,
                "rate_hz": round(self.rate_hz, 6),
                TCP_DIGEST: dict(self.digests),
                "episodes": dict(self.episodes),
                "left_out": dict(self.left_out),
            }
        }

    def notes(self) -> list[str]:
        """Return what whoever recorded should know: what was left out and why."""
        left_out = {name: reason for name, reason in self.left_out.items() if reason != NAMED}
        sentences = [f"Episode '{name}' is left out: {reason}" for name, reason in left_out.items()]
        alike: dict[str, list[str]] = {}
        for name, about in self.episodes.items():
            if said := _cut_short(about):
                alike.setdefault(said, []).append(name)
        return [*sentences, *(f"{_episodes(names)} {said}" for said, names in alike.items())]


def _cut_short(about: Mapping[str, Any]) -> str:
    """Return what an episode gives, where it gives less than all of its steps in one part; else ""."""
    kept = sum(run["steps"][1] - run["steps"][0] for run in about["runs"])
    if kept == about["steps"] and len(about["runs"]) <= 1:
        return ""
    reasons = ", ".join(sorted({cut["reason"] for cut in about["cuts"]}))
    parts = f"{len(about['runs'])} part{'s' * (len(about['runs']) != 1)}"
    return f"{kept} of {about['steps']} steps in {parts}; cut by: {reasons}."


def _episodes(names: Sequence[str]) -> str:
    """Begin a sentence that holds for one episode or for each of several."""
    if len(names) == 1:
        return f"Episode '{names[0]}' gives"
    shown = ", ".join(f"'{name}'" for name in names[:_NAMED_AT_MOST])
    more = f" and {len(names) - _NAMED_AT_MOST} more" if len(names) > _NAMED_AT_MOST else ""
    return f"Each of {len(names)} episodes ({shown}{more}) gives"


def sidecar_text(attributes: Mapping[str, Any]) -> str:
    """Return the text of the file beside the dataset."""
    return json.dumps(attributes["handloom"], indent=2, sort_keys=True, ensure_ascii=False) + "\n"
