"""What an executor does: take tasks, run them somewhere, tell what became of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import ClassVar, Self

from handloom.host import Host
from handloom.run.tasks import Event, Task


class Executor(ABC):
    """Runs tasks, as many at a time as it has workers; a plugin of group `handloom.executors` answers a subclass.

    Attributes:
        summary: One line that says where the tasks run.
    """

    summary: ClassVar[str] = ""

    def __init__(self, workers: int, host: Host) -> None:
        self.workers = workers
        self.host = host

    @abstractmethod
    def submit(self, task: Task) -> None:
        """Take a task in; called with at most `workers` tasks not yet ended."""

    @abstractmethod
    def wait(self) -> Event:
        """Return the next event; block until there is one."""

    @abstractmethod
    def close(self) -> None:
        """End every process that is still running; nothing is left behind."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
