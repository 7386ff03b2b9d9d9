"""Gains of the impedance law: what is allowed, and how they change without a step."""

from __future__ import annotations

import numpy as np

from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.native import structs

_LINEAR = ("stiffness", "damping", "integral", "clip", "nullspace_stiffness", "nullspace_damping", "feed_forward")


def are_valid(gains: Struct, joints: int) -> bool:
    """Return whether an `hl_impedance_gains` has only finite gains, none negative.

    Wrench bounds are positive and may be infinite, damping of the nullspace may be NaN.
    """
    damping = gains["nullspace_damping"][:joints]
    plain = [np.atleast_1d(gains[name])[:joints] for name in _LINEAR if name != "nullspace_damping"]
    return bool(
        (gains["wrench_bound"] > 0).all()
        and not (np.isinf(damping) | (damping < 0)).any()
        and all(np.isfinite(array).all() and (array >= 0).all() for array in plain)
    )


def resolved(gains: Struct, joints: int) -> Struct:
    """Return a copy with 2 sqrt(stiffness) for a damping of NaN, and 0 for the joints that are not there."""
    whole = gains.copy()
    whole["nullspace_stiffness"][joints:] = 0.0
    whole["nullspace_damping"][joints:] = 0.0
    left_out = np.isnan(whole["nullspace_damping"])
    whole["nullspace_damping"][left_out] = 2.0 * np.sqrt(whole["nullspace_stiffness"][left_out])
    return whole


class GainsBlend:
    """The gains of each cycle, on their way to the newest ones."""

    def __init__(self, gains: Struct, blend_s: float) -> None:
        self._from = self._to = self.now = gains
        self._new: Struct | None = None
        self._blend_s = blend_s
        self._progress = 1.0

    def put(self, gains: Struct) -> None:
        """Set the newest gains."""
        self._new = gains

    def jump(self) -> None:
        """Go to the newest gains at once, for the first cycle."""
        self._take()
        self.now = self._to
        self._progress = 1.0

    def advance(self, dt_s: float) -> None:
        """Go on by one cycle."""
        if self._take():
            self._from = self.now
            self._progress = 0.0
        if self._progress >= 1.0:
            return
        self._progress = min(1.0, self._progress + dt_s / self._blend_s) if self._blend_s > 0 else 1.0
        self.now = _blended(self._from, self._to, self._progress) if self._progress < 1.0 else self._to

    def _take(self) -> bool:
        if self._new is None:
            return False
        self._to, self._new = self._new, None
        return True


def _blended(start: Struct, end: Struct, share: float) -> Struct:
    now = structs.new("hl_impedance_gains")
    for name in _LINEAR:
        now[name] = start[name] + share * (end[name] - start[name])
    # Bounds are blended by their inverse, so that one may come from infinity.
    with np.errstate(divide="ignore"):
        now["wrench_bound"] = 1.0 / ((1.0 - share) / start["wrench_bound"] + share / end["wrench_bound"])
    return now
