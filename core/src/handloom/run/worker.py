"""The process of one task: reads it from stdin, answers on stdout, leaves when its runner is gone."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from threading import Thread
from typing import TextIO

from handloom.run.tasks import Task
from handloom.run.work import work

PROGRESS_INTERVAL_S = 0.2


def main() -> int:
    """Do one task."""
    questions, answers = _private_pipes()
    with answers:
        task = Task.from_json(json.loads(questions.readline()))
        Thread(target=_leave_with_the_runner, args=(questions,), daemon=True).start()
        asked = os.getpid()
        results = work(task, _Reporter(answers))
        if os.getpid() != asked:
            os._exit(70)  # a plugin forked, and its child came back: the parent answers
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # ValueError: a plugin closed it
                stream.flush()
        print(json.dumps({"results": [result.to_json() for result in results]}), file=answers, flush=True)
    return 0


def _private_pipes() -> tuple[TextIO, TextIO]:
    """Keep standard input and output for the runner.

    Whatever a plugin prints goes to standard error, and whoever asks a plugin's user finds nobody.
    """
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nobody = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nobody, 0)
    os.close(nobody)
    os.dup2(2, 1)
    return questions, answers


def _leave_with_the_runner(questions: TextIO) -> None:
    """Wait for the end of the runner's pipe, which comes when it is gone, however it went."""
    questions.read()
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with all that a plugin has started
    os._exit(70)


class _Reporter:
    """Passes progress on, but not more often than somebody can look."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers
        self._next = 0.0

    def __call__(self, share: float) -> None:
        share = min(max(float(share), 0.0), 1.0)
        now = time.monotonic()
        if now >= self._next:
            self._next = now + PROGRESS_INTERVAL_S
            print(json.dumps({"share": share}), file=self._answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
