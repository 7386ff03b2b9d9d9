"""The functions of the C headers: their names, what they take, and what they return, read from the headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from handloom.errors import HandloomError

SCALARS: Mapping[str, str] = {
    "int32_t": "i4",
    "int64_t": "i8",
    "uint32_t": "u4",
    "uint64_t": "u8",
    "double": "f8",
}
"""The numbers that the headers use, as numpy types."""

_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|^\s*#[^\n]*|extern "C" \{', re.DOTALL | re.MULTILINE)
_BODY = re.compile(r"(?:typedef struct|struct|enum)\s*\w*\s*\{.*?\}[^;]*;", re.DOTALL)
_FUNCTION = re.compile(r"(?P<result>[\w\s]+?[\s*]+)(?P<name>\w+)\s*\((?P<parameters>[^()]*)\)\Z")
_PARAMETER = re.compile(r"(?P<const>const\s+)?(?P<base>\w+)\s*(?P<pointer>\*?)\s*(?P<name>\w+)\Z")


@attrs.frozen
class Parameter:
    """One parameter of a C function.

    Attributes:
        name: As the header calls it.
        base: Its type, without `const` and `*`.
        pointer: It is the address of such a thing, or of several in a row.
        const: What it points to is only read.
    """

    name: str
    base: str
    pointer: bool
    const: bool


@attrs.frozen
class Signature:
    """One C function.

    Attributes:
        name: Its name.
        result: "void", "address", or a number of SCALARS.
        parameters: In order.
    """

    name: str
    result: str
    parameters: tuple[Parameter, ...]


def read_signatures(headers: Iterable[Path]) -> dict[str, Signature]:
    """Read the functions that headers declare, by name.

    Raises:
        HandloomError: A declaration is beyond what is understood here: numbers of fixed size and plain pointers.
    """
    found = [signature for header in headers for signature in _of_header(header)]
    return {signature.name: signature for signature in found}


def _of_header(header: Path) -> list[Signature]:
    statements = _BODY.sub("", _NO_CODE.sub("", header.read_text())).split(";")
    matches = (_FUNCTION.match(statement.strip()) for statement in statements)
    return [_signature(header, match) for match in matches if match]


def _signature(header: Path, match: re.Match[str]) -> Signature:
    result = match["result"].replace("const", "").strip()
    name = match["name"]
    if "*" in result:
        result = "address"
    elif result != "void" and (result not in SCALARS or result == "double"):
        raise HandloomError(f"{header.name}: {name} returns {result}, which can't be called from Python.")
    words = [word.strip() for word in match["parameters"].split(",")]
    told = [] if words in ([""], ["void"]) else words
    return Signature(name, result, tuple(_parameter(header, name, word) for word in told))


def _parameter(header: Path, function: str, words: str) -> Parameter:
    match = _PARAMETER.match(" ".join(words.split()))
    if match is None or not (match["pointer"] or match["base"] in SCALARS):
        raise HandloomError(f"{header.name}: {function} takes `{words}`, which can't be given from Python.")
    return Parameter(match["name"], match["base"], bool(match["pointer"]), bool(match["const"]))
