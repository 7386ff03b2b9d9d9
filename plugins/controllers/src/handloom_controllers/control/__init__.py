"""The command `handloom control`: follows a recorded path of the tool on a robot, and measures how well."""

from __future__ import annotations

from collections.abc import Callable

from handloom.api import hookimpl
from handloom_controllers.control.actions import control

__all__ = ["control"]


@hookimpl
def command(kind: str) -> Callable[[list[str]], int]:
    """Answer for `control`."""
    return control
