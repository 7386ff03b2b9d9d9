# mypy: disable-error-code="empty-body"
"""The hooks a plugin module may implement; a misspelt argument is refused when the module is loaded.

A module named in an entry point of group `handloom.<family>` implements the one hook of its family and answers the
class for the kind asked for. It may also implement observers, which are told what happens during a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from handloom.api.component import Component
    from handloom.api.control import Controller, Fault, Law
    from handloom.api.diagnosis import Diagnosis
    from handloom.api.policy import Model
    from handloom.api.robots import Robot
    from handloom.api.steps import Exporter, FrameStep, PoseSource, Sensor, Step

PROJECT = "handloom"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

FAMILIES: Mapping[str, str] = {
    "sensors": "sensor",
    "pose_sources": "pose_source",
    "models": "model",
    "controllers": "controller",
    "exporters": "exporter",
    "steps": "step",
    "robots": "robot",
    "calibrations": "calibration",
    "executors": "executor",
    "commands": "command",
    "diagnoses": "diagnosis",
}
"""The families, each with the hook that answers its class; the entry-point group is `handloom.<family>`."""

OBSERVERS = ("run_started", "episode_started", "step_finished", "chunk_applied", "fault", "run_finished")
"""The hooks that only listen."""


@hookspec(firstresult=True)
def sensor(kind: str) -> type[Sensor]:
    """Return the sensor class for a kind."""


@hookspec(firstresult=True)
def pose_source(kind: str) -> type[PoseSource]:
    """Return the pose source class for a kind."""


@hookspec(firstresult=True)
def model(kind: str) -> type[Model]:
    """Return the model class for a kind."""


@hookspec(firstresult=True)
def controller(kind: str) -> type[Controller] | type[Law]:
    """Return the controller or law class for a kind."""


@hookspec(firstresult=True)
def exporter(kind: str) -> type[Exporter]:
    """Return the exporter class for a kind."""


@hookspec(firstresult=True)
def step(kind: str) -> type[Step] | type[FrameStep]:
    """Return the step class for a kind."""


@hookspec(firstresult=True)
def robot(kind: str) -> type[Robot]:
    """Return the robot class for a kind."""


@hookspec(firstresult=True)
def calibration(kind: str) -> type[Component]:
    """Return the calibration class for a kind."""


@hookspec(firstresult=True)
def executor(kind: str) -> type[Any]:
    """Return the executor class for a kind."""


@hookspec(firstresult=True)
def command(kind: str) -> Any:
    """Return the function `(arguments: list[str]) -> int` behind `handloom KIND`."""


@hookspec(firstresult=True)
def diagnosis(kind: str) -> Callable[[], Iterable[Diagnosis]]:
    """Return the function that looks at the machine or the installation for `handloom doctor`."""


@hookspec
def run_started(scene: str) -> None:
    """Hear that a run begins on a scene."""


@hookspec
def episode_started(episode: str) -> None:
    """Hear that work on an episode begins."""


@hookspec
def step_finished(episode: str, step: str, outcome: str) -> None:
    """Hear how a step ended: "committed", "fresh", "failed", "skipped" or "absent"."""


@hookspec
def chunk_applied(stamp: int, waypoints: int) -> None:
    """Hear that a chunk was applied."""


@hookspec
def fault(fault: Fault) -> None:
    """Hear of a recoverable runtime event."""


@hookspec
def run_finished(scene: str, failed: int) -> None:
    """Hear that a run ended, and how many steps failed."""
