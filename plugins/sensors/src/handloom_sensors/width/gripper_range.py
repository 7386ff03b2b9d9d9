"""The step `gripper_range`: how far apart a gripper's tags are when it is closed and when it is open."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step, hookimpl
from handloom.errors import StepError
from handloom.streams import Samples, StreamType
from handloom_sensors.width.ends import PLATEAU_M, End, closed_and_open

LEAST_SAMPLES = 50
LEAST_STROKE_M = 0.005

SEPARATION = StreamType(kind="scalar", dtype="float64", unit="m", clock="@/range")
"""One row: a range holds for the scene and for no instant of it, so the clock is its own and the stamp 0."""


@attrs.frozen(kw_only=True)
class GripperRangeConfig:
    """Settings of the range calibration.

    Attributes:
        episodes: Names of the episodes to take, with wildcards: the one in which the jaw was opened and closed on
            purpose. Empty takes all.
    """

    episodes: tuple[str, ...] = ()


class GripperRange(Step):
    """Finds the end points of a jaw's range, so that one wrong sighting does not decide them."""

    Config = GripperRangeConfig
    summary = "Closed and open end of a gripper's range, from the separations of its finger tags"
    scope = "scene"

    @classmethod
    def ports(cls, config: GripperRangeConfig) -> Ports:
        """Declare both ends as a scalar of one row each."""
        return Ports(
            inputs={"separation": InputPort(kinds="scalar", unit="m")},
            outputs={"closed": OutputPort(type=SEPARATION), "open": OutputPort(type=SEPARATION)},
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Find the ends.

        Raises:
            StepError: There are too few separations, or the jaw hardly moved.
        """
        names = self._chosen(inputs)
        parts, notes = [], []
        for done, name in enumerate(names):
            progress(done / len(names))
            values, note = _separations(inputs.of(name), name)
            parts.append(values)
            notes += note
        progress(1.0)
        values = np.concatenate(parts) if parts else np.zeros(0)
        _refuse_too_little(values, names)
        closed, widest = closed_and_open(values)
        streams = {name: _row(end.separation_m) for name, end in (("closed", closed), ("open", widest))}
        attributes: dict[str, Any] = {
            "closed_separation_m": closed.separation_m,
            "open_separation_m": widest.separation_m,
            "stroke_m": widest.separation_m - closed.separation_m,
            "samples": len(values),
            "episodes": list(names),
            "closed": attrs.asdict(closed),
            "open": attrs.asdict(widest),
        }
        return Outputs(streams=streams, attributes=attributes, notes=(*notes, *_sentences(closed, widest)))

    def _chosen(self, inputs: Inputs) -> tuple[str, ...]:
        wanted = self.config.episodes
        return tuple(
            name for name in inputs.episodes if not wanted or any(fnmatchcase(name, pattern) for pattern in wanted)
        )


def _separations(inputs: Inputs, name: str) -> tuple[npt.NDArray[np.float64], list[str]]:
    """Return the finite separations of an episode, and a note where it has none."""
    try:
        data = inputs.samples("separation").data
    except StepError as error:
        return np.zeros(0), [f"Episode {name} tells nothing of the range: {error}"]
    finite = data[np.isfinite(data)]
    return finite, [] if len(finite) else [f"Episode {name} tells nothing of the range: no tag separation in it."]


def _refuse_too_little(values: npt.NDArray[np.float64], names: tuple[str, ...]) -> None:
    where = ", ".join(names) or "no episode"
    if len(values) < LEAST_SAMPLES:
        raise StepError(
            f"The range can't be told from {len(values)} separations in {where}; expected {LEAST_SAMPLES} at "
            "least. Record the jaw opening and closing fully with both tags in sight."
        )
    moved = float(np.ptp(np.percentile(values, [1.0, 99.0])))
    if moved < LEAST_STROKE_M:
        raise StepError(
            f"The jaw moved by {moved * 1e3:.1f} mm only in {where}; open and close it fully to calibrate its "
            "range."
        )


def _row(separation_m: float) -> Samples:
    return Samples(type=SEPARATION, data=np.array([separation_m]), stamps=np.zeros(1, dtype=np.int64))


def _sentences(closed: End, widest: End) -> Iterator[str]:
    for end, doing, beyond in ((closed, "closed", "down"), (widest, "open", "up")):
        if not end.held:
            yield (
                f"The jaw was never held {doing}: {end.on_plateau} samples lie within {PLATEAU_M * 1e3:g} mm of "
                f"the end, an even spread gives {end.expected:.0f}; that end is a percentile and may be off."
            )
        if abs(end.extreme_m - end.percentile_m) > PLATEAU_M:
            yield (
                f"{end.outliers} separations lie beyond the {doing} end by more than {PLATEAU_M * 1e3:g} mm, "
                f"{beyond} to {end.extreme_m * 1e3:.2f} mm; the end is at {end.separation_m * 1e3:.2f} mm, they "
                "were left out."
            )


@hookimpl
def step(kind: str) -> type[Step]:
    """Return the step for `gripper_range`."""
    return GripperRange
