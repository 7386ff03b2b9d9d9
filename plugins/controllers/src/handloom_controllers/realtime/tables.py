"""The compiled tables of a robot and a law."""

from __future__ import annotations

from handloom.api import Law, Robot
from handloom.api.robots import Native
from handloom.errors import HandloomError


def native_tables(robot: Robot, law: Law) -> tuple[Native, Native]:
    """Return the compiled tables of a robot and of a started law.

    Raises:
        HandloomError: One of them has none; says which.
    """
    tables = robot.native(), law.native()
    without = [
        f"the {role} {type(part).__name__}"
        for role, part, table in zip(("robot", "law"), (robot, law), tables, strict=True)
        if table is None
    ]
    if tables[0] is None or tables[1] is None:
        raise HandloomError(
            f"The real-time loop can't run {' and '.join(without)}: there is no compiled table "
            "(`native()` answers None). Use PythonLoop, which is not real-time."
        )
    return tables[0], tables[1]
