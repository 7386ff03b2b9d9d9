"""The settings of the robot `franka`."""

from __future__ import annotations

import math
from typing import Any, Literal

import attrs

from handloom.errors import HandloomError

Vector = tuple[float, float, float]


def _finite(_: Any, field: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    if not all(math.isfinite(each) for each in value):
        raise HandloomError(f"{field.name} is {value}; expected finite numbers.")


def _above(least: float, *, unknown: bool = False, included: bool = False) -> Any:
    def check(_: Any, field: attrs.Attribute[Any], value: float) -> None:
        if unknown and math.isnan(value):
            return
        if not (least < value < math.inf or (included and value == least)):
            bound = "at least" if included else "more than"
            raise HandloomError(f"{field.name} is {value}; expected {bound} {least:g}, and finite.")

    return check


def _joints(_: Any, field: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    optional = field.default == ()
    if (value or not optional) and (len(value) != 7 or not all(0 < each < math.inf for each in value)):
        raise HandloomError(f"{field.name} is {value}; expected seven numbers above 0{', or none' * optional}.")


@attrs.frozen(kw_only=True)
class FrankaConfig:
    """Settings.

    Attributes:
        address: Of the arm's control box, as 172.16.0.2.
        realtime: "enforce" refuses a machine without a real-time kernel, as libfranka does by itself; "ignore"
            goes without, which is for a simulated interface and for trying out.
        recover: Whether an arm that is found stopped by a reflex is released by automatic error recovery.
        limits_edition: "2025", "2026", or the strictest of all.
        hand: Whether it carries the Franka Hand, to be held against what the arm tells; the hand is not moved.
        collision_force_n: From where on the arm takes a force for a collision, per axis; NaN for 40 N.
        collision_torque_nm: Likewise; NaN for 35 Nm.
        collision_joint_torque_nm: Likewise, of each joint; empty for those of libfranka's examples.
        payload_kg: What hangs at the flange beside the tool that is set up in Desk. The arm itself carries it, so
            the law's own payload has to stay 0.
        payload_com_m: Its centre in the flange.
        payload_inertia_kg_m2: About its centre, along the flange's axes.
        damping_nms_per_rad: Of the stop that this process makes by itself.
        deadline_s: How long after a state the loop's torques may come; then those before are held for a cycle.
        lock_step: Wait for the loop as long as it lives; only for a simulated interface that waits, too.
        connect_s: How long the arm may take to answer.
    """

    address: str
    realtime: Literal["enforce", "ignore"] = "enforce"
    recover: bool = False
    limits_edition: Literal["strictest", "2025", "2026"] = "strictest"
    hand: bool = True
    collision_force_n: float = attrs.field(default=math.nan, validator=_above(0, unknown=True))
    collision_torque_nm: float = attrs.field(default=math.nan, validator=_above(0, unknown=True))
    collision_joint_torque_nm: tuple[float, ...] = attrs.field(default=(), validator=_joints)
    payload_kg: float = attrs.field(default=0.0, validator=_above(0, included=True))
    payload_com_m: Vector = attrs.field(default=(0.0, 0.0, 0.0), validator=_finite)
    payload_inertia_kg_m2: Vector = attrs.field(default=(0.0, 0.0, 0.0), validator=_finite)
    damping_nms_per_rad: tuple[float, ...] = attrs.field(
        default=(20.0, 20.0, 15.0, 15.0, 5.0, 4.0, 2.5), validator=_joints
    )
    # Source: libfranka, about 300 us for a control loop; newer pages, 500 us between reading and writing.
    deadline_s: float = attrs.field(default=0.0004, validator=_above(0))
    lock_step: bool = False
    connect_s: float = attrs.field(default=15.0, validator=_above(0))
