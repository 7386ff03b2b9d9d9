"""A bar on the terminal for work that takes more than a second; nothing when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(label: str) -> Iterator[Callable[[float], None]]:
    """Show a bar on stderr while the block runs; yields a function that is told the share done, 0 to 1."""
    if not sys.stderr.isatty():
        yield lambda share: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=1.0)
        yield lambda share: progress.update(task, completed=share)
