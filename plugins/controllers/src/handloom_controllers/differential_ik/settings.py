"""How the differential IK follows poses."""

from __future__ import annotations

import attrs

from handloom.errors import HandloomError
from handloom_controllers.gate.settings import check_numbers


@attrs.frozen(kw_only=True)
class IkSettings:
    """How to follow poses.

    Attributes:
        position_weight: Of 1 m in the sum of squares that is made small.
        orientation_weight: Of 1 rad there.
        gain: Share of the error that one step is to remove.
        damping: Of 1 rad of joint motion; what keeps joints slow near singular postures.
        error_damping: The same for each unit of the error, for targets out of reach.
        range_margin_rad: How far from the arm's own limits it stays; not less than the gate's.
        max_speed_deg_per_s: Of every joint; the arm's own limits hold besides.
        clearance_m: From the table and between the arm's links; more than the gate's, which refuses less.
        sight_m: Distance at which approaching begins to be slowed down.
        table_z_m: Height of the table in the base; None for no table.
        longest_step_s: Time that one step may make good at most; a stalled caller gets no leap.

    Raises:
        HandloomError: A number is not finite or negative, or a step would take no time.
    """

    position_weight: float = 1.0
    orientation_weight: float = 0.1
    gain: float = 1.0
    damping: float = 1e-6
    error_damping: float = 1.0
    range_margin_rad: float = 0.03
    max_speed_deg_per_s: float = 300.0
    clearance_m: float = 0.015
    sight_m: float = 0.1
    table_z_m: float | None = 0.0
    longest_step_s: float = 0.1

    def __attrs_post_init__(self) -> None:
        check_numbers(self, "The IK's")
        if not 0 < self.gain <= 1:
            raise HandloomError(f"The gain of the IK is {self.gain}; expected a share of the error, up to 1.")
        if self.clearance_m >= self.sight_m:
            raise HandloomError(
                f"The IK sees {self.sight_m} m far and keeps {self.clearance_m} m; it has to see further."
            )
