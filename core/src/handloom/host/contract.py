"""What can be told of a plugin's answer without making an instance: the right class, Config, summary and ports."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import attrs

from handloom.api import Component, Controller, Exporter, FrameStep, Law, Model, PoseSource, Robot, Sensor, Step

BASES: Mapping[str, tuple[type, ...]] = {
    "sensors": (Sensor,),
    "pose_sources": (PoseSource,),
    "models": (Model,),
    "controllers": (Controller, Law),
    "exporters": (Exporter,),
    "steps": (Step, FrameStep),
    "robots": (Robot,),
    "calibrations": (Component,),
}
"""The classes a family's components derive from; families left out answer something else."""

FUNCTIONS: Mapping[str, str] = {
    "commands": "a function of a list of arguments",
    "diagnoses": "a function without arguments",
}
"""The families that answer a function."""


def problem_of(family: str, answer: Any) -> str:
    """Say in a sentence what is wrong with a plugin's answer; "" when nothing is."""
    if family in FUNCTIONS:
        return "" if callable(answer) else f"it answers {answer!r}, not {FUNCTIONS[family]}."
    if not isinstance(answer, type):
        return f"it answers {answer!r}, not a class."
    if family not in BASES:
        return ""
    return next(filter(None, (look(family, answer) for look in _LOOKS)), "")


def _base(family: str, answer: type) -> str:
    bases = BASES[family]
    if issubclass(answer, bases):
        return ""
    wanted = " or ".join(f"handloom.api.{base.__name__}" for base in bases)
    return f"class {answer.__name__} must derive from {wanted}."


def _abstract(_: str, answer: type) -> str:
    missing = sorted(getattr(answer, "__abstractmethods__", ()))
    return f"class {answer.__name__} lacks {', '.join(f'`{name}`' for name in missing)}." if missing else ""


def _config(_: str, answer: Any) -> str:
    config = answer.Config
    if isinstance(config, type) and attrs.has(config) and _is_frozen(config):
        return ""
    return f"{answer.__name__}.Config must be a class made by `@attrs.frozen`; found {config!r}."


def _is_frozen(config: type) -> bool:
    # Asking an instance needs nothing private of attrs; one made past __init__ needs no values for the settings.
    instance: Any = object.__new__(config)
    try:
        setattr(instance, next((field.name for field in attrs.fields(config)), "anything"), None)
    except attrs.exceptions.FrozenInstanceError:
        return True
    except Exception:  # noqa: BLE001  a validator that runs on setting may raise anything; it was set, so not frozen
        return False
    return False


def _summary(_: str, answer: Any) -> str:
    summary = answer.summary
    if isinstance(summary, str) and summary.strip() and len(summary.splitlines()) == 1:
        return ""
    return f"{answer.__name__}.summary must be one line that says what it is for; found {summary!r}."


def _version(_: str, answer: Any) -> str:
    version = answer.version
    if isinstance(version, int) and not isinstance(version, bool) and version >= 1:
        return ""
    return f"{answer.__name__}.version must be a whole number from 1 up; found {version!r}."


def _ports(_: str, answer: Any) -> str:
    if inspect.ismethod(answer.ports) and answer.ports.__self__ is answer:
        return ""
    return f"{answer.__name__}.ports must be a `@classmethod` that takes the config."


_LOOKS = (_base, _abstract, _config, _summary, _version, _ports)
