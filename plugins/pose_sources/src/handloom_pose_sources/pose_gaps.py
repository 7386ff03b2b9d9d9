"""The step `pose_gaps`: rows that a frozen tracker repeats become lost rows."""

from __future__ import annotations

import attrs
import numpy as np

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step, hookimpl
from handloom.errors import StepError
from handloom.streams import POSE, Samples, repeated_rows


@attrs.frozen(kw_only=True)
class PoseGapsConfig:
    """What counts as frozen.

    Attributes:
        repeats: Fewest rows in a run that repeat the row before to the last digit; real trackers tremble, so three
            do not happen by chance unless the file holds few digits.
        frame: Frame `a` of the poses `T_a_b`, as the input declares it.
        body: Body `b`, likewise.
    """

    repeats: int = attrs.field(default=3, validator=attrs.validators.ge(1))
    frame: str = "map"
    body: str = "tcp"


class PoseGaps(Step):
    """Turns runs of repeated rows into gaps; stamps and all other rows stay as they are."""

    Config = PoseGapsConfig
    summary = "Poses that repeat exactly, as a frozen tracker writes them, turned into lost rows"

    @classmethod
    def ports(cls, config: PoseGapsConfig) -> Ports:
        """Take poses and give poses on the same clock."""
        type_ = attrs.evolve(POSE, frame=config.frame, body=config.body)
        return Ports(
            inputs={"pose": InputPort(kinds="pose", body=config.body)},
            outputs={"pose": OutputPort(type=type_, clock_of="pose")},
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Mark the rows.

        Raises:
            StepError: The poses are in another frame than the settings say.
        """
        progress(0.0)
        given = inputs.samples("pose")
        if given.type.frame != self.config.frame:
            raise StepError(
                f"The poses are in '{given.type.frame}'; expected '{self.config.frame}'. "
                f'Set frame = "{given.type.frame}".'
            )
        made, frozen = with_gaps(given, repeats=self.config.repeats)
        progress(1.0)
        notes = (f"{frozen} of {len(given)} rows repeat the one before and count as lost.",) if frozen else ()
        return Outputs(streams={"pose": made}, attributes={"frozen_rows": frozen}, notes=notes)


def with_gaps(given: Samples, *, repeats: int) -> tuple[Samples, int]:
    """Return the poses with repeated rows lost, and how many there were."""
    assert given.tracked is not None
    frozen = repeated_rows(given.data, at_least=repeats)
    data = np.where(frozen[:, None], np.nan, given.data)
    return attrs.evolve(given, data=data, tracked=given.tracked & ~frozen), int(np.count_nonzero(frozen))


@hookimpl
def step(kind: str) -> type[Step]:
    """Answer for `pose_gaps`."""
    return PoseGaps
