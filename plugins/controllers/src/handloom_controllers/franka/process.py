"""The arm's process, started by `FrankaRobot`: `python -m handloom_controllers.franka.process REPORT SETTINGS`.

Its cycle is Python: some 100 us on an ordinary machine from the arm's state to its torques, the loop's answer
included, of the 300 to 500 us that the maker allows. What is late is a held torque, never a wrong one, and the arm
itself ends the motion after 20 in a row. Garbage collection is off, memory is locked where that is permitted, and
libfranka gives the thread the highest priority where that is.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from types import TracebackType

import cattrs

from handloom.errors import HandloomError
from handloom_controllers.arms import load_arm
from handloom_controllers.franka.comparison import compare
from handloom_controllers.franka.connecting import connect, make_ready
from handloom_controllers.franka.line import Line
from handloom_controllers.franka.report import Report
from handloom_controllers.franka.robot import thresholds_of
from handloom_controllers.franka.serving import Serving
from handloom_controllers.franka.settings import FrankaConfig

_LOCK = 1 | 2 | 4  # MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT of sys/mman.h

SERVING = "serving"
"""The stage from which on the arm can be moved."""

_KEPT: list[Serving] = []
"""Never destroyed: pylibfranka's motion stops itself by a command when it is, and the process aborts where the arm
refuses that, as it does after a reflex."""


def main(report: Path, settings: str) -> int:
    """Serve the arm until the owner is gone; never returns with a robot that is still moving."""
    owner = os.getppid()
    config = cattrs.structure(json.loads(settings), FrankaConfig)
    try:
        serve(report, config)
        code = 0
    except HandloomError as error:
        stage = Report.read(report).stage
        Report(stage=stage, sentence=str(error)).write(report)
        if stage == SERVING:  # before that its owner waits for the sentence, and raises it
            print(error, file=sys.stderr)
        code = 1
    if os.getppid() != owner:  # nobody is left to read it
        shutil.rmtree(report.parent, ignore_errors=True)
    return code


def serve(report: Path, config: FrankaConfig) -> None:
    """Connect, get the arm ready, serve it, and say how it ended.

    Raises:
        HandloomError: It can't be used, or the connection is lost.
    """
    line = Line()
    line.open()
    arm = load_arm("fr3", limits_edition=config.limits_edition, hand=config.hand)
    Report(stage="connecting").write(report)
    # libfranka waits for ever for an answer that does not come, and Python with it; the system ends both.
    signal.setitimer(signal.ITIMER_REAL, config.connect_s)
    franka, robot = connect(config)
    signal.setitimer(signal.ITIMER_REAL, 0)
    Report(stage="getting ready").write(report)
    make_ready(franka, robot, config, thresholds_of(arm, config))
    model = robot.load_model()
    for sentence in compare(robot.read_once(), arm):
        print(f"warning: {sentence}", file=sys.stderr)
    scheduling = _privileges()
    serving = Serving(franka, robot, model, line, arm.limits, config)
    _KEPT.append(serving)
    Report(stage=SERVING).write(report)
    gc.collect()
    gc.freeze()
    gc.disable()
    serving.run()
    end = serving.end(scheduling)
    for sentence in filter(None, (serving.sentence, end.sentence())):
        print(sentence, file=sys.stderr)
    Report(stage="ended", sentence=serving.sentence, end=end).write(report)


def _privileges() -> str:
    """Lock memory where that is permitted; say what this process has, at once where something is missing."""
    fifo = os.sched_getscheduler(0) == os.SCHED_FIFO
    locked = ctypes.CDLL(None, use_errno=True).mlockall(_LOCK) == 0
    first = f"SCHED_FIFO {os.sched_getparam(0).sched_priority}" if fifo else "the ordinary scheduler"
    told = f"The arm's process runs under {first}, its memory {'locked' if locked else 'not locked'}."
    if not (fifo and locked):
        print(
            f"warning: {told} It will be late whenever the machine is busy; see `handloom doctor`.",
            file=sys.stderr,
        )
    return told


def _leave(code: int) -> None:
    """End without destructors; see `_KEPT`."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _fail(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print what nobody foresaw, and leave."""
    sys.__excepthook__(kind, error, trace)
    _leave(1)


if __name__ == "__main__":
    sys.excepthook = _fail
    _leave(main(Path(sys.argv[1]), sys.argv[2]))
