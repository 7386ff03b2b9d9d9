"""The sensor kind `polyumi_session`: a session directory as the PolyUMI gripper's Pi leaves it."""

from __future__ import annotations

from handloom.api import Sensor, hookimpl
from handloom_sensors.polyumi_session.sensor import PolyumiSession
from handloom_sensors.polyumi_session.settings import PolyumiSessionConfig

__all__ = ["PolyumiSession", "PolyumiSessionConfig", "sensor"]


@hookimpl
def sensor(kind: str) -> type[Sensor] | None:
    """Return the class for kind "polyumi_session"."""
    return PolyumiSession if kind == "polyumi_session" else None
