"""A merged configuration as text, each value with the file it came from."""

from __future__ import annotations

import json
from typing import Any

from handloom.config.document import Document, dotted, leaves


def show(document: Document) -> str:
    """Return one line a value, `block.name.key = value`, with the origin as a comment."""
    rows = [
        (f"{dotted(key)} = {toml_value(value)}", document.origin_of(key).label)
        for key, value in leaves(document.tables)
    ]
    width = max((len(text) for text, _ in rows), default=0)
    return "\n".join(f"{text:<{width}}  # {label}" for text, label in rows)


def toml_value(value: Any) -> str:
    """Write a value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{dotted((key,))} = {toml_value(item)}" for key, item in value.items()) + "}"
    return str(value)
