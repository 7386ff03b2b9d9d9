"""A pipeline as written: blocks, episodes, scene, rig and run settings, before any plugin is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any

import attrs

from handloom.api import FAMILIES, Rig, rig_from_table
from handloom.config.document import Document, Key, parse_key
from handloom.config.names import component_fault, episode_fault
from handloom.config.paths import path_fault
from handloom.config.settings import structure
from handloom.errors import ConfigError, did_you_mean

BLOCK_FAMILIES = ("sensors", "pose_sources", "steps", "models", "controllers", "exporters")
TOP_LEVEL = ("include", "scene", "rig", "episodes", "run", *BLOCK_FAMILIES)
BLOCK_KEYS = ("kind", "inputs", "folder")


@attrs.frozen(kw_only=True)
class SceneSettings:
    """The `[scene]` table.

    Attributes:
        store: The scene directory, made when it is not there.
    """

    store: Path


@attrs.frozen(kw_only=True)
class RunSettings:
    """The `[run]` table.

    Attributes:
        executor: Kind of the executor.
        workers: Processes at the same time; 0 takes one a core.
        attempts: How often a task whose process died is tried before it counts as failed.
    """

    executor: str = "local"
    workers: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    attempts: int = attrs.field(default=2, validator=attrs.validators.ge(1))


@attrs.frozen(kw_only=True)
class Block:
    """One component as written: `[family.name]`.

    Attributes:
        family: The table it stands in, "sensors".
        name: What others call it: "camera" in `camera.video`.
        kind: Entry-point name of its plugin.
        inputs: What is wired by hand, port to one reference or several.
        folder: For exporters, where the files go; None for the default.
        table: Its own settings.
        key: Where it stands in the document.
    """

    family: str
    name: str
    kind: str
    inputs: Mapping[str, tuple[str, ...]]
    folder: Path | None
    table: Mapping[str, Any]
    key: Key


@attrs.frozen(kw_only=True)
class Pipeline:
    """A whole configuration as written.

    Attributes:
        document: Where it was written.
        scene: The scene's settings.
        rig: The described hardware.
        run: How to run.
        blocks: Components, in the order of the families and then of the file.
        episodes: For each episode the recorded files of each device, in the order given.
    """

    document: Document
    scene: SceneSettings
    rig: Rig
    run: RunSettings
    blocks: tuple[Block, ...]
    episodes: Mapping[str, Mapping[str, tuple[Path, ...]]]


def parse_pipeline(document: Document) -> tuple[Pipeline, list[str]]:
    """Read a document as a pipeline.

    Returns:
        The pipeline as far as it could be read, and a sentence for each mistake.
    """
    problems = [
        document.problem((name,), f"unknown table{did_you_mean(name, TOP_LEVEL)}")
        for name in document.tables
        if name not in TOP_LEVEL
    ]
    blocks = _blocks(document, problems)
    pipeline = Pipeline(
        document=document,
        scene=_settings(document, "scene", SceneSettings, problems) or SceneSettings(store=Path("scene")),
        rig=read_rig(document, problems),
        run=_settings(document, "run", RunSettings, problems) or RunSettings(),
        blocks=blocks,
        episodes=_episodes(document, blocks, problems),
    )
    return pipeline, problems


def _settings(document: Document, name: str, cls: Any, problems: list[str]) -> Any:
    settings, found = structure(document, (name,), document.table((name,), problems), cls)
    problems.extend(found)
    return settings


def read_rig(document: Document, problems: list[str]) -> Rig:
    """Read the `[rig]` table; a rig without anything where there is none, or where it has mistakes.

    Args:
        document: Where it was written.
        problems: Gets a sentence for each mistake.
    """
    try:
        return rig_from_table({"rig": document.table(("rig",), problems)})
    except ConfigError as error:
        for problem in error.problems:
            key, _, sentence = problem.partition(": ")
            try:
                problems.append(document.problem(parse_key(key), sentence))
            except TOMLDecodeError:  # one of several tables of a clock, "rig.clocks.wrist[1].offset_s"
                problems.append(document.problem(("rig",), problem))
        return Rig()


def _blocks(document: Document, problems: list[str]) -> tuple[Block, ...]:
    blocks: dict[str, Block] = {}
    for family in BLOCK_FAMILIES:
        for name in document.table((family,), problems):
            block = parse_block(document, family, name, problems)
            if fault := component_fault(name, blocks):
                problems.append(document.problem((family, name), fault))
            if block and name in blocks:
                other = dotted_name(blocks[name])
                problems.append(document.problem(block.key, f"the name is taken by {other}; rename one."))
            elif block:
                blocks[name] = block
    return tuple(blocks.values())


def dotted_name(block: Block) -> str:
    """Return "family.name"."""
    return f"{block.family}.{block.name}"


def parse_block(document: Document, family: str, name: str, problems: list[str]) -> Block | None:
    """Read one component, `[family.name]`; None when it has no kind.

    Args:
        document: Where it was written.
        family: Name of its table, "sensors".
        name: Its own name.
        problems: Gets a sentence for each mistake.
    """
    key = (family, name)
    table = document.table(key, problems)
    kind = table.get("kind")
    if not isinstance(kind, str):
        found = "is missing" if kind is None else f"{kind!r}"
        problems.append(document.problem((*key, "kind"), f"{found}; expected the kind of a {FAMILIES[family]}."))
        return None
    return Block(
        family=family,
        name=name,
        kind=kind,
        inputs=_inputs(document, key, problems),
        folder=_folder(document, key, table, problems) if family == "exporters" else None,
        table={k: v for k, v in table.items() if k not in BLOCK_KEYS[: 3 if family == "exporters" else 2]},
        key=key,
    )


def _folder(document: Document, key: Key, table: Mapping[str, Any], problems: list[str]) -> Path | None:
    folder = table.get("folder")
    if folder is None:
        return None
    fault = path_fault(folder)
    if fault:
        problems.append(document.problem((*key, "folder"), fault))
        return None
    return document.origin_of((*key, "folder")).path(folder)


def _inputs(document: Document, key: Key, problems: list[str]) -> dict[str, tuple[str, ...]]:
    inputs: dict[str, tuple[str, ...]] = {}
    for port, value in document.table((*key, "inputs"), problems).items():
        references = [value] if isinstance(value, str) else value
        if isinstance(references, list) and all(isinstance(item, str) for item in references):
            inputs[port] = tuple(references)
        else:
            message = f'{value!r}; expected "device.stream", or a list of them.'
            problems.append(document.problem((*key, "inputs", port), message))
    return inputs


def _episodes(
    document: Document, blocks: tuple[Block, ...], problems: list[str]
) -> dict[str, Mapping[str, tuple[Path, ...]]]:
    devices = [block.name for block in blocks if block.family in ("sensors", "pose_sources")]
    names = list(document.table(("episodes",), problems))
    for place, name in enumerate(names):
        if fault := episode_fault(name, names[:place]):
            problems.append(document.problem(("episodes", name), fault))
    return {
        episode: {
            device: files
            for device in document.table(("episodes", episode), problems)
            if (files := _files(document, ("episodes", episode, device), devices, problems))
        }
        for episode in names
    }


def _files(document: Document, key: Key, devices: list[str], problems: list[str]) -> tuple[Path, ...]:
    device = key[-1]
    if device not in devices:
        message = f"no sensor or pose source has this name{did_you_mean(device, devices)}"
        problems.append(document.problem(key, message))
    value = document.table(key[:-1], problems)[device]
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        problems.append(document.problem(key, f"{value!r}; expected a file name, or a list of chapters."))
        return ()
    faults = [fault for name in names if (fault := path_fault(name))]
    if faults:
        problems.extend(document.problem(key, fault) for fault in faults)
        return ()
    origin = document.origin_of(key)
    return tuple(origin.path(name) for name in names)
