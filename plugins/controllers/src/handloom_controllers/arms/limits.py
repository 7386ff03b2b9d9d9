"""What an arm may do, read from a file that says who says so; of several editions the stricter by default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import JointLimits
from handloom.errors import HandloomError, did_you_mean
from handloom_controllers.arms.data_files import check_keys, number, numbers, read_toml, shipped, table, text

Float64Array = npt.NDArray[np.float64]

STRICTEST = "strictest"
"""The edition that takes, value by value, the strictest of all that there are."""

_OPTIONAL = ("acceleration", "jerk", "torque_rate")
_TABLES = ("lower", "upper", "velocity", "torque", *_OPTIONAL)


@attrs.frozen(kw_only=True, eq=False)
class NearRange:
    """How slow a joint has to be near the end of its range.

    Attributes:
        offset: (n,) rad/s.
        deceleration: (n,) rad/s^2.
    """

    offset: Float64Array
    deceleration: Float64Array

    def velocities(self, limits: JointLimits, q: npt.ArrayLike) -> tuple[Float64Array, Float64Array]:
        """Return the least and the greatest velocity (n,) that each joint may have at a position.

        Args:
            limits: Of the same joints.
            q: (n,) rad.

        Source: Franka Robotics, Control parameters specifications, position-based joint velocity limits:
            min(v, max(0, sqrt(max(0, 2 dec (q_max - q))) - offset)), and its mirror image.
        """
        position = np.asarray(q, dtype=np.float64)
        return -self._towards(limits.velocity, position - limits.lower), self._towards(
            limits.velocity, limits.upper - position
        )

    def _towards(self, velocity: Float64Array, distance: Float64Array) -> Float64Array:
        braking = np.sqrt(np.maximum(0.0, 2.0 * self.deceleration * distance)) - self.offset
        return np.minimum(velocity, np.maximum(0.0, braking))


@attrs.frozen(kw_only=True, eq=False)
class CartesianLimits:
    """What the flange may do: (2,) each, linear and angular, m and rad with their seconds.

    Attributes:
        velocity: m/s and rad/s.
        acceleration: m/s^2 and rad/s^2.
        jerk: m/s^3 and rad/s^3.
        elbow_velocity: rad/s.
    """

    velocity: Float64Array
    acceleration: Float64Array
    jerk: Float64Array
    elbow_velocity: float


@attrs.frozen(kw_only=True, eq=False)
class ArmLimits:
    """All the limits of an arm.

    Attributes:
        joints: Of each joint.
        near_range: How slow near the end of its range; None where nobody says.
        cartesian: Of the flange; None where nobody says.
    """

    joints: JointLimits
    near_range: NearRange | None = None
    cartesian: CartesianLimits | None = None


def load_limits(name: str | Path, *, edition: str = STRICTEST) -> ArmLimits:
    """Read the limits of an arm that is shipped ("fr3"), or of a file.

    Args:
        name: Name of the arm, or a file in the same format.
        edition: "2025"; or "strictest". A file has one edition only.

    Raises:
        HandloomError: Nothing is known of the arm or of the edition, or the file is not what it should be.
    """
    if isinstance(name, Path) or name.endswith(".toml"):
        return read_limits(Path(name))
    known = shipped_limits(name)
    if edition == STRICTEST:
        return strictest(tuple(known.values()))
    if edition not in known:
        raise HandloomError(
            f"The limits of {name} have no edition '{edition}'{did_you_mean(edition, [*known, STRICTEST])}"
        )
    return known[edition]


def shipped_limits(name: str) -> dict[str, ArmLimits]:
    """Return every edition of an arm's limits, by edition, the oldest first.

    Raises:
        HandloomError: No arm of this name is shipped.
    """
    return {edition: read_limits(shipped(f"{name}_limits_{edition}.toml")) for edition in editions_of(name)}


def editions_of(name: str) -> tuple[str, ...]:
    """Return the editions of the limits of an arm that is shipped.

    Raises:
        HandloomError: No arm of this name is shipped.
    """
    return tuple(read_toml(shipped(f"{name}.toml"))["limits"])


def read_limits(path: Path) -> ArmLimits:
    """Read a file of limits.

    Raises:
        HandloomError: It can't be read, or a value is missing, or is no number.
    """
    content = read_toml(path)
    joints = table(content, "joints", path)
    names = names_of(joints, path)
    tables = {
        key: np.full(len(names), np.inf)
        if key in _OPTIONAL and key not in joints
        else numbers(joints, key, path, count=len(names), infinite=True)
        for key in _TABLES
    }
    near = near_range_of(content, path, len(names))
    check_keys(content, path)
    return ArmLimits(
        joints=JointLimits(
            names=names,
            source=text(content, "source", path),
            edition=text(content, "edition", path),
            **tables,
            **near_tables(near),
        ),
        near_range=near,
        cartesian=cartesian_of(content, path),
    )


def names_of(joints: dict[str, Any], path: Path) -> tuple[str, ...]:
    """Return the names of the joints of a table [joints].

    Raises:
        HandloomError: They are no list of names.
    """
    names = joints.get("names")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise HandloomError(f'{path}: `names` is {names!r}; expected the joints\' names, ["joint1", ...].')
    return tuple(names)


def strictest(several: Sequence[ArmLimits]) -> ArmLimits:
    """Return limits that keep all the given ones; their source names every one.

    Raises:
        HandloomError: They are of other joints.
    """
    joints = [each.joints for each in several]
    for other in joints[1:]:
        if other.names != joints[0].names:
            raise HandloomError(
                f"Limits of {other.source} ({other.edition}) are for the joints {', '.join(other.names)}; those "
                f"of {joints[0].source} ({joints[0].edition}) for {', '.join(joints[0].names)}."
            )
    tables = {name: _strict([getattr(each, name) for each in joints], highest=name == "lower") for name in _TABLES}
    near = _strict_near_range([each.near_range for each in several if each.near_range])
    return ArmLimits(
        joints=JointLimits(
            names=joints[0].names,
            source="; ".join(dict.fromkeys(each.source for each in joints)),
            edition=f"{STRICTEST} of {', '.join(each.edition for each in joints)}",
            **tables,
            **near_tables(near),
        ),
        near_range=near,
        cartesian=_strict_cartesian([each.cartesian for each in several if each.cartesian]),
    )


def _strict(tables: Iterable[Float64Array], *, highest: bool = False) -> Float64Array:
    return np.asarray((np.max if highest else np.min)(np.stack(list(tables)), axis=0))


def _strict_near_range(several: Sequence[NearRange]) -> NearRange | None:
    if not several:
        return None
    # The more is taken off, the slower the joint has to be.
    return NearRange(
        offset=_strict((each.offset for each in several), highest=True),
        deceleration=_strict(each.deceleration for each in several),
    )


def _strict_cartesian(several: Sequence[CartesianLimits]) -> CartesianLimits | None:
    if not several:
        return None
    return CartesianLimits(
        velocity=_strict(each.velocity for each in several),
        acceleration=_strict(each.acceleration for each in several),
        jerk=_strict(each.jerk for each in several),
        elbow_velocity=min(each.elbow_velocity for each in several),
    )


def near_range_of(content: dict[str, Any], path: Path, count: int) -> NearRange | None:
    """Return what the table [near_range] says; None without it."""
    if "near_range" not in content:
        return None
    found = table(content, "near_range", path)
    return NearRange(
        offset=numbers(found, "offset", path, count=count, least=0.0),
        deceleration=numbers(found, "deceleration", path, count=count, least=0.0),
    )


def near_tables(near: NearRange | None) -> dict[str, Float64Array]:
    """Return what `JointLimits` say of it."""
    return {"near_offset": near.offset, "near_deceleration": near.deceleration} if near else {}


def cartesian_of(content: dict[str, Any], path: Path) -> CartesianLimits | None:
    """Return what the table [cartesian] says; None without it."""
    if "cartesian" not in content:
        return None
    found = table(content, "cartesian", path)
    tables = {
        key: numbers(found, key, path, count=2, least=0.0, infinite=True)
        for key in ("velocity", "acceleration", "jerk")
    }
    elbow = number(found, "elbow_velocity", path, otherwise=np.inf, least=0.0)
    return CartesianLimits(elbow_velocity=elbow, **tables)
