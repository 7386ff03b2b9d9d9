"""The sensor kind `umi_session`: one demonstration of a UMI gripper, from `raw_videos` or `demos`."""

from __future__ import annotations

from handloom.api import Sensor, hookimpl
from handloom_sensors.umi_session.selection import Selection, select_recordings
from handloom_sensors.umi_session.sensor import UmiSession

__all__ = ["Selection", "UmiSession", "select_recordings", "sensor"]


@hookimpl
def sensor(kind: str) -> type[Sensor] | None:
    """Return the class for kind "umi_session"."""
    return UmiSession if kind == "umi_session" else None
