"""The process of one task: reads it from stdin, answers on stdout, leaves when its runner is gone."""

from __future__ import annotations

import json
import os
import sys
import time
from threading import Thread
from typing import TextIO

from handloom.run.tasks import Task
from handloom.run.work import work

PROGRESS_INTERVAL_S = 0.2


def main() -> int:
    """Do one task."""
    with _private_stdout() as answers:
        task = Task.from_json(json.loads(sys.stdin.readline()))
        Thread(target=_leave_with_the_runner, daemon=True).start()
        results = work(task, _Reporter(answers))
        print(json.dumps({"results": [result.to_json() for result in results]}), file=answers, flush=True)
    return 0


def _private_stdout() -> TextIO:
    """Keep standard output for answers; whatever a plugin prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _leave_with_the_runner() -> None:
    """Wait for the end of standard input, which comes when the runner is gone, however it went."""
    sys.stdin.read()
    os._exit(70)


class _Reporter:
    """Passes progress on, but not more often than somebody can look."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers
        self._next = 0.0

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + PROGRESS_INTERVAL_S
            print(json.dumps({"share": share}), file=self._answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
