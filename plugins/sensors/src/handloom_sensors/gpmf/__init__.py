"""GPMF, the telemetry that GoPro cameras record: parser, telemetry model, timing, axes and a writer."""

from handloom_sensors.gpmf.klv import Item, encode, parse, salvage
from handloom_sensors.gpmf.reading import read_telemetry
from handloom_sensors.gpmf.telemetry import Device, Part, Payload, Telemetry, TelemetryStream
from handloom_sensors.gpmf.timing import Timing, Zero, place, zeros_of
from handloom_sensors.gpmf.writer import Signal, cut_payloads, stored

__all__ = [
    "Device",
    "Item",
    "Part",
    "Payload",
    "Signal",
    "Telemetry",
    "TelemetryStream",
    "Timing",
    "Zero",
    "cut_payloads",
    "encode",
    "parse",
    "place",
    "read_telemetry",
    "salvage",
    "stored",
    "zeros_of",
]
