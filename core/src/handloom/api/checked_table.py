"""Reading a table of plain values while collecting every mistake instead of stopping at the first."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from handloom.errors import ClockError, nearest
from handloom.time.stamp import whole_ns


class Problems:
    """The sentences of all mistakes found so far."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Keep one more."""
        self.sentences.append(sentence)


class CheckedTable:
    """A table at a path; what is wrong with it is added to the problems and read as an empty value.

    Attributes:
        path: Where it stands, "rig.frames.tcp".
        values: The table; None when something else stands there.
        problems: Where mistakes go.
    """

    def __init__(self, values: Any, path: str, problems: Problems) -> None:
        self.path = path
        self.problems = problems
        self.values: Mapping[str, Any] | None = values if isinstance(values, Mapping) else None
        if self.values is None:
            found = "nothing" if values is None else repr(values)
            problems.add(f"{path}: found {found}; expected a table.")

    def __contains__(self, key: str) -> bool:
        return self.values is not None and key in self.values

    def __getitem__(self, key: str) -> Any:
        return None if self.values is None else self.values.get(key)

    def problem(self, key: str, sentence: str) -> None:
        """Add a mistake of one key."""
        self.problems.add(f"{self.path}.{key}: {sentence}")

    def only(self, *known: str) -> None:
        """Refuse keys that nobody reads."""
        for key in self.values or ():
            if key not in known:
                self.problem(key, f"unknown key; expected one of {', '.join(known)}{nearest(key, known)}")

    def one_of(self, first: str, second: str) -> bool:
        """Say whether exactly one of two keys is there, and refuse both and neither."""
        if self.values is None or (first in self) != (second in self):
            return self.values is not None
        found = "both" if first in self else "neither"
        self.problem(first, f"found {found} of {first} and {second}; expected exactly one of them.")
        return False

    def text(self, key: str, *, optional: bool = False) -> str:
        """Read a word that is not empty."""
        value = self[key]
        if (optional and (value is None or value == "")) or self.values is None:
            return ""
        if not isinstance(value, str) or not value:
            self.problem(key, f"found {_shown(value)}; expected a name in quotes.")
            return ""
        return value

    def number(self, key: str, *, default: float, least: float = -math.inf) -> float:
        """Read a finite number that is not too small, or the default when it is not there."""
        value = default if self[key] is None else self[key]
        if not is_number(value) or value < least:
            self.problem(key, f"found {value!r}; expected a finite number{_at_least(least)}.")
            return default
        return float(value)

    def integer_ns(self, key: str, *, default: int = 0) -> int:
        """Read whole nanoseconds, or the default when they are not there."""
        value = default if self[key] is None else self[key]
        try:
            return whole_ns(value)
        except ClockError:
            self.problem(key, f"found {value!r}; expected whole nanoseconds that fit in int64.")
            return default

    def numbers(self, key: str, count: int, what: str) -> list[float]:
        """Read a list of so many finite numbers; empty when it is not one."""
        value = self[key]
        if isinstance(value, list | tuple) and len(value) == count and all(map(is_number, value)):
            return [float(number) for number in value]
        if self.values is not None:
            self.problem(key, f"found {_shown(value)}; expected {what}, {count} finite numbers.")
        return []

    def tables(self, key: str) -> dict[str, CheckedTable]:
        """Read named tables; none when the key is not there."""
        return {name: tables[0] for name, tables in self._named(key, lists=False).items()}

    def lists_of_tables(self, key: str) -> dict[str, list[CheckedTable]]:
        """Read names that have one table or a list of tables each."""
        return self._named(key, lists=True)

    def _named(self, key: str, *, lists: bool) -> dict[str, list[CheckedTable]]:
        if key not in self:
            return {}
        outer = CheckedTable(self[key], f"{self.path}.{key}", self.problems)
        named: dict[str, list[CheckedTable]] = {}
        for name, value in (outer.values or {}).items():
            path = f"{outer.path}.{_as_key(name)}"
            if not isinstance(name, str) or not name:
                self.problems.add(f"{path}: found {name!r} as a name; expected a word.")
            elif lists and isinstance(value, list | tuple):
                paths = [path] if len(value) == 1 else [f"{path}[{row}]" for row in range(len(value))]
                named[name] = [
                    CheckedTable(entry, where, self.problems) for entry, where in zip(value, paths, strict=True)
                ]
            else:
                named[name] = [CheckedTable(value, path, self.problems)]
        return named


def _as_key(name: Any) -> str:
    """Return a name as TOML writes it in a key: a clock "session/gopro" needs quotes."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]+", str(name))
    return str(name) if plain else json.dumps(name, ensure_ascii=False)


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number, and not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    return "nothing" if value is None else repr(value)


def _at_least(least: float) -> str:
    return f" of at least {least:g}" if least > -math.inf else ""
