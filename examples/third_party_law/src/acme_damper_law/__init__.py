"""A law in C, as an example of a distribution of one's own: drags the tool along as if through oil."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.resources import files

import attrs
import numpy as np

from handloom.api import CollisionThresholds, JointLimits, Law, RobotState, hookimpl
from handloom.errors import HandloomError
from handloom_controllers.laws import ForeignLaw, StructLaw


@attrs.frozen(kw_only=True)
class DamperConfig:
    """How thick the oil is.

    Attributes:
        damping_ns_per_m: Force per m/s that is missing.
        joint_damping_nms_per_rad: Torque per rad/s of every joint.
        gain_per_s: Speed that is wanted per metre of distance.
        max_speed_m_per_s: Greatest speed on each axis.
        rate_hz: How often it is called.
    """

    damping_ns_per_m: float = 60.0
    joint_damping_nms_per_rad: float = 1.0
    gain_per_s: float = 4.0
    max_speed_m_per_s: float = 0.2
    rate_hz: float = 1000.0


class Damper(StructLaw):
    """Drags the tool after its reference by damping alone; the orientation is free."""

    Config = DamperConfig
    summary = "Drags the tool after its reference as if through oil"

    def made(
        self, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState, compiled: object
    ) -> ForeignLaw:
        """Return the law for an arm, in memory of its own.

        Raises:
            HandloomError: The robot would take the greatest force for a collision.
        """
        config: DamperConfig = self.config
        most_n = config.damping_ns_per_m * config.max_speed_m_per_s * 3**0.5
        if most_n > thresholds.force_n:
            raise HandloomError(f"It may press with {most_n:.3g} N; the arm stops at {thresholds.force_n:.3g} N.")
        settings = [config.damping_ns_per_m, config.joint_damping_nms_per_rad]
        settings += [config.gain_per_s, config.max_speed_m_per_s]
        tau_step = np.minimum(limits.torque_rate / config.rate_hz, limits.torque)
        arrays = [np.array(each, dtype=np.float64) for each in (settings, limits.torque, tau_step)]
        room = ctypes.create_string_buffer(_library().acme_damper_size())
        address = _library().acme_damper_make(room, len(limits.names), *(array.ctypes.data for array in arrays))
        return ForeignLaw(address, owner=room)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(files("acme_damper_law") / "libacme_damper.so"))
    library.acme_damper_size.restype = ctypes.c_size_t
    library.acme_damper_make.restype = ctypes.c_void_p
    library.acme_damper_make.argtypes = [ctypes.c_void_p, ctypes.c_uint32, *[ctypes.c_void_p] * 3]
    return library


@hookimpl
def controller(kind: str) -> type[Law]:
    """Answer for `acme_damper`."""
    return Damper
