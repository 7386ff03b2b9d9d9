"""The step `calibrated_width`: a jaw's width by its tags' separation and the range that `gripper_range` found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from attrs.validators import ge

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step, hookimpl
from handloom.errors import StepError
from handloom.streams import Samples, StreamType
from handloom_sensors.width.notes import STROKE_TOLERANCE_M
from handloom_sensors.width.series import bridged

FloatArray = npt.NDArray[np.float64]

WIDTH = StreamType(kind="scalar", dtype="float64", unit="m")
OPENING = StreamType(kind="scalar", dtype="float64")


@attrs.frozen(kw_only=True)
class CalibratedWidthConfig:
    """Settings of a width by the scene's own range.

    Attributes:
        max_gap_s: Longest gap that is bridged by a straight line, from the last good frame to the next; 0 bridges
            none.
    """

    max_gap_s: float = attrs.field(default=0.1, validator=ge(0.0))


class CalibratedWidth(Step):
    """Takes the closed end off the separations, so that a range found in this scene needs no copying by hand."""

    Config = CalibratedWidthConfig
    summary = "Gripper width in metres and opening from 0 to 1, by the range that `gripper_range` found"

    @classmethod
    def ports(cls, config: CalibratedWidthConfig) -> Ports:
        """Take separations and the two ends, and give width and opening on the separations' clock."""
        return Ports(
            inputs={name: InputPort(kinds="scalar", unit="m") for name in ("separation", "closed", "open")},
            outputs={
                "width": OutputPort(type=WIDTH, clock_of="separation"),
                "opening": OutputPort(type=OPENING, clock_of="separation"),
            },
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Convert every separation, at its own stamp; widths beyond the ends are counted, not cut.

        Raises:
            StepError: `closed` and `open` are no ends of a range.
        """
        progress(0.0)
        separation = inputs.samples("separation")
        closed, widest = _end(inputs, "closed"), _end(inputs, "open")
        if not closed < widest:
            raise StepError(
                f"The closed end lies at {closed * 1e3:.2f} mm and the open end at {widest * 1e3:.2f} mm; "
                "expected the open one to be wider. Check inputs.closed and inputs.open."
            )
        stamps = separation.all_stamps()
        width, filled = bridged(separation.data - closed, stamps, self.config.max_gap_s)
        stroke = widest - closed
        streams = {"width": _like(separation, WIDTH, width), "opening": _like(separation, OPENING, width / stroke)}
        known = width[np.isfinite(width)]
        attributes: dict[str, Any] = {
            "closed_separation_m": closed,
            "open_separation_m": widest,
            "stroke_m": stroke,
            "bridged_frames": int(filled.sum()),
            "over_stroke_frames": int((known > stroke + STROKE_TOLERANCE_M).sum()),
            "under_closed_frames": int((known < -STROKE_TOLERANCE_M).sum()),
        }
        progress(1.0)
        return Outputs(streams=streams, attributes=attributes, notes=tuple(_sentences(attributes)))


def _end(inputs: Inputs, port: str) -> float:
    """Return the one number of an end, m."""
    data = inputs.samples(port).data
    if len(data) != 1 or not np.isfinite(data[0]):
        raise StepError(
            f"'{port}' holds {len(data)} numbers; expected one finite number, an end that `gripper_range` found."
        )
    return float(data[0])


def _like(separation: Samples, type_: StreamType, data: FloatArray) -> Samples:
    clocked = attrs.evolve(type_, clock=separation.type.clock)
    return Samples(type=clocked, data=data, stamps=separation.stamps, knots=separation.knots)


def _sentences(attributes: dict[str, Any]) -> Iterator[str]:
    for key, where in (("over_stroke_frames", "beyond the open"), ("under_closed_frames", "below the closed")):
        if attributes[key]:
            yield (
                f"{attributes[key]} widths are {where} end by more than {STROKE_TOLERANCE_M * 1e3:g} mm; record "
                "the jaw opening and closing fully once more."
            )


@hookimpl
def step(kind: str) -> type[Step]:
    """Return the step for `calibrated_width`."""
    return CalibratedWidth
