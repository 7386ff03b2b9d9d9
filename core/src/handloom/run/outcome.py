"""What a run came to: which steps were made, which were up to date, which failed and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Literal

import attrs

Ending = Literal["committed", "fresh", "failed", "skipped", "absent"]


@attrs.frozen(kw_only=True)
class Outcome:
    """How one component of one episode ended.

    Attributes:
        node: The component.
        episode: The episode; "" for the scene.
        ending: "skipped" means that something it needs is missing, "absent" that there is no recording for it.
        reason: Why it failed or was skipped.
        notes: What the component has to say of the recording.
        export: The exported file, where there is one.
    """

    node: str
    episode: str
    ending: Ending
    reason: str = ""
    notes: tuple[str, ...] = ()
    export: Path | None = None

    @property
    def place(self) -> str:
        """What ended, for people: the episode and the component."""
        return " ".join(filter(None, (self.episode, self.node)))

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON values, with the words of the command line."""
        return {
            "episode": self.episode,
            "step": self.node,
            "ending": self.ending,
            "reason": self.reason,
            "notes": list(self.notes),
            "export": str(self.export) if self.export else None,
        }


@attrs.frozen(kw_only=True)
class RunReport:
    """What a run came to.

    Attributes:
        scene: The scene directory.
        outcomes: One for each component of each episode, in the order they ended.
        repairs: What had to be put right in the store before.
        stopped: Why the run ended before its time; "" when it did not.
    """

    scene: Path
    outcomes: tuple[Outcome, ...]
    repairs: tuple[str, ...] = ()
    stopped: str = ""

    @property
    def counts(self) -> Counter[Ending]:
        """How many components ended which way."""
        return Counter(outcome.ending for outcome in self.outcomes)

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.stopped and not self.counts["failed"]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "scene": str(self.scene),
            "ok": self.ok,
            "counts": dict(sorted(self.counts.items())),
            "stopped": self.stopped,
            "repairs": list(self.repairs),
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
        }
