"""The model process: answers instants that come in on stdin with chunks on stdout, until its owner is gone.

`python -m handloom_controllers.control.model_process`; the first frame is the path, every other one an instant.
"""

from __future__ import annotations

import signal
import struct
import sys
from typing import BinaryIO

import numpy as np

from handloom_controllers.control.chunk_bytes import to_bytes
from handloom_controllers.control.path import PathPolicy, ToolPath

_POLICY = struct.Struct("<qqq")
QUESTION = struct.Struct("<qq")
"""Observed and start, int64 ns."""


def policy_bytes(policy: PathPolicy) -> bytes:
    """Return the first frame: poses, horizon, ns between two waypoints, then stamps (N,) and poses (N, 7)."""
    head = _POLICY.pack(len(policy.path.stamps), policy.horizon, policy.period_ns)
    return b"".join([head, policy.path.stamps.tobytes(), policy.path.poses.tobytes()])


def _read_policy(questions: BinaryIO) -> PathPolicy:
    count, horizon, period_ns = _POLICY.unpack(questions.read(_POLICY.size))
    stamps = np.frombuffer(questions.read(8 * count), dtype="<i8")
    poses = np.frombuffer(questions.read(56 * count), dtype="<f8").reshape(count, 7)
    return PathPolicy(path=ToolPath(stamps=stamps, poses=poses), horizon=horizon, period_ns=period_ns)


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the questions end; the first answer, to nobody's question, says that the policy is loaded."""
    policy = _read_policy(questions)
    question = QUESTION.pack(0, 0)
    while len(question) == QUESTION.size:
        answers.write(to_bytes(policy.chunk(*QUESTION.unpack(question))))
        answers.flush()
        question = questions.read(QUESTION.size)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # its owner says what became of it
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:  # the owner is gone, and nobody is left to be told
        sys.stderr.close()
