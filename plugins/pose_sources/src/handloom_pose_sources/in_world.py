"""The step `in_world`: poses of one source in the world and on the clock of another, by what `align` found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step, hookimpl
from handloom.errors import ClockError, StepError
from handloom.geometry import pose
from handloom.streams import POSE, Samples
from handloom.time import ClockMap


@attrs.frozen(kw_only=True)
class InWorldConfig:
    """Which poses, in which world.

    Attributes:
        frame: Frame that the output's poses are in: that of the alignment's reference.
        body: Body of the poses, as the input declares it.
    """

    frame: str = "map"
    body: str = "tcp"


class InWorld(Step):
    """Computes T_a_body = T_a_b * T_b_body and maps the stamps; lost rows stay lost."""

    Config = InWorldConfig
    summary = "Poses of one source in the world and on the clock of another, as `align` found them to stand"

    @classmethod
    def ports(cls, config: InWorldConfig) -> Ports:
        """Take poses and an alignment, and give poses on the clock of the alignment's reference."""
        type_ = attrs.evolve(POSE, frame=config.frame, body=config.body)
        return Ports(
            inputs={
                "pose": InputPort(kinds="pose", body=config.body),
                "transform": InputPort(kinds="pose"),
                "clock_maps": InputPort(kinds="clock_map", many=True, optional=True),
            },
            outputs={"pose": OutputPort(type=type_, clock_of="transform")},
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Move the poses of an episode.

        Raises:
            StepError: The alignment is between other worlds, or nothing joins the clocks in this episode.
        """
        progress(0.0)
        given, transform = inputs.samples("pose"), inputs.samples("transform")
        self._check(given, transform)
        known, found_by = _clock_map(inputs, given, transform)
        about = {"T_a_b": transform.data[0].tolist(), "clock_map": known.to_json(), "time_from": found_by}
        made = Samples(
            type=attrs.evolve(given.type, frame=self.config.frame, clock=transform.type.clock),
            data=pose.compose(transform.data[0], given.data),
            stamps=known.apply(given.all_stamps()),
            tracked=given.tracked,
            attributes={**given.attributes, "in_world": about},
        )
        progress(1.0)
        return Outputs(streams={"pose": made}, attributes=about)

    def _check(self, given: Samples, transform: Samples) -> None:
        if transform.type.frame != self.config.frame:
            raise StepError(
                f"The alignment leads to '{transform.type.frame}'; expected '{self.config.frame}'. "
                f'Set frame = "{transform.type.frame}".'
            )
        if transform.type.body != given.type.frame:
            raise StepError(
                f"The poses are in '{given.type.frame}', but the alignment is one of '{transform.type.body}'."
            )


def _clock_map(inputs: Inputs, given: Samples, transform: Samples) -> tuple[ClockMap, str]:
    """Return the map from the poses' clock to the alignment's, and whose it is: `align`'s before any other."""
    found: Mapping[str, Any] = transform.attributes.get("episodes", {})
    if inputs.episode in found:
        return ClockMap.from_json(found[inputs.episode]["clock_map"]), "align"
    try:
        return inputs.rig.clock_maps.between(given.type.clock, transform.type.clock), "clock_map"
    except ClockError as error:
        why = transform.attributes.get("refused", {}).get(inputs.episode, "it was not there.")
        raise StepError(f"The alignment found no time offset for this episode: {why} {error}") from error


@hookimpl
def step(kind: str) -> type[Step]:
    """Answer for `in_world`."""
    return InWorld
