"""The contract between Handloom and its plugins: component classes, ports and hook specifications."""

from handloom.api.component import Component, NoConfig
from handloom.api.control import CartesianCommand, CartesianState, Controller, Fault
from handloom.api.hookspecs import FAMILIES, OBSERVERS, PROJECT, hookimpl
from handloom.api.policy import (
    Chunk,
    Model,
    Observation,
    ObservationSpec,
    Policy,
    PolicyContract,
)
from handloom.api.ports import InputPort, OutputPort, Ports
from handloom.api.rig import Rig
from handloom.api.rig_table import rig_from_table
from handloom.api.steps import Exporter, FrameStep, Inputs, Outputs, PoseSource, Progress, Sensor, Step

__all__ = [
    "FAMILIES",
    "OBSERVERS",
    "PROJECT",
    "CartesianCommand",
    "CartesianState",
    "Chunk",
    "Component",
    "Controller",
    "Exporter",
    "Fault",
    "FrameStep",
    "InputPort",
    "Inputs",
    "Model",
    "NoConfig",
    "Observation",
    "ObservationSpec",
    "OutputPort",
    "Outputs",
    "Policy",
    "PolicyContract",
    "Ports",
    "PoseSource",
    "Progress",
    "Rig",
    "Sensor",
    "Step",
    "hookimpl",
    "rig_from_table",
]
