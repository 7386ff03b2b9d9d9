"""Clocks, stamps and the maps between clocks."""

from handloom.time.clockmap import ClockMap

__all__ = ["ClockMap"]
