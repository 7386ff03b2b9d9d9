"""The contract between Handloom and its plugins: component classes, ports and hook specifications."""

from handloom.api.clock_maps import (
    clock_map_of,
    clock_map_stream,
    clock_map_type,
    declared_clock_maps,
)
from handloom.api.component import Component, NoConfig
from handloom.api.control import CartesianCommand, CartesianState, Controller, Fault, Law
from handloom.api.diagnosis import Diagnosis
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
from handloom.api.robots import CollisionThresholds, JointLimits, Native, Robot, RobotCommand, RobotState
from handloom.api.steps import Exporter, FrameStep, Inputs, Outputs, PoseSource, Progress, Sensor, Step
from handloom.api.tcp import TCP, TCP_DIGEST, require_same_tcp, tcp_digest

__all__ = [
    "FAMILIES",
    "OBSERVERS",
    "PROJECT",
    "TCP",
    "TCP_DIGEST",
    "CartesianCommand",
    "CartesianState",
    "Chunk",
    "CollisionThresholds",
    "Component",
    "Controller",
    "Diagnosis",
    "Exporter",
    "Fault",
    "FrameStep",
    "InputPort",
    "Inputs",
    "JointLimits",
    "Law",
    "Model",
    "Native",
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
    "Robot",
    "RobotCommand",
    "RobotState",
    "Sensor",
    "Step",
    "clock_map_of",
    "clock_map_stream",
    "clock_map_type",
    "declared_clock_maps",
    "hookimpl",
    "require_same_tcp",
    "rig_from_table",
    "tcp_digest",
]
