"""What a worker is asked and what it answers, as JSON: a task is one pass over one episode, or over the scene."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Task:
    """Work that one process does in one go.

    Attributes:
        id: Unique in the run.
        episode: The episode; "" for the whole scene.
        nodes: Components to run: one, or several frame steps that share a decode pass.
        scene: The scene directory, absolute.
        document: The merged configuration as JSON values.
    """

    id: int
    episode: str
    nodes: tuple[str, ...]
    scene: Path
    document: Mapping[str, Any]

    @property
    def label(self) -> str:
        """What to call the task on a screen."""
        return " ".join(filter(None, (self.episode, "+".join(self.nodes))))

    def to_json(self) -> dict[str, Any]:
        """Return the task as JSON values."""
        return {**attrs.asdict(self, recurse=False), "nodes": list(self.nodes), "scene": str(self.scene)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Task:
        """Read what `to_json` wrote."""
        return cls(**{**values, "nodes": tuple(values["nodes"]), "scene": Path(values["scene"])})


@attrs.frozen(kw_only=True)
class Result:
    """How one component of a task ended.

    Attributes:
        node: The component.
        staged: What the store needs to commit it; None when it failed.
        reason: Why it failed, a sentence; "" when it did not.
        disk_full: Whether it failed because the disk is full, so that nothing else can work either.
        export: For an exporter, the finished temporary file and the name it shall get.
        beside: The same of texts that go beside it.
    """

    node: str
    staged: Mapping[str, Any] | None = None
    reason: str = ""
    disk_full: bool = False
    export: tuple[str, str] | None = None
    beside: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**attrs.asdict(self, recurse=False), "export": list(self.export) if self.export else None}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Result:
        """Read what `to_json` wrote."""
        export, beside = values["export"], tuple((partial, final) for partial, final in values["beside"])
        return cls(**{**values, "export": tuple(export) if export else None, "beside": beside})


@attrs.frozen(kw_only=True)
class Advanced:
    """A task has got on."""

    task: int
    share: float


@attrs.frozen(kw_only=True)
class Done:
    """A task has ended, with a result for each of its components."""

    task: int
    results: tuple[Result, ...]


@attrs.frozen(kw_only=True)
class Lost:
    """The process of a task died before it could answer.

    Attributes:
        how: What is known about it: "was killed by SIGKILL".
    """

    task: int
    how: str


Event = Advanced | Done | Lost
