"""Named sets of gains of the impedance law, with where they come from."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen(kw_only=True)
class Gains:
    """Gains of the impedance law.

    Attributes:
        stiffness_n_per_m: Force per metre of error.
        stiffness_nm_per_rad: Torque per unit of the vector part of the turn that is left, the sine of half its
            angle: the stiffness that is felt near 0 is half of it.
        damping_ns_per_m: Force per m/s.
        damping_nms_per_rad: Torque per rad/s.
        clip_m: Length to which the position error is cut.
        clip_sine: Length to which the vector part of the turn is cut: the sine of half the angle.
        nullspace_stiffness_nm_per_rad: By joint from the base; the last value holds for the joints after it.
    """

    stiffness_n_per_m: float
    stiffness_nm_per_rad: float
    damping_ns_per_m: float
    damping_nms_per_rad: float
    clip_m: float
    clip_sine: float
    nullspace_stiffness_nm_per_rad: tuple[float, ...]


PRESETS: Mapping[str, Gains] = {
    # Source: PolyUMI's franka_streaming_impedance_controller, the gains of SERL's compliant controller.
    "polyumi": Gains(
        stiffness_n_per_m=2000.0,
        stiffness_nm_per_rad=150.0,
        damping_ns_per_m=89.0,
        damping_nms_per_rad=7.0,
        clip_m=0.01,
        clip_sine=0.05,
        nullspace_stiffness_nm_per_rad=(100.0, 0.2),
    ),
    # Source: UMI's gains for a Franka arm through polymetis, 750/15 and 37/2. Its rotation error is the whole
    # angle, so that our factor is twice its 15; it has no clip: ours is where its spring reaches our wrench bound.
    "umi": Gains(
        stiffness_n_per_m=750.0,
        stiffness_nm_per_rad=30.0,
        damping_ns_per_m=37.0,
        damping_nms_per_rad=2.0,
        clip_m=20.0 / 750.0,
        clip_sine=7.5 / 30.0,
        nullspace_stiffness_nm_per_rad=(0.2,),
    ),
}
