"""Paths as they are written in a configuration, checked before any system is asked for them."""

from __future__ import annotations

from typing import Any


def path_fault(value: Any) -> str:
    """Say why a value can't be a path; "" when it can."""
    if not isinstance(value, str):
        return f"{value!r}; expected a path as a string."
    if not value.strip():
        return f"{value!r}; expected a path, and this one names nothing."
    return f"{value!r}; no path holds a NUL character." if "\0" in value else ""
