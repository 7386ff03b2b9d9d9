"""Read a control pipeline: one robot, one law, and how chunks are made and followed; all mistakes at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from handloom.api import Law, Robot
from handloom.config import Document, load_document, parse_block, structure
from handloom.errors import ConfigError, PluginError, did_you_mean
from handloom.host import Host
from handloom_controllers.control.settings import ControlSettings, HandSettings, ReferenceSettings, ToolSettings
from handloom_controllers.control.tool import TOOL, RigTool, read_tool, tool_fault
from handloom_controllers.realtime import LoopSettings

_TABLES = ("include", "rig", "robots", "controllers", "control")
_PARTS: Mapping[str, type] = {
    "loop": LoopSettings,
    "reference": ReferenceSettings,
    "hand": HandSettings,
    "tool": ToolSettings,
}

_MOVES_NOTHING = "this is a pipeline over recordings, which moves no robot; run it with: handloom run {file}"

LEAST_OWNER_S = 0.1
"""Shortest watch over the owner: a collection of Python's garbage may take some ten milliseconds."""

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class Part:
    """A robot or a law as it was chosen.

    Attributes:
        name: What the file calls it.
        kind: Its kind.
        component: Its class.
        config: Its settings.
    """

    name: str
    kind: str
    component: Any
    config: Any

    def make(self) -> Any:
        """Return an instance; nothing is opened."""
        return self.component(self.config)


@attrs.frozen(kw_only=True)
class ControlPipeline:
    """A whole control pipeline, checked.

    Attributes:
        document: Where it was written.
        robot: The arm.
        law: What turns the reference into commands.
        control: How chunks are made and time passes.
        loop: How the loop runs, and what it takes for a chunk.
        reference: The recorded path; None where none is given.
        hand: The recorded hand; likewise.
        tool_settings: Where the tool stands in the rig; None where it is not taken from there.
        tool: The tool that they name, which the law has; likewise.
    """

    document: Document
    robot: Part
    law: Part
    control: ControlSettings
    loop: LoopSettings
    reference: ReferenceSettings | None
    hand: HandSettings | None = None
    tool_settings: ToolSettings | None = None
    tool: RigTool | None = None

    @property
    def motion(self) -> ReferenceSettings | HandSettings | None:
        """The file of poses that is followed; None where there is none."""
        return self.reference or self.hand


def load_control(path: Path, host: Host, overrides: Iterable[str] = ()) -> ControlPipeline:
    """Read a control pipeline; nothing is opened.

    Args:
        path: The TOML file.
        host: Finds robots and laws.
        overrides: `block.name.key=value` each.

    Raises:
        ConfigError: With all mistakes of the file.
    """
    return read_control(load_document(path, overrides), host)


def read_control(document: Document, host: Host) -> ControlPipeline:
    """Read a document as a control pipeline.

    Raises:
        ConfigError: With all mistakes of the document.
    """
    if "scene" in document.tables and "control" not in document.tables:
        raise ConfigError([document.problem(("scene",), _MOVES_NOTHING.format(file=document.origin.label))])
    problems = [_unknown(document, name) for name in document.tables if name not in _TABLES]
    table = document.table(("control",), problems)
    own = {key: value for key, value in table.items() if key not in _PARTS}
    control = _settings(document, ("control",), own, ControlSettings, problems)
    loop = _part(document, "loop", problems)
    reference = _part(document, "reference", problems) if "reference" in table else None
    hand = _part(document, "hand", problems) if "hand" in table else None
    if "reference" in table and "hand" in table:
        told = "there is a [control.reference] too; expected one of both: a path to follow, or a hand."
        problems.append(document.problem(("control", "hand"), told))
    tool_settings = _part(document, "tool", problems) if "tool" in table else None
    tool = read_tool(document, tool_settings, problems)
    robot = _component(document, host, "robots", own.get("robot"), problems)
    law = _component(document, host, "controllers", own.get("law"), problems, tool)
    problems += _too_late(document, control, loop)
    problems += _too_soon(document, control, loop, hand)
    if problems or robot is None or law is None or control is None:
        raise ConfigError(problems)
    return ControlPipeline(
        document=document,
        robot=robot,
        law=law,
        control=control,
        loop=loop,
        reference=reference,
        hand=hand,
        tool_settings=tool_settings,
        tool=tool,
    )


