"""The sensor kind `gopro`: recordings of GoPro cameras, with their telemetry."""

from __future__ import annotations

from handloom.api import Sensor, hookimpl
from handloom_sensors.gopro.camera import GoPro, GoProConfig

__all__ = ["GoPro", "GoProConfig", "sensor"]


@hookimpl
def sensor(kind: str) -> type[Sensor] | None:
    """Return the class for kind "gopro"."""
    return GoPro if kind == "gopro" else None
