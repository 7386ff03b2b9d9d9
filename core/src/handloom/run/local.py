"""The executor `local`: a process of its own for every task, so that a killed one costs that task alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from queue import Queue
from threading import Thread
from typing import ClassVar

from handloom.api import hookimpl
from handloom.host import Host
from handloom.run.executor import Executor
from handloom.run.tasks import Advanced, Done, Event, Lost, Result, Task


class LocalExecutor(Executor):
    """Starts `python -m handloom.run.worker` for every task and speaks JSON lines with it."""

    summary: ClassVar[str] = "A process of this machine for every task"

    def __init__(self, workers: int, host: Host) -> None:
        super().__init__(workers, host)
        self._events: Queue[Event] = Queue()
        self._processes: dict[int, subprocess.Popen[str]] = {}

    def submit(self, task: Task) -> None:
        """Start a process for the task."""
        process = subprocess.Popen(
            [sys.executable, "-m", "handloom.run.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._processes[task.id] = process
        Thread(target=self._converse, args=(task, process), daemon=True).start()

    def wait(self) -> Event:
        """Return the next event of any process."""
        event = self._events.get()
        if isinstance(event, (Done, Lost)):
            self._processes.pop(event.task, None)
        return event

    def close(self) -> None:
        """Kill what still runs and wait until it is gone."""
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()
        self._processes.clear()

    def _converse(self, task: Task, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        results: tuple[Result, ...] | None = None
        try:
            # The pipe stays open: a worker whose runner dies reads its end and leaves.
            process.stdin.write(json.dumps(task.to_json()) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                answer = json.loads(line)
                if "share" in answer:
                    self._events.put(Advanced(task=task.id, share=answer["share"]))
                else:
                    results = tuple(Result.from_json(values) for values in answer["results"])
        except (BrokenPipeError, json.JSONDecodeError):
            results = None
        code = process.wait()
        process.stdin.close()
        process.stdout.close()
        if results is not None and code == 0:
            self._events.put(Done(task=task.id, results=results))
        else:
            self._events.put(Lost(task=task.id, how=_death(code)))


def _death(code: int) -> str:
    if code >= 0:
        return f"ended with exit status {code} before it answered"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    out_of_memory = "; the system does this when memory runs out" if name == "SIGKILL" else ""
    return f"was killed by {name}{out_of_memory}"


@hookimpl
def executor(kind: str) -> type[Executor]:
    """Return the executor."""
    return LocalExecutor
