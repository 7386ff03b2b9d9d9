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
        sentences = [f"Episode '{name}' is left out: {reason}" for name, reason in self.left_out.items()]
        for name, about in self.episodes.items():
            kept = sum(run["steps"][1] - run["steps"][0] for run in about["runs"])
            if kept < about["steps"] or len(about["runs"]) > 1:
                reasons = ", ".join(sorted({cut["reason"] for cut in about["cuts"]}))
                parts = f"{len(about['runs'])} part{'s' * (len(about['runs']) != 1)}"
                sentences.append(
                    f"Episode '{name}' gives {kept} of {about['steps']} steps in {parts}; cut by: {reasons}."
                )
        return sentences


def sidecar_text(attributes: Mapping[str, Any]) -> str:
    """Return the text of the file beside the dataset."""
    return json.dumps(attributes["handloom"], indent=2, sort_keys=True, ensure_ascii=False) + "\n"
