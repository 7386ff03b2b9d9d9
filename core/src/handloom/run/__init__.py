"""Running a plan offline: tasks, executors, decode passes, and the runner that commits what they make."""

from handloom.run.executor import Executor
from handloom.run.outcome import Ending, Outcome, RunReport
from handloom.run.runner import Happening, run_plan
from handloom.run.tasks import Advanced, Done, Event, Lost, Result, Task
from handloom.run.work import work

__all__ = [
    "Advanced",
    "Done",
    "Ending",
    "Event",
    "Executor",
    "Happening",
    "Lost",
    "Outcome",
    "Result",
    "RunReport",
    "Task",
    "run_plan",
    "work",
]
