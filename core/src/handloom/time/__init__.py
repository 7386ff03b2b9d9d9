"""Clocks, stamps and the maps between clocks."""

from handloom.time.clock import Clock, MonotonicClock
from handloom.time.clockmap import ClockMap
from handloom.time.clockmaps import ClockMaps
from handloom.time.stamp import Stamp

__all__ = ["Clock", "ClockMap", "ClockMaps", "MonotonicClock", "Stamp"]