def _unknown(document: Document, name: str) -> str:
    what = f"unknown table of a control pipeline{did_you_mean(name, _TABLES)}"
    return document.problem((name,), what)


def _settings(
    document: Document, key: tuple[str, ...], table: Mapping[str, Any], cls: type[T], problems: list[str]
) -> T | None:
    settings, found = structure(document, key, table, cls)
    problems.extend(found)
    return settings


def _part(document: Document, name: str, problems: list[str]) -> Any:
    key = ("control", name)
    return _settings(document, key, document.table(key, problems), _PARTS[name], problems)


def _component(
    document: Document,
    host: Host,
    family: str,
    wanted: Any,
    problems: list[str],
    tool: RigTool | None = None,
) -> Part | None:
    """Load the component of a family that the file asks for, or the only one it has; a law gets its tool."""
    names = sorted(document.table((family,), problems))
    name = _chosen(document, family, names, wanted if isinstance(wanted, str) else "", problems)
    block = parse_block(document, family, name, problems) if name else None
    if block is None:
        return None
    try:
        component = host.load(family, block.kind).component
    except PluginError as error:
        problems.append(document.problem((*block.key, "kind"), str(error)))
        return None
    refusal = _refusal(family, block.kind, component)
    if refusal:
        problems.append(document.problem((*block.key, "kind"), refusal))
        return None
    if family == "controllers" and (fault := tool_fault(document, block, component, tool)):
        problems.append(document.problem(block.key, fault))
        return None
    more = {TOOL: tool.T_flange_tcp.tolist()} if tool else {}
    config = _settings(document, block.key, {**block.table, **more}, component.Config, problems)
    return Part(name=block.name, kind=block.kind, component=component, config=config) if config else None


def _chosen(document: Document, family: str, names: list[str], wanted: str, problems: list[str]) -> str:
    key, what = ("robot", "robot") if family == "robots" else ("law", "law")
    if not names:
        problems.append(document.problem((family,), f"there is no {what}; add [{family}.NAME] with its `kind`."))
    elif wanted and wanted not in names:
        problems.append(
            document.problem(("control", key), f"no {what} has this name{did_you_mean(wanted, names)}")
        )
    elif not wanted and len(names) > 1:
        found = f'there are {len(names)}: {", ".join(names)}; say which with `{key} = "{names[0]}"`.'
        problems.append(document.problem(("control", key), found))
    else:
        return wanted or names[0]
    return ""


def _refusal(family: str, kind: str, component: type) -> str:
    """Say why what is of the right family still can't be used; "" where it can."""
    if family == "robots" and not issubclass(component, Robot):
        return f"'{kind}' is no robot that can be moved."
    if family == "controllers" and not issubclass(component, Law):
        return f"'{kind}' is a controller for loops in Python; expected a law, as 'impedance'."
    return ""


def _too_late(document: Document, control: ControlSettings | None, loop: LoopSettings | None) -> Iterable[str]:
    """Say what would run out of time: chunks that end before the next, signs of life that come too seldom."""
    if control and loop and control.chunk_s <= 1 / control.chunk_rate_hz + loop.way.arm_latency_s:
        told = (
            f"a chunk of {control.horizon} waypoints at {control.waypoint_rate_hz:g} Hz reaches "
            f"{control.chunk_s:g} s, but the next comes after {1 / control.chunk_rate_hz:g} s and the arm is "
            f"commanded {loop.way.arm_latency_s:g} s ahead; expected more waypoints, or more chunks."
        )
        yield document.problem(("control", "horizon"), told)
    if loop and 0 < loop.owner_s < LEAST_OWNER_S:
        told = (
            f"{loop.owner_s:g}; Python looks after the loop every 10 ms: expected {LEAST_OWNER_S:g} or more, or 0."
        )
        yield document.problem(("control", "loop", "owner_s"), told)


def _too_soon(
    document: Document, control: ControlSettings | None, loop: LoopSettings | None, hand: HandSettings | None
) -> Iterable[str]:
    """Say where the tool would be wanted somewhere before that is known."""
    if control and loop and hand and hand.delay_s < 2 / control.chunk_rate_hz + loop.way.arm_latency_s:
        told = (
            f"{hand.delay_s:g}; the hand is looked at every {1 / control.chunk_rate_hz:g} s and the arm is "
            f"commanded {loop.way.arm_latency_s:g} s ahead: expected two looks and that at least."
        )
        yield document.problem(("control", "hand", "delay_s"), told)
