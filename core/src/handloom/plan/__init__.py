"""Plans: the checked graph made from a configuration, and what of it is stale."""

from handloom.plan.build import build_plan, load_plan
from handloom.plan.episodes import demand_episodes
from handloom.plan.exports import export_file, export_folder
from handloom.plan.graph import Node, Plan, Reference, restricted
from handloom.plan.hints import kept_episodes, missing_files, rig_hints
from handloom.plan.status import (
    RIG,
    State,
    feeding,
    files_of,
    instances,
    key_of,
    rig_digest,
    state_of,
    status,
    usable_digest,
    wanted_inputs,
)
from handloom.plan.text import to_mermaid, to_text

__all__ = [
    "RIG",
    "Node",
    "Plan",
    "Reference",
    "State",
    "build_plan",
    "demand_episodes",
    "export_file",
    "export_folder",
    "feeding",
    "files_of",
    "instances",
    "kept_episodes",
    "key_of",
    "load_plan",
    "missing_files",
    "restricted",
    "rig_digest",
    "rig_hints",
    "state_of",
    "status",
    "to_mermaid",
    "to_text",
    "usable_digest",
    "wanted_inputs",
]
