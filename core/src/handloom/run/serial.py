"""The executor `serial`: every task in this process, one after the other; for a debugger, and for small files."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import ClassVar

from handloom.api import hookimpl
from handloom.host import Host
from handloom.run.executor import Executor
from handloom.run.tasks import Advanced, Done, Event, Task
from handloom.run.work import work
from handloom.store import Disk


class SerialExecutor(Executor):
    """Runs a task when somebody waits for it."""

    summary: ClassVar[str] = "This process, one task after the other"
    disk_of_results: ClassVar[Disk] = Disk()
    """Where results are staged; a test's subclass counts and breaks what passes through it."""

    def __init__(self, workers: int, host: Host) -> None:
        super().__init__(1, host)
        self._tasks: deque[Task] = deque()
        self._events: deque[Event] = deque()

    def submit(self, task: Task) -> None:
        """Take a task in; it is run by `wait`."""
        self._tasks.append(task)

    def wait(self) -> Event:
        """Run the next task to its end, and return its events one after the other."""
        if not self._events:
            task = self._tasks.popleft()
            results = work(task, partial(self._advance, task), self.host, self.disk_of_results)
            self._events.append(Done(task=task.id, results=results))
        return self._events.popleft()

    def _advance(self, task: Task, share: float) -> None:
        self._events.append(Advanced(task=task.id, share=share))

    def close(self) -> None:
        """Forget what was not run."""
        self._tasks.clear()
        self._events.clear()


@hookimpl
def executor(kind: str) -> type[Executor]:
    """Return the executor."""
    return SerialExecutor
