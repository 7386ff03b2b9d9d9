"""What a person may want to look at that is no mistake: odd names in the rig, recordings that are away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from handloom.config import dotted
from handloom.errors import did_you_mean
from handloom.plan.graph import Plan


def rig_hints(plan: Plan) -> tuple[str, ...]:
    """Return a line for each clock and camera of the rig that this pipeline does not have.

    It is no mistake: several pipelines share a rig. A clock that joins two others, like UTC, needs no device.
    """
    clocks = {type_.clock for node in plan.nodes.values() for type_ in node.outputs.values()} - {""}
    devices = [name for name, node in plan.nodes.items() if node.block.family in ("sensors", "pose_sources")]
    lines = [
        f"rig: clock '{name}' is no clock of this pipeline{did_you_mean(name, clocks)}"
        for name in _odd_clocks(plan, clocks)
    ]
    lines += [
        f"rig: camera '{name}' is no device of this pipeline{did_you_mean(name, devices)}"
        for name in sorted(set(plan.rig.cameras) - set(devices))
    ]
    return tuple(lines)


def _odd_clocks(plan: Plan, known: set[str]) -> Iterator[str]:
    maps = Counter(name for one in plan.rig.clock_maps for name in (one.source, one.target))
    for name in sorted(set(maps) - known):
        if maps[name] == 1 or get_close_matches(name, sorted(known), n=1):
            yield name


def kept_episodes(plan: Plan) -> tuple[str, ...]:
    """Return a line for each device whose recording no file fits any more, while the scene keeps what was read."""
    readers = [name for name, node in plan.nodes.items() if node.ports.files]
    return tuple(
        f"{dotted(('episodes', episode, device))}: no recording fits; what the scene keeps of it is used"
        for episode, devices in plan.episodes.items()
        for device in readers
        if device not in devices and (plan.scene / "episodes" / episode / device).is_dir()
    )


def missing_files(plan: Plan) -> tuple[str, ...]:
    """Return a line for each recorded file that is not there now.

    It is no mistake: once a recording is read, the store keeps what was in it, and cards are wiped.
    """
    return tuple(
        f"{dotted(('episodes', episode, device))}: {_shown(path)} is not there"
        for episode, devices in plan.episodes.items()
        for device, paths in devices.items()
        for path in paths
        if not _is_there(path)
    )


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long for the system, or a folder closed to the user: no recording either
        return False


def _shown(path: Path) -> str:
    """Show a path as short as it can be from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
