"""What a person sees while a run goes on: bars on a terminal, lines in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from handloom.plan import Plan, instances
from handloom.run import Advanced, Happening, Outcome, Task

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Console:
    """Lines that begin with a word in a column of its own."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def line(self, word: str, text: str) -> None:
        """Print one line."""
        print(f"{word:>9}  {text}", file=self._file, flush=True)


@contextmanager
def watching(plan: Plan, *, quiet: bool = False) -> Iterator[Callable[[Happening], None]]:
    """Show what happens while the block runs; yields the function to tell it to."""
    if quiet:
        yield lambda happening: None
    elif sys.stderr.isatty():
        with _bars(plan) as tell:
            yield tell
    else:
        console = Console(sys.stderr)
        yield lambda happening: _tell(console, happening)


def _tell(console: Console, happening: Happening) -> None:
    if isinstance(happening, Outcome):
        for word, text in lines_of(happening):
            console.line(word, text)


def lines_of(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yield what there is to say of how a component ended; nothing for what was up to date.

    Its notes are told at the end of the run, where those that are alike become one.
    """
    if outcome.ending == "committed":
        yield "made", outcome.place
    elif outcome.ending in ("failed", "skipped"):
        yield outcome.ending, f"{outcome.place}: {outcome.reason}"


@contextmanager
def _bars(plan: Plan) -> Iterator[Callable[[Happening], None]]:
    from rich.console import Console as Terminal
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    total = sum(len(instances(plan, node)) for node in plan.offline())
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Terminal(stderr=True), transient=True) as progress:
        yield _Bars(progress, total)


class _Bars:
    """One bar for the whole run and one for each running task."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._whole = progress.add_task("all steps", total=total)
        self._running: dict[int, TaskID] = {}

    def __call__(self, happening: Happening) -> None:
        if isinstance(happening, Task):
            self._running[happening.id] = self._progress.add_task(happening.label, total=1.0)
        elif isinstance(happening, Advanced):
            self._progress.update(self._running[happening.task], completed=happening.share)
        elif isinstance(happening, Outcome):
            self._progress.advance(self._whole)
            for word, text in lines_of(happening):
                self._progress.console.print(f"{word:>9}  {text}", markup=False, highlight=False)
        else:
            self._progress.remove_task(self._running.pop(happening.task))
