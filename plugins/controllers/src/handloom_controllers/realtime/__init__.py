"""The loop that runs a law on a robot: the real-time one, and the one for Python robots and laws."""

from handloom_controllers.realtime.loop import RealTimeLoop
from handloom_controllers.realtime.python_loop import PythonLoop
from handloom_controllers.realtime.remote import RemoteRobot
from handloom_controllers.realtime.serving import Served, serve
from handloom_controllers.realtime.settings import LoopSettings, WaySettings
from handloom_controllers.realtime.status import Durations, LoopStatus

__all__ = [
    "Durations",
    "LoopSettings",
    "LoopStatus",
    "PythonLoop",
    "RealTimeLoop",
    "RemoteRobot",
    "Served",
    "WaySettings",
    "serve",
]
