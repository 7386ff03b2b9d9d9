"""The step `servo_width`: how far a gripper is open, by the angle of the servo that moves its jaw."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import attrs
import numpy as np
import numpy.typing as npt
from attrs.validators import ge, gt, optional

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step, hookimpl
from handloom.errors import StepError
from handloom.streams import Samples, StreamType

FloatArray = npt.NDArray[np.float64]

OPENING = StreamType(kind="scalar", dtype="float64")
WIDTH = StreamType(kind="scalar", dtype="float64", unit="m")


@attrs.frozen(kw_only=True)
class ServoWidthConfig:
    """Settings of a jaw that a servo tells the angle of.

    Attributes:
        closed_ticks: Reading when the pads touch.
        open_ticks: Reading at the widest opening. Where the servo wraps in between, count on: a jaw that goes from
            4000 over 4095 and 0 to 200 opens at 4296.
        ticks_per_turn: Where the reading starts again from 0.
        stroke_m: Widest opening; with it there is a stream `width` too.
        linkage: For a jaw that does not open evenly, pairs of the share of the angle (0 to 1) and the share of the
            opening, both rising from 0 0 to 1 1; straight lines in between.
        tolerance: How far beyond its ends, as a share of the range, a reading still counts as it is.
        outside: What becomes of readings farther out: "gap" or "clip", counted either way.
    """

    closed_ticks: float
    open_ticks: float
    ticks_per_turn: float = attrs.field(default=4096.0, validator=gt(0.0))
    stroke_m: float | None = attrs.field(default=None, validator=optional(gt(0.0)))
    linkage: tuple[tuple[float, float], ...] = ()
    tolerance: float = attrs.field(default=0.02, validator=ge(0.0))
    outside: Literal["gap", "clip"] = "gap"

    def __attrs_post_init__(self) -> None:
        span = abs(self.open_ticks - self.closed_ticks)
        if not 0.0 < span * (1.0 + 2.0 * self.tolerance) < self.ticks_per_turn:
            raise ValueError(
                f"closed_ticks and open_ticks are {span:g} apart; expected more than 0 and less than a turn of "
                f"{self.ticks_per_turn:g}, the tolerance included."
            )
        if self.linkage:
            _check_linkage(self.linkage)


def _check_linkage(linkage: tuple[tuple[float, float], ...]) -> None:
    rising = all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(linkage))
    if linkage[0] != (0.0, 0.0) or linkage[-1] != (1.0, 1.0) or not rising:
        raise ValueError(f"linkage is {list(linkage)}; expected pairs that rise from [0, 0] to [1, 1].")


class ServoWidth(Step):
    """Turns a servo's ticks into an opening, on the servo's own clock."""

    Config = ServoWidthConfig
    summary = "Gripper opening from 0 (closed) to 1 (open), by the ticks of its jaw's servo"
    lookahead = "none"

    @classmethod
    def ports(cls, config: ServoWidthConfig) -> Ports:
        """Declare the opening, and the width in metres when the stroke is known."""
        outputs = {"opening": OutputPort(type=OPENING, clock_of="ticks")}
        if config.stroke_m is not None:
            outputs["width"] = OutputPort(type=WIDTH, clock_of="ticks")
        return Ports(inputs={"ticks": InputPort(kinds="scalar", unit="tick")}, outputs=outputs)

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Convert every reading, at its own stamp.

        Raises:
            StepError: There is no reading.
        """
        ticks = inputs.samples("ticks")
        if not len(ticks):
            raise StepError("The servo gave no reading, so there is no opening to tell.")
        progress(0.0)
        readings = ticks.data.astype(np.float64)
        raw = linked(angle_share(readings, self.config), self.config)
        beyond = (raw < -self.config.tolerance) | (raw > 1.0 + self.config.tolerance)
        opening = np.where(beyond, np.clip(raw, 0.0, 1.0) if self.config.outside == "clip" else np.nan, raw)
        streams = {"opening": _like(ticks, OPENING, opening)}
        if self.config.stroke_m is not None:
            streams["width"] = _like(ticks, WIDTH, opening * self.config.stroke_m)
        progress(1.0)
        lost = int(np.isnan(readings).sum())
        attributes: dict[str, Any] = {
            "samples": len(ticks),
            "outside": int(beyond.sum()),
            "outside_become": self.config.outside,
            "gaps": int(np.isnan(opening).sum()),
            "missing": lost,
            "closed_ticks": self.config.closed_ticks,
            "open_ticks": self.config.open_ticks,
            "stroke_m": self.config.stroke_m,
        }
        return Outputs(streams=streams, attributes=attributes, notes=self._notes(raw, beyond))

    def _notes(self, raw: FloatArray, beyond: npt.NDArray[np.bool_]) -> tuple[str, ...]:
        if not beyond.any():
            return ()
        become = "are gaps" if self.config.outside == "gap" else "were set to the nearest end"
        return (
            f"{int(beyond.sum())} of {len(raw)} servo readings lie outside the calibrated range, from "
            f"{np.nanmin(raw):.2f} to {np.nanmax(raw):.2f} of it, and {become}; calibrate the servo's end points.",
        )


def angle_share(ticks: FloatArray, config: ServoWidthConfig) -> FloatArray:
    """Return how far the angle is from closed (0) to open (1), wrapped to lie as near the range as can be."""
    span, turn = config.open_ticks - config.closed_ticks, config.ticks_per_turn
    middle = config.closed_ticks + 0.5 * span
    from_middle = (ticks - middle + 0.5 * turn) % turn - 0.5 * turn
    share: FloatArray = 0.5 + from_middle / span
    return share


def linked(share: FloatArray, config: ServoWidthConfig) -> FloatArray:
    """Return the opening (0 to 1) at shares of the angle; beyond the ends it goes on as the angle does."""
    if not config.linkage:
        return share
    angles, openings = np.array(config.linkage).T
    inside = np.interp(share, angles, openings)
    return np.where(share < 0.0, share, np.where(share > 1.0, share, inside))


def _like(ticks: Samples, type_: StreamType, data: FloatArray) -> Samples:
    return Samples(
        type=attrs.evolve(type_, clock=ticks.type.clock), data=data, stamps=ticks.stamps, knots=ticks.knots
    )


@hookimpl
def step(kind: str) -> type[Step]:
    """Return the step for `servo_width`."""
    return ServoWidth
