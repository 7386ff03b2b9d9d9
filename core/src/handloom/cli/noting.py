"""What a run has to say of its recordings, once for what holds for several episodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from handloom.run import Outcome

_NUMBER = re.compile(r"\d+")


def folded(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield a line for each note, in the order they came.

    Notes of one component that differ in nothing but numbers become one line: how many episodes they hold for, and
    the words of the first.
    """
    alike: dict[tuple[str, str], list[tuple[Outcome, str]]] = {}
    for outcome in outcomes:
        for note in outcome.notes:
            key = (outcome.node, _NUMBER.sub("#", note)) if outcome.episode else (outcome.place, note)
            alike.setdefault(key, []).append((outcome, note))
    for found in alike.values():
        yield _line(found)


def _line(found: list[tuple[Outcome, str]]) -> str:
    outcome, note = found[0]
    episodes = len({each.episode for each, _ in found})
    if episodes == 1:
        more = f" (and {len(found) - 1} more alike)" if len(found) > 1 else ""
        return f"{outcome.place}: {note}{more}"
    same = all(each == note for _, each in found)
    where = f"{episodes} episodes" if same else f"{episodes} episodes, such as {outcome.episode}"
    return f"{outcome.node}, {where}: {note}"
