"""Makes `docs/api.md`: what each sub-package of the core exports, from the modules."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

SUB_PACKAGES = (
    *("api", "streams", "geometry", "time", "media", "net", "store", "host"),
    *("config", "plan", "run", "testing", "cli"),
)
_SAID = {
    "DTYPES": "The dtypes that a message may carry.",
    "Ending": "How a component ended: committed, fresh, failed, skipped or absent.",
    "Event": "What an executor tells: advanced, done or lost.",
    "Format": "What a view may be: rgb, gray or luma.",
    "KINDS": "The kinds of stream, each with what one sample of it is.",
    "PROJECT": "The name that pluggy knows Handloom by.",
    "Stream": "Samples or a video.",
    "hookimpl": "Marks a function of a plugin's module as the implementation of a hook.",
}
"""What is to be said of names that have no documentation of their own."""

_API_HEAD = """\
# Public names

What each sub-package of `handloom` exports, with the first line of its documentation, made by
`python -m docs.generate`. Whatever is not listed may change without notice.
"""


def api_page() -> str:
    """Return the text of `api.md`."""
    return _API_HEAD + "".join(_package_section(name) for name in ("errors", *SUB_PACKAGES))


def _package_section(name: str) -> str:
    module = importlib.import_module(f"handloom.{name}")
    lines = [f"\n## `handloom.{name}`\n", first_line(module.__doc__), "", "| name | |", "| --- | --- |"]
    constants = dict(_constants(module))
    for public in public_names(module):
        said = _said_of(getattr(module, public)) or constants.get(public) or _SAID[public]
        lines.append(f"| `{public}` | {said.replace('|', chr(92) + '|')} |")
    return "\n".join([*lines, ""])


def public_names(module: ModuleType) -> list[str]:
    """Return what a module exports."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return sorted(getattr(module, "__all__", own), key=str.casefold)


def _said_of(value: Any) -> str:
    if inspect.isroutine(value) or inspect.isclass(value) or inspect.ismodule(value):
        return first_line(inspect.getdoc(value))
    return ""


def first_line(text: str | None) -> str:
    """Return the first line of a docstring."""
    return (text or "").strip().partition("\n")[0]


def _constants(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yield each constant of a package with the string that stands below it."""
    for info in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
        source = importlib.util.find_spec(info.name)
        body = ast.parse(Path(str(source and source.origin)).read_text(encoding="utf-8")).body
        for statement, after in pairwise(body):
            target = (
                statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
            )
            if (
                isinstance(target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                yield target.id, first_line(str(after.value.value))
