"""The hash of a contract, by which two sides know that they mean the same arrays."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from handloom.errors import WireError


def contract_hash(contract: Any) -> str:
    """Return the SHA-256 of a contract, 64 hex digits, the same for the same meaning.

    The order of keys, tuples instead of lists and 30 instead of 30.0 do not matter; everything else does.

    Args:
        contract: JSON values: names, shapes, units, frames, rates.

    Raises:
        WireError: The contract holds something that is not JSON.
    """
    text = json.dumps(_plain(contract, "contract"), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any, where: str) -> Any:
    """Return a value with one spelling for each meaning."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return int(value) if value.is_integer() else value
    if isinstance(value, list | tuple):
        return [_plain(entry, f"{where}[{index}]") for index, entry in enumerate(value)]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(entry, f"{where}.{key}") for key, entry in value.items()}
    raise WireError(f"{where}: found {type(value).__name__} {value!r}; a contract holds JSON values only.")
