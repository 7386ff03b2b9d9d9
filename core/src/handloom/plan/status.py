"""What is up to date and what is stale, and why: the plan held against the ledger of its store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import attrs

from handloom.plan.exports import export_file
from handloom.plan.graph import Node, Plan
from handloom.store import Entry, Ledger, Provenance, StepKey, settings_hash

Condition = Literal["fresh", "stale", "missing", "failed", "absent"]

RIG = "rig"
"""Stands among the inputs of a step that looked at the rig, with the rig's digest."""


@attrs.frozen(kw_only=True)
class State:
    """How one component of one episode stands.

    Attributes:
        node: The component.
        episode: The episode; "" for the scene.
        condition: "absent" means that the episode has no recording for it.
        reasons: Why it is not fresh.
    """

    node: str
    episode: str
    condition: Condition
    reasons: tuple[str, ...] = ()


def key_of(node: Node, episode: str) -> StepKey:
    """Return where the store keeps what a component made of an episode."""
    kind_of: Literal["sensor", "step"] = "sensor" if node.role == "sensor" else "step"
    return StepKey(node.name, "" if node.scope == "scene" else episode, kind_of)


def instances(plan: Plan, node: Node) -> tuple[str, ...]:
    """Return the episodes that a component runs on; ("",) for one that runs once a scene."""
    return ("",) if node.scope == "scene" else tuple(plan.episodes)


def feeding(plan: Plan, node: Node, episode: str) -> tuple[tuple[Node, str], ...]:
    """Return the (component, episode) pairs that feed a component of an episode."""
    return tuple(
        (feeder, where)
        for name in node.feeders
        for feeder in [plan.nodes[name]]
        for where in (instances(plan, feeder) if node.scope == "scene" else _one(feeder, episode))
    )


def _one(feeder: Node, episode: str) -> tuple[str, ...]:
    return ("",) if feeder.scope == "scene" else (episode,)


def rig_digest(plan: Plan) -> str:
    """Return a digest of the described hardware."""
    return settings_hash(plan.rig.to_table())


def wanted_inputs(plan: Plan, node: Node, episode: str, ledger: Ledger) -> dict[str, str]:
    """Return the digest of everything that feeds a component now; "" for what is not there."""
    keys = [key_of(feeder, where) for feeder, where in feeding(plan, node, episode)]
    return {key.path: usable_digest(ledger.get(key)) for key in keys}


def usable_digest(entry: Entry | None) -> str:
    """Return the digest of results that others may build on; "" when there are none or the last run failed.

    Older results of a step whose last run failed stay readable for people, but nothing is made of them.
    """
    return entry.digest or "" if entry and not entry.reason else ""


def files_of(plan: Plan, node: Node, episode: str) -> tuple[Path, ...]:
    """Return the recorded files that an episode names for a component."""
    return plan.episodes.get(episode, {}).get(node.name, ())


def state_of(plan: Plan, node: Node, episode: str, ledger: Ledger) -> State:
    """Hold one component of one episode against the ledger, as its inputs are now."""
    entry = ledger.get(key_of(node, episode))
    if node.ports.files and not files_of(plan, node, episode) and not (entry and entry.digest):
        return State(node=node.name, episode=episode, condition="absent")
    if entry is None:
        return State(node=node.name, episode=episode, condition="missing", reasons=("not made yet",))
    if entry.reason:
        return State(
            node=node.name,
            episode=episode,
            condition="failed",
            reasons=(_failed(plan, node, episode, entry, ledger),),
        )
    lost = [f"{where} is gone or not whole" for where in entry.lost]
    reasons = (*lost, *_differences(plan, node, episode, entry.provenance, ledger))
    return State(node=node.name, episode=episode, condition="stale" if reasons else "fresh", reasons=reasons)


def _failed(plan: Plan, node: Node, episode: str, entry: Entry, ledger: Ledger) -> str:
    """Say why it failed, and what has changed since; which files it read, the record of a failure does not say."""
    changes = _changes(plan, node, episode, entry.provenance, ledger)
    because = f"failed before ({entry.reason}); will run again because {', '.join(changes)}"
    return because if changes else str(entry.reason)


def _differences(plan: Plan, node: Node, episode: str, made: Provenance, ledger: Ledger) -> list[str]:
    reasons = _changes(plan, node, episode, made, ledger)
    reasons.extend(_changed_files(made, files_of(plan, node, episode)))
    if node.role == "exporter" and not export_file(node, plan.scene, episode).is_file():
        reasons.append(f"{export_file(node, plan.scene, episode).name} is not there any more")
    return reasons


def _changes(plan: Plan, node: Node, episode: str, made: Provenance, ledger: Ledger) -> list[str]:
    reasons = []
    if made.kind != node.block.kind:
        reasons.append(f"kind '{made.kind}' became '{node.block.kind}'")
    if made.step_version != node.component.version:
        reasons.append(f"version {made.step_version} became {node.component.version}")
    if made.settings_hash != settings_hash(node.settings):
        reasons.append(_changed_settings(made.settings, node.settings))
    reasons.extend(_changed_inputs(plan, made.inputs, wanted_inputs(plan, node, episode, ledger)))
    return reasons


def _changed_settings(old: Mapping[str, object], new: Mapping[str, object]) -> str:
    changed = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return "; ".join(f"{name} was {old.get(name)!r}, is {new.get(name)!r}" for name in changed)


def _changed_inputs(plan: Plan, old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    reasons = [
        f"input {path} changed" for path in sorted({*old, *new} - {RIG}) if old.get(path, "") != new.get(path, "")
    ]
    if RIG in old and old[RIG] != rig_digest(plan):
        reasons.append("the rig changed")
    return reasons


def _changed_files(made: Provenance, files: tuple[Path, ...]) -> list[str]:
    """Compare recorded files by name, size and time, and by content only where the time differs.

    One that is no longer there has not changed: the store keeps what was read of it, and cards are wiped.
    """
    if not files:
        return []
    old, new = [source.name for source in made.sources], [path.name for path in files]
    if old != new:
        return [f"files were {', '.join(old) or 'none'}, are {', '.join(new)}"]
    return [
        f"file {path.name} changed"
        for path, source in zip(files, made.sources, strict=True)
        if path.exists() and not source.is_still(path)
    ]


def status(plan: Plan, ledger: Ledger) -> tuple[State, ...]:
    """Return the state of every component of every episode; what stands behind a stale one is stale too."""
    states: dict[tuple[str, str], State] = {}
    for node in plan.offline():
        for episode in instances(plan, node):
            state = state_of(plan, node, episode, ledger)
            behind = [
                feeder.name
                for feeder, where in feeding(plan, node, episode)
                if states[feeder.name, where].condition not in ("fresh", "absent")
            ]
            if state.condition == "fresh" and behind:
                because = tuple(f"behind {name}, which is not up to date" for name in dict.fromkeys(behind))
                state = attrs.evolve(state, condition="stale", reasons=because)
            states[node.name, episode] = state
    return tuple(states.values())
