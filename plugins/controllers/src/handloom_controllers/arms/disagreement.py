"""Where the limits that a robot goes by and those of a file disagree, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from handloom.api import JointLimits

_UNITS: Mapping[str, str] = {
    "lower": "rad",
    "upper": "rad",
    "velocity": "rad/s",
    "acceleration": "rad/s²",
    "jerk": "rad/s³",
    "torque": "Nm",
    "torque_rate": "Nm/s",
}

TOLERANCE = 1e-4
"""Published limits have four decimals; an arm reports them with that many."""


def compare_limits(found: JointLimits, file: JointLimits) -> tuple[str, ...]:
    """Return a sentence for every limit in which a robot and a file disagree; none where they agree.

    Args:
        found: What the robot reports, or is set to.
        file: What is written.
    """
    if found.names != file.names:
        theirs = f"those of {_named(file)} are {', '.join(file.names)}"
        return (f"The robot's joints are {', '.join(found.names)}; {theirs}.",)
    return tuple(sentence for key in _UNITS for sentence in _differences(key, found, file))


def _differences(key: str, found: JointLimits, file: JointLimits) -> Iterator[str]:
    ours, theirs = getattr(found, key), getattr(file, key)
    for place in np.flatnonzero(~np.isclose(ours, theirs, rtol=0, atol=TOLERANCE)):
        wider = (ours[place] < theirs[place]) if key == "lower" else (ours[place] > theirs[place])
        yield (
            f"{found.names[place]}: its {key.replace('_', ' ')} limit is {ours[place]:.6g} {_UNITS[key]}, "
            f"{'beyond' if wider else 'within'} the {theirs[place]:.6g} {_UNITS[key]} of {_named(file)}."
        )


def _named(limits: JointLimits) -> str:
    return f"{limits.source} ({limits.edition})"
