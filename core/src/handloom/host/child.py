"""Ask a module of ours something in a process of its own, which a plugin may end without ending this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def ask_child(module: str, question: Any, *, time_limit_s: float) -> tuple[list[Any], int | None]:
    """Run `python -m MODULE FILE` with the question as JSON on stdin.

    Args:
        module: Writes one line of JSON after the other to the file.
        question: What JSON can hold.
        time_limit_s: After this the child is stopped.

    Returns:
        What the lines hold, as far as the child came, and its exit status; None when it was stopped.
    """
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.jsonl"
        try:
            end = subprocess.run(
                [sys.executable, "-P", "-m", module, str(answers)],
                input=json.dumps(question).encode(),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=time_limit_s,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            end = None
        lines = answers.read_text("utf-8").splitlines() if answers.exists() else []
    return [json.loads(line) for line in lines], end


def ending(end: int | None, *, time_limit_s: float) -> str:
    """Say how a child ended: "kills the process with SIGSEGV"."""
    if end is None:
        return f"does not finish within {time_limit_s:g} s"
    if end < 0:
        return f"kills the process with {_signal_name(-end)}"
    return f"ends the process with exit status {end}"


def _signal_name(number: int) -> str:
    return next((known.name for known in signal.Signals if known == number), f"signal {number}")
