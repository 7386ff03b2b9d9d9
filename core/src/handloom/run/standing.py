"""How far a run has come, and what follows from it: what can start, what is due, and how the rest has ended."""

from __future__ import annotations

import attrs

from handloom.plan import Node, Plan, export_file, feeding, files_of, key_of, state_of
from handloom.run.exports import is_in_place
from handloom.run.outcome import Ending
from handloom.run.schedule import Unit, needs
from handloom.store import Entry, Scene, StepKey


@attrs.frozen
class Settled:
    """How a component ends without running.

    Attributes:
        ending: How.
        reason: Why it failed or is skipped.
    """

    ending: Ending
    reason: str = ""


@attrs.define(kw_only=True)
class Standing:
    """What is known of a run while it goes on; the runner enters what happens.

    Attributes:
        plan: What to do.
        scene: The store, whose records say where an export went.
        force: Components to run even where they are up to date.
        ledger: How every step stands now; read once, since nobody else writes while the run holds the lock.
        endings: How each (component, episode) that has ended did.
    """

    plan: Plan
    scene: Scene
    force: frozenset[str]
    ledger: dict[StepKey, Entry]
    endings: dict[tuple[str, str], Ending] = attrs.field(factory=dict)

    def can_start(self, unit: Unit) -> bool:
        """Say whether all that feeds a unit has ended."""
        return all(need in self.endings for need in needs(self.plan, unit))

    def settled(self, node: Node, episode: str) -> Settled | None:
        """Return how a component ends without running; None when it has to run."""
        state = state_of(self.plan, node, episode, self.ledger)
        if state.condition == "absent":
            return Settled("absent")
        lacking = self._lacking(node, episode)
        if lacking:
            return Settled("skipped", lacking)
        fresh = state.condition == "fresh" and node.name not in self.force
        if fresh and (node.role != "exporter" or self._is_exported(node, episode)):
            return Settled("fresh")
        if node.ports.files and not files_of(self.plan, node, episode):
            why = "; ".join(state.reasons) or "it is to be run again"
            where = f"episodes.{episode}.{node.name}"
            return Settled("failed", f"{why}, but the configuration names no files for it under {where}.")
        return None

    def _lacking(self, node: Node, episode: str) -> str:
        """Say what a component needs and does not get: a result for a single input, any at all for many."""
        good = {
            feeder.name
            for feeder, where in feeding(self.plan, node, episode)
            if self.endings[feeder.name, where] in ("committed", "fresh")
        }
        for name, references in node.inputs.items():
            wanted = sorted({reference.node for reference in references})
            if not node.ports.inputs[name].optional and not good & set(wanted):
                return f"nothing it is fed by has a result here: {', '.join(wanted)}."
        return ""

    def _is_exported(self, node: Node, episode: str) -> bool:
        attributes = self.scene.read(key_of(node, episode)).attributes
        return is_in_place(export_file(node, self.plan.scene, episode), attributes)

    def has_exported(self, node: Node, episode: str) -> bool:
        """Say whether this scene has a record of an export by a component, whole or out of date."""
        entry = self.ledger.get(key_of(node, episode))
        return entry is not None and entry.commit is not None

    def refresh(self, node: Node, episode: str) -> None:
        """Take into the ledger what the store now says of a component."""
        key = key_of(node, episode)
        entry = self.scene.entry(key)
        if entry:
            self.ledger[key] = entry
