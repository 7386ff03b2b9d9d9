"""Makes `docs/plugins/index.md`: every shipped kind with its settings, inputs and streams, from the classes."""

from __future__ import annotations

import inspect
import json
import math
import re
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs

from handloom.api import FAMILIES
from handloom.host import Found, Host

ROOT = Path(__file__).resolve().parents[2]
NEEDED: Mapping[str, dict[str, Any]] = {
    "franka": {"address": "172.16.0.2"},
    "minimum_jerk": {"goals": [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]},
    "mujoco_urdf": {"urdf": "arm.urdf"},
    "replay": {"file": Path("telemetry.npy")},
    "servo_width": {"closed_ticks": 0.0, "open_ticks": 1000.0, "stroke_m": 0.08},
}
"""Settings without a default, given so that the ports can be asked for."""

_WORDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "whole number",
    float: "number",
    str: "string",
    Path: "path",
}
_PLUGINS_HEAD = """\
# Shipped plugins

Every kind that the distributions of this repository bring, made from the classes by `python -m docs.generate`.
"Where recorded" means that a recording may lack the stream, which is no error until something needs it.
`@` stands for the name that the pipeline gives the component.
"""


def shipped() -> tuple[Found, ...]:
    """Return every plugin of this tree's own distributions, by family and kind."""
    found = []
    for path in (ROOT / "core/pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for group, lines in project.get("entry-points", {}).items():
            family = group.removeprefix("handloom.")
            made = (project["name"], project["version"])
            found += [
                Found(family=family, kind=kind, target=target, distribution=made[0], version=made[1])
                for kind, target in lines.items()
            ]
    return tuple(sorted(found))


def component_of(plugin: Found) -> Any:
    """Import a plugin and return its class."""
    return Host([plugin]).load(plugin.family, plugin.kind).component


def plugins_page() -> str:
    """Return the text of `plugins/index.md`."""
    parts = [_PLUGINS_HEAD]
    for family in FAMILIES:
        kinds = [plugin for plugin in shipped() if plugin.family == family]
        if kinds:
            parts.append(f"\n## {family}\n")
            parts += [_kind_section(plugin) for plugin in kinds]
    return "".join(parts)


def _kind_section(plugin: Found) -> str:
    component = component_of(plugin)
    lines = [f"\n### `{plugin.kind}`\n", f"{_summary(component).rstrip('.')}. From `{plugin.distribution}`."]
    config = getattr(component, "Config", None)
    if config is None:
        return "\n".join([*lines, ""])
    ports = component.ports(config(**NEEDED.get(plugin.kind, {})))
    if ports.files:
        lines.append(f"Files: {ports.files}.")
    lines += _settings(config)
    if ports.inputs:
        lines += ["", "| input | takes |", "| --- | --- |"]
        lines += [f"| `{name}` | {_input(port)} |" for name, port in ports.inputs.items()]
    if ports.outputs:
        lines += ["", "| stream | type | |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {_output(port)} |" for name, port in ports.outputs.items()]
    return "\n".join([*lines, ""])


def _summary(component: Any) -> str:
    """Return one line about a plugin: a component says it, a command's function has it in its docstring."""
    return getattr(component, "summary", "") or (inspect.getdoc(component) or "").partition("\n")[0]


def _input(port: Any) -> str:
    return f"{port}{', all that fit' if port.many else ''}{', not needed' if port.optional else ''}"


def _output(port: Any) -> str:
    frame = f"the clock of `{port.frame_clock_of}`" if port.frame_clock_of else port.type.frame
    type_ = attrs.evolve(port.type, clock="CLOCK", frame=frame)
    clock = f"the clock of `{port.clock_of}`" if port.clock_of else f"clock {port.type.clock}"
    return f"{str(type_).replace('clock CLOCK', clock)} | {'where recorded' if port.optional else ''}"


def _settings(config: type) -> list[str]:
    fields = attrs.fields(config)
    if not fields:
        return ["", "Nothing to set."]
    said = {name: text for cls in reversed(config.__mro__) for name, text in attributes_of(cls).items()}
    types = get_type_hints(config)
    lines = ["", "| setting | value | default | |", "| --- | --- | --- | --- |"]
    lines += [f"| `{f.name}` | {value_of(types[f.name])} | {_default(f)} | {said[f.name]} |" for f in fields]
    for field in fields:
        of = types[field.name]
        table = next((part for part in (of, *get_args(of)) if attrs.has(part)), None)
        if table:
            lines += ["", f"`{field.name}` is a table of its own. {_rules(table)}", *_settings(table)]
    return lines


def _rules(table: type) -> str:
    """Return what a table's docstring says beyond its first line; the first line where that is all."""
    sections = ("Attributes:", "Raises:")
    said = [part for part in (inspect.getdoc(table) or "").split("\n\n") if not part.startswith(sections)]
    return " ".join(said[min(1, len(said) - 1)].split())


def value_of(type_: Any) -> str:
    """Return what a setting of a type is written as in TOML."""
    if get_origin(type_) is Literal:
        return ", ".join(f'`"{word}"`' for word in get_args(type_))
    if get_origin(type_) is tuple and get_origin(get_args(type_)[0]) is Literal:
        return f"list of {value_of(get_args(type_)[0])}"
    if get_origin(type_) is tuple:
        return f"list of {_several(value_of(get_args(type_)[0]))}"
    if get_origin(type_) is Mapping:
        return f"table of {_several(value_of(get_args(type_)[1]))}"
    parts = [part for part in get_args(type_) if part is not type(None)]
    if parts:
        return " or ".join(value_of(part) for part in parts)
    return _WORDS.get(type_, "table")


def _several(value: str) -> str:
    word, of, rest = value.partition(" of ")
    return f"{word}s{of}{rest}"


def _default(field: Any) -> str:
    if field.default is attrs.NOTHING:
        return "required"
    made = getattr(field.default, "factory", None)
    default = made() if made else field.default
    if default is None or attrs.has(type(default)):
        return "none" if default is None else "its own"
    if isinstance(default, float) and not math.isfinite(default):
        return f"`{default}`"
    return f"`{json.dumps(default)}`"


def attributes_of(cls: type) -> dict[str, str]:
    """Return what a class's docstring says of each attribute, as one line each."""
    _, _, section = (inspect.getdoc(cls) or "").partition("Attributes:\n")
    section = textwrap.dedent(re.split(r"\n\n\S", section)[0])
    entries = re.findall(r"^(\w+):((?:.*\n?)(?:[ \n].*\n?)*)", section, re.M)
    return {name: " ".join(text.split()).replace("|", "\\|") for name, text in entries}
