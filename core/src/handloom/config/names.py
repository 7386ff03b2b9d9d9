"""Names that a person chose, checked before anything runs: each becomes a folder of the store."""

from __future__ import annotations

from collections.abc import Iterable

from handloom.errors import StoreError
from handloom.store.keys import check_name


def component_fault(name: str, others: Iterable[str]) -> str:
    """Say what is wrong with the name of a component; "" when nothing is.

    Args:
        name: As written.
        others: Names of components read before.
    """
    if "." in name:
        return f"{name!r} holds a dot, which stands between a component and its stream; use '-' or '_'."
    return _fault(name, "Component", others)


def episode_fault(name: str, others: Iterable[str]) -> str:
    """Say what is wrong with the name of an episode; "" when nothing is.

    Args:
        name: As written.
        others: Names of episodes read before.
    """
    return _fault(name, "Episode", others)


def _fault(name: str, what: str, others: Iterable[str]) -> str:
    try:
        check_name(name, what)
    except StoreError as error:
        return str(error)
    same = [other for other in others if other != name and other.casefold() == name.casefold()]
    return f"differs from '{same[0]}' only in case, and is the same file on many systems." if same else ""
