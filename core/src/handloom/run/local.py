"""The executor `local`: a process of its own for every task, so that a killed one costs that task alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from queue import Queue
from threading import Thread
from typing import ClassVar

from handloom.api import hookimpl
from handloom.host import Host
from handloom.run.executor import Executor
from handloom.run.tasks import Advanced, Done, Event, Lost, Result, Task


class LocalExecutor(Executor):
    """Starts `python -m handloom.run.worker` for every task and speaks JSON lines with it.

    A process leads a group of its own: Ctrl-C reaches the runner alone, and what a plugin has started ends with
    the task it was started for.
    """

    summary: ClassVar[str] = "A process of this machine for every task"

    def __init__(self, workers: int, host: Host) -> None:
        super().__init__(workers, host)
        self._events: Queue[Event] = Queue()
        self._processes: dict[int, subprocess.Popen[str]] = {}

    def submit(self, task: Task) -> None:
        """Start a process for the task."""
        try:
            process = _start()
        except OSError as error:
            self._events.put(Lost(task=task.id, how=f"can't be started: {error.strerror or error}"))
            return
        self._processes[task.id] = process
        burial = Thread(target=_bury, args=(process,), daemon=True)
        burial.start()
        Thread(target=self._converse, args=(task, process, burial), daemon=True).start()

    def wait(self) -> Event:
        """Return the next event of any process."""
        event = self._events.get()
        if isinstance(event, (Done, Lost)):
            self._processes.pop(event.task, None)
        return event

    def close(self) -> None:
        """Kill what still runs and wait until it is gone."""
        for process in self._processes.values():
            _kill(process)
        for process in self._processes.values():
            process.wait()
        self._processes.clear()

    def _converse(self, task: Task, process: subprocess.Popen[str], burial: Thread) -> None:
        results: tuple[Result, ...] | None = None
        # Whatever the process says that is no answer counts as none.
        with suppress(OSError, ValueError, KeyError, TypeError):
            results = self._listen(task, process)
        if results is not None:
            _kill(process)  # all is staged; threads and children of a plugin have nothing left to do
        burial.join()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe:
                    pipe.close()
        if results is not None:
            self._events.put(Done(task=task.id, results=results))
        else:
            self._events.put(Lost(task=task.id, how=_death(code)))

    def _listen(self, task: Task, process: subprocess.Popen[str]) -> tuple[Result, ...] | None:
        """Hand the task over and pass progress on; return the results as soon as they are told."""
        assert process.stdin is not None
        assert process.stdout is not None
        # The pipe stays open: a worker whose runner dies reads its end and leaves.
        process.stdin.write(json.dumps(task.to_json()) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if "results" in answer:
                return tuple(Result.from_json(values) for values in answer["results"])
            self._events.put(Advanced(task=task.id, share=answer["share"]))
        return None


def _start() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "handloom.run.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        process_group=0 if os.name == "posix" else None,
    )


def _bury(process: subprocess.Popen[str]) -> None:
    """Wait for the end of a process, and end what it has left, which would keep its pipes open."""
    if hasattr(os, "waitid"):
        # Its number stays taken until it is waited for in earnest, so that no stranger's group is killed.
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            _kill_group(process)
    else:
        process.wait()


def _kill(process: subprocess.Popen[str]) -> None:
    if process.returncode is None:
        _kill_group(process)
        process.kill()


def _kill_group(process: subprocess.Popen[str]) -> None:
    if os.name == "posix":
        # PermissionError: macOS says so of a group whose last process is dead and not yet waited for.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


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
