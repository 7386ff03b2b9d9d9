"""TOML values to frozen attrs classes through cattrs, with every mistake turned into a sentence."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import attrs
import cattrs
from cattrs.errors import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)

from handloom.config.document import Document, Key
from handloom.config.paths import path_fault
from handloom.errors import HandloomError, did_you_mean

T = TypeVar("T")


def structure(document: Document, key: Key, table: Mapping[str, Any], cls: type[T]) -> tuple[T | None, list[str]]:
    """Turn a table into a settings class.

    Args:
        document: Where the table was written; relative paths are relative to the file each was written in.
        key: Where the table stands in the document.
        table: Its values, without the keys that the block itself uses.
        cls: A frozen attrs class.

    Returns:
        The settings and no problems, or None and all problems.
    """
    resolved = {name: _resolve(document, (*key, name), value, cls) for name, value in table.items()}
    try:
        return _converter().structure(resolved, cls), []
    except HandloomError as error:
        return None, [document.problem(key, str(error))]
    except BaseValidationError as error:
        return None, [document.problem((*key, *path), text) for path, text in _flatten(error, ())]


def settings_json(settings: Any) -> dict[str, Any]:
    """Return settings as JSON values; a path is reduced to its name, so that a store holds no absolute path."""
    plain: dict[str, Any] = json.loads(json.dumps(attrs.asdict(settings, value_serializer=_plain)))
    return plain


def _plain(_: Any, __: Any, value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    return value.name if isinstance(value, Path) else value


def _mentions_path(annotation: Any) -> bool:
    return annotation is Path or any(_mentions_path(part) for part in get_args(annotation))


def _resolve(document: Document, key: Key, value: Any, cls: type) -> Any:
    """Make the relative paths of a setting whose type is a path, or holds paths, absolute."""
    if not _mentions_path(get_type_hints(cls).get(key[-1])):
        return value
    origin = document.origin_of(key)
    if isinstance(value, list):
        return [item if path_fault(item) else str(origin.path(item)) for item in value]
    return value if path_fault(value) else str(origin.path(value))


@cache
def _converter() -> cattrs.Converter:
    """Return a converter that takes TOML values as they are: "5" is no number and "abc" is no list."""
    strict, sequences = cattrs.Converter(forbid_extra_keys=True), cattrs.Converter(forbid_extra_keys=True)
    for converter in (strict, sequences):
        for cls, check in _STRICT.items():
            converter.register_structure_hook(cls, check)

    def sequence(value: Any, annotation: Any) -> Any:
        if not isinstance(value, list):
            raise TypeError(f"{value!r}; expected a list")
        return sequences.structure(value, annotation)

    strict.register_structure_hook_func(_is_sequence, sequence)
    for converter in (strict, sequences):
        converter.register_structure_hook_func(_is_literal, _literal)
    return strict


def _is_sequence(annotation: Any) -> bool:
    origin: Any = get_origin(annotation)
    return origin is list or origin is tuple


def _is_literal(annotation: Any) -> bool:
    return get_origin(annotation) is Literal


def _literal(value: Any, annotation: Any) -> Any:
    allowed = get_args(annotation)
    if value not in allowed or isinstance(value, bool) != isinstance(allowed[allowed.index(value)], bool):
        choices = " or ".join(json.dumps(choice) for choice in allowed)
        raise TypeError(f"{value!r}; expected {choices}")
    return value


def _exact(cls: type, words: str) -> Any:
    def check(value: Any, _: Any) -> Any:
        if type(value) is not cls:
            raise TypeError(f"{value!r}; expected {words}")
        return value

    return check


def _number(value: Any, _: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError(f"{value!r}; expected a number")
    # The ledger keeps settings as JSON, which knows neither; leave a setting out where there is no limit.
    if not _is_finite(value):
        raise TypeError(f"{value!r:.40}; expected a finite number")
    return float(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def _fraction(value: Any, _: Any) -> Fraction:
    told = f'{value!r}; expected a whole number, or a fraction as a string: "60000/1001"'
    if type(value) not in (int, str):
        raise TypeError(told)
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise TypeError(told) from None


def _path(value: Any, _: Any) -> Path:
    if fault := path_fault(value):
        raise TypeError(fault)
    return Path(value)


_STRICT: Mapping[type, Any] = {
    int: _exact(int, "a whole number"),
    str: _exact(str, "a string"),
    bool: _exact(bool, "true or false"),
    float: _number,
    Fraction: _fraction,
    Path: _path,
}


def _flatten(error: BaseException, path: Key) -> list[tuple[Key, str]]:
    """Turn cattrs' tree of errors into (key, sentence) pairs, in the order found."""
    if isinstance(error, BaseValidationError):
        return [pair for inner in error.exceptions for pair in _flatten(inner, (*path, *_step(inner)))]
    if isinstance(error, ForbiddenExtraKeysError):
        known = [field.name for field in attrs.fields(error.cl)] if error.cl else []
        return [((*path, name), _unknown(name, known)) for name in sorted(error.extra_fields)]
    if isinstance(error, KeyError):
        return [((*path, str(error.args[0])), "is missing; it has no default.")]
    return [_located(path, _sentence(error))]


def _located(path: Key, sentence: str) -> tuple[Key, str]:
    """Put what a validator of attrs says, "'name' must be …: value", under the key it speaks of."""
    found = re.fullmatch(r"'(\w+)' must be (.*): (.*)\.", sentence, flags=re.DOTALL)
    return ((*path, found[1]), f"{found[3]}; expected {found[2]}.") if found else (path, sentence)


def _unknown(name: str, known: list[str]) -> str:
    return f"unknown key{did_you_mean(name, known)}" if known else "unknown key; there is nothing to set here."


def _step(error: BaseException) -> Key:
    for note in getattr(error, "__notes__", []):
        if isinstance(note, AttributeValidationNote):
            return () if isinstance(error, KeyError) else (note.name,)
        if isinstance(note, IterableValidationNote):
            return (str(note.index),)
    return ()


def _sentence(error: BaseException) -> str:
    text = str(error.args[0]) if error.args else type(error).__name__
    return text if text.endswith(".") else f"{text}."
