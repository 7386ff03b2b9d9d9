"""Find an arm by its name or by the file that describes it."""

from __future__ import annotations

from pathlib import Path

from handloom.errors import HandloomError
from handloom_controllers.arms.arm import Arm
from handloom_controllers.arms.data_files import arm_names
from handloom_controllers.arms.described import described_arm
from handloom_controllers.arms.limits import STRICTEST
from handloom_controllers.arms.urdf import urdf_arm


def load_arm(
    name: str | Path,
    *,
    limits_edition: str = STRICTEST,
    hand: bool = True,
    fingers: bool = False,
    inertials: str = "",
    flange: str = "",
    torque_controlled: bool | None = None,
) -> Arm:
    """Return an arm that is shipped, or the serial arm in a URDF.

    A file beside a URDF, of the same name but for ".toml", says what a URDF can't: see docs/robots.md. The
    arguments up to `inertials` are for arms that are shipped, the ones after it for a URDF.

    Args:
        name: "fr3", or the path of a URDF.
        limits_edition: "2025", "2026", or the strictest of all.
        hand: Whether it carries the hand that it is sold with.
        fingers: Whether the hand's fingers are bodies of their own, on two coupled slide joints behind the arm's
            joints; otherwise they are one body with the hand, closed.
        inertials: A set of inertias; the maker's own by default, for the FR3 also "panda".
        flange: Name of the link that the arm ends in; "" takes what the file beside says, and without it the end
            of the longest way of turning joints.
        torque_controlled: Whether the arm takes torques, else joint positions; None takes what the file beside
            says, and torques without it.

    Raises:
        HandloomError: There is no such arm, edition or set of inertias, or the URDF is not what it should be.
    """
    if str(name).endswith((".urdf", ".xacro")) or isinstance(name, Path):
        if fingers or inertials or limits_edition != STRICTEST:
            raise HandloomError(f"{name}: a URDF has no fingers, inertias or editions to choose; leave them out.")
        return urdf_arm(Path(name), flange=flange, torque_controlled=torque_controlled)
    if name not in arm_names():
        known = ", ".join(arm_names())
        raise HandloomError(f"No arm '{name}' is known; expected {known}, or the path of a .urdf file.")
    if flange or torque_controlled is not None:
        raise HandloomError(f"The arm {name} has its own flange and its own way of control; leave them out.")
    return described_arm(name, limits_edition=limits_edition, hand=hand, fingers=fingers, inertials=inertials)


def fr3(
    *, limits_edition: str = STRICTEST, hand: bool = True, fingers: bool = False, inertials: str = "vendor"
) -> Arm:
    """Return the Franka Research 3; see `load_arm`."""
    return load_arm("fr3", limits_edition=limits_edition, hand=hand, fingers=fingers, inertials=inertials)
