"""The step `align`: how the worlds and clocks of two pose sources stand to each other, over all episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs
import numpy as np

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step, hookimpl
from handloom.errors import HandloomError, StepError
from handloom.streams import OWN, POSE, Samples
from handloom_pose_sources.alignment import Fit, Prior, fit
from handloom_pose_sources.alignment.report import figures, sentences
from handloom_pose_sources.alignment.start import Start, find_start
from handloom_pose_sources.alignment.sufficiency import check_motion, check_pairs

_CORRELATION_S = 0.02
"""One standard deviation of what the angular speeds tell: 10 ms on takes of 10 s. Source: our own measurement."""

_a_share: Any = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class AlignConfig:
    """Settings of the alignment.

    Attributes:
        frame: Frame `a` of the reference's poses; the result is T_a_b.
        other_frame: Frame `b` of the other source's poses.
        body: Frame of the rig at which both are compared; "" takes the reference's body.
        time: "estimate" finds each episode's time offset and drift, starting from a clock map where one joins the
            clocks; "clock_map" keeps that and only reports what the motion says.
        search_s: How far around a clock map an offset is looked for.
        min_overlap_s: Shortest time, gaps not counted, that both must have the body in an episode.
        max_gap_s: Rows further apart than this are not interpolated between.
        drift_ppm: One standard deviation of how differently the clocks may run. Source: crystals keep 50 ppm.
        min_correlation: Least correlation of the angular speeds where no clock map joins the clocks.
        min_spread_m: Least standard deviation of the positions in a second direction; along a line the turn about
            it can't be told.
        max_outliers: Largest share of pairs that may contradict the rest.
        max_scale_error: How much larger the motion of one source may be; the scale itself is never changed.
    """

    frame: str = "map"
    other_frame: str = "optitrack/world"
    body: str = ""
    time: Literal["estimate", "clock_map"] = "estimate"
    search_s: float = attrs.field(default=0.5, validator=attrs.validators.gt(0.0))
    min_overlap_s: float = attrs.field(default=3.0, validator=attrs.validators.gt(0.0))
    max_gap_s: float = attrs.field(default=0.15, validator=attrs.validators.gt(0.0))
    drift_ppm: float = attrs.field(default=50.0, validator=attrs.validators.ge(0.0))
    min_correlation: float = attrs.field(default=0.5, validator=_a_share)
    min_spread_m: float = attrs.field(default=0.01, validator=attrs.validators.gt(0.0))
    max_outliers: float = attrs.field(default=0.3, validator=_a_share)
    max_scale_error: float = attrs.field(default=0.05, validator=attrs.validators.ge(0.0))


class Align(Step):
    """Finds T_a_b by Horn's method over pooled episodes, and each episode's clock map, in one least squares."""

    Config = AlignConfig
    summary = "Transform and time offset between two pose sources, from episodes that both of them saw"
    scope = "scene"

    @classmethod
    def ports(cls, config: AlignConfig) -> Ports:
        """Take two pose streams of an episode and give one row for the scene, on the clock of the reference."""
        return Ports(
            inputs={
                "reference": InputPort(kinds="pose"),
                "other": InputPort(kinds="pose"),
                "clock_maps": InputPort(kinds="clock_map", many=True, optional=True),
            },
            outputs={"transform": OutputPort(type=_type(config), clock_of="reference")},
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Align all episodes that both sources saw.

        Raises:
            StepError: None did, the motion does not show the whole transform, or the sources contradict each
                other.
        """
        progress(0.0)
        starts, refused = self._starts(inputs, progress)
        if not starts:
            why = " ".join(f"{episode}: {reason}" for episode, reason in sorted(refused.items()))
            raise StepError(f"No episode shows how the two sources stand to each other. {why}")
        found = self._fit(starts)
        check_motion(found, self.config.min_spread_m, self.config.frame)
        check_pairs(found, self.config.max_outliers, self.config.max_scale_error)
        free = found if self.config.time == "estimate" else self._fit(starts, free=True)
        told = figures(found, free, starts)
        progress(1.0)
        return self._outputs(found, starts, told, refused)

    def _starts(self, inputs: Inputs, progress: Progress) -> tuple[dict[str, Start], dict[str, str]]:
        """Return where to start in each episode, and why some can't take part."""
        starts: dict[str, Start] = {}
        refused: dict[str, str] = {}
        for row, episode in enumerate(inputs.episodes):
            try:
                starts[episode] = find_start(inputs.of(episode), episode, self.config)
            except HandloomError as error:
                refused[episode] = str(error)
            progress(0.8 * (row + 1) / len(inputs.episodes))
        return starts, refused

    def _fit(self, starts: Mapping[str, Start], *, free: bool = False) -> Fit:
        estimate = free or self.config.time == "estimate"
        prior = Prior(
            offset_s=_CORRELATION_S if estimate else 0.0, drift=self.config.drift_ppm * 1e-6 if estimate else 0.0
        )
        return fit(
            [start.take for start in starts.values()],
            {episode: (estimate and start.clock_map) or start.kept for episode, start in starts.items()},
            prior=prior,
            max_gap_ns=round(self.config.max_gap_s * 1e9),
        )

    def _outputs(
        self, found: Fit, starts: Mapping[str, Start], told: dict[str, Any], refused: Mapping[str, str]
    ) -> Outputs:
        clock = next(iter(starts.values())).clock_map.target
        attributes = {**told, "refused": dict(sorted(refused.items()))}
        transform = Samples(
            type=attrs.evolve(_type(self.config), clock=clock),
            data=found.T_a_b[None].copy(),
            stamps=np.zeros(1, dtype=np.int64),
            tracked=np.ones(1, dtype=np.bool_),
            attributes=attributes,
        )
        return Outputs(streams={"transform": transform}, attributes=attributes, notes=sentences(told, refused))


def _type(config: AlignConfig) -> Any:
    return attrs.evolve(POSE, frame=config.frame, body=config.other_frame, clock=OWN)


@hookimpl
def step(kind: str) -> type[Step]:
    """Answer for `align`."""
    return Align
