"""How far a gripper is open: by the tags on its fingers, by its servo, and where its range ends."""

from handloom_sensors.width.calibrated_width import CalibratedWidth, CalibratedWidthConfig
from handloom_sensors.width.gripper_range import GripperRange, GripperRangeConfig
from handloom_sensors.width.gripper_width import GripperWidth
from handloom_sensors.width.servo_width import ServoWidth, ServoWidthConfig
from handloom_sensors.width.settings import GripperWidthConfig

__all__ = [
    "CalibratedWidth",
    "CalibratedWidthConfig",
    "GripperRange",
    "GripperRangeConfig",
    "GripperWidth",
    "GripperWidthConfig",
    "ServoWidth",
    "ServoWidthConfig",
]
