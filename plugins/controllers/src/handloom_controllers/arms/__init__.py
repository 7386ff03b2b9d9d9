"""Arms as data: kinematics, inertias and limits with their sources, and the MuJoCo model made of them."""

from handloom_controllers.arms.arm import Arm
from handloom_controllers.arms.chain import Chain
from handloom_controllers.arms.disagreement import compare_limits
from handloom_controllers.arms.grippers import GripperModel, load_gripper
from handloom_controllers.arms.limits import (
    ArmLimits,
    CartesianLimits,
    NearRange,
    load_limits,
    read_limits,
    shipped_limits,
    strictest,
)
from handloom_controllers.arms.loading import fr3, load_arm

__all__ = [
    "Arm",
    "ArmLimits",
    "CartesianLimits",
    "Chain",
    "GripperModel",
    "NearRange",
    "compare_limits",
    "fr3",
    "load_arm",
    "load_gripper",
    "load_limits",
    "read_limits",
    "shipped_limits",
    "strictest",
]
