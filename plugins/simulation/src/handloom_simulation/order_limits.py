"""Between which limits the numbers of an order lie; a slip of the keyboard must not fill memory or disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

LIMITS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "episodes": (0, 1000),
        "seconds": (0.1, 3600),
        "seed": (0, 10**9),
        "width": (64, 8192),
        "rate": (1, 1000),
        "finger_width": (64, 8192),
        "top_width": (64, 8192),
        "workers": (1, 256),
    }
)
"""By number of an order, the least and the largest that can be filmed."""


def beyond_limits(order: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each number of an order that no lab could film; None is left to the lab.

    Args:
        order: Its values by name.
    """
    for name, (least, largest) in LIMITS.items():
        value = order[name]
        if value is not None and not least <= value <= largest:  # not a number fits neither
            yield f"--{name.replace('_', '-')}: found {value}; expected {least} to {largest}."
