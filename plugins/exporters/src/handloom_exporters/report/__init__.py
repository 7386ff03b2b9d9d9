"""The command `handloom report`: one self-contained page that shows what is in a scene."""

from __future__ import annotations

from collections.abc import Callable

from handloom.api import hookimpl
from handloom_exporters.report.command import report

__all__ = ["report"]


@hookimpl
def command(kind: str) -> Callable[[list[str]], int]:
    """Answer for `report`."""
    return report
