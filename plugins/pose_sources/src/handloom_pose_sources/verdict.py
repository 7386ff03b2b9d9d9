"""The step `verdict`: may this demonstration be used, and why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs
import numpy as np

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step, hookimpl
from handloom.errors import ClockError, StepError
from handloom.streams import Samples, StreamType
from handloom_pose_sources.judging import (
    Finding,
    VerdictConfig,
    judge_exposure,
    judge_frozen_frames,
    judge_policy_rate,
    judge_pose,
    judge_sharpness,
    judge_sync,
    judge_width,
)

USABLE = StreamType(kind="scalar", dtype="float64")

_CLOCK_MAPS = InputPort(kinds="clock_map", many=True, optional=True)

_PORTS = {
    "video": {"video": InputPort(kinds="video", optional=True), "clock_maps": _CLOCK_MAPS},
    "width": {"width": InputPort(kinds="scalar", optional=True)},
    "sharpness": {"sharpness": InputPort(kinds="scalar", unit="1", optional=True)},
    "exposure": {
        "brightness": InputPort(kinds="scalar", unit="1", optional=True),
        "clipped": InputPort(kinds="vector", unit="1", optional=True),
    },
    "sync": {"clock_maps": _CLOCK_MAPS},
}


class Verdict(Step):
    """Holds what other steps measured against thresholds; prunes by saying so, and deletes nothing."""

    Config = VerdictConfig
    summary = "Whether a demonstration may be used, row by row and as a whole, with reasons by name"

    @classmethod
    def ports(cls, config: VerdictConfig) -> Ports:
        """Take the poses and whatever is to be judged beside them; give 1 or 0 for each pose."""
        inputs = {"pose": InputPort(kinds="pose", body=config.body or None)}
        for name in config.judge:
            inputs |= _PORTS[name]
        return Ports(inputs=inputs, outputs={"usable": OutputPort(type=USABLE, clock_of="pose")})

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Judge an episode; a bad one is a verdict, not an error."""
        progress(0.0)
        pose = inputs.samples("pose")
        findings = list(self._findings(inputs, pose))
        reasons = {name: sentence for found in findings for name, sentence in found.reasons.items()}
        seen = [found.rows for found in findings if found.rows is not None]
        rows = np.all(seen, axis=0) if seen else np.zeros(len(pose), np.bool_)
        measures = {name: value for found in findings for name, value in found.measures.items()}
        told = {"usable": not reasons, "reasons": sorted(reasons)}
        usable = Samples(
            type=attrs.evolve(USABLE, clock=pose.type.clock),
            data=(rows & (not reasons)).astype(np.float64),
            stamps=pose.all_stamps(),
            attributes=told,
        )
        progress(1.0)
        return Outputs(
            streams={"usable": usable},
            attributes={**told, "good_rows": int(np.count_nonzero(rows)), "rows": len(rows), **measures},
            notes=tuple(reasons[name] for name in sorted(reasons)),
        )

    def _findings(self, inputs: Inputs, pose: Samples) -> Iterator[Finding]:
        config = self.config
        if "video" in config.judge:
            yield _judged("video", lambda: judge_pose(pose, config, _span_of_video(inputs, pose)))
        else:
            yield judge_pose(pose, config)
        yield judge_policy_rate(pose, config)
        if inputs.episode in config.pruned:
            why = config.pruned[inputs.episode].rstrip(".")
            yield Finding(reasons={"pruned": f"Taken out by hand: {why}."})
        if "width" in config.judge:
            yield _judged("width", lambda: judge_width(inputs.samples("width"), config))
        if "sharpness" in config.judge:
            yield _judged("sharpness", lambda: judge_sharpness(inputs.samples("sharpness"), config))
            yield _judged("sharpness", lambda: judge_frozen_frames(_pictures(inputs, config), config))
        if "exposure" in config.judge:
            yield _judged("exposure", lambda: judge_exposure(inputs.samples("clipped"), config))
        if "sync" in config.judge:
            yield judge_sync(inputs.streams("clock_maps"), config)


def _span_of_video(inputs: Inputs, pose: Samples) -> tuple[int, int]:
    """Return the first and the last frame's stamp on the clock of the poses."""
    video = inputs.video("video")
    if not len(video):
        raise StepError("it has no frame.")
    known = inputs.rig.clock_maps.between(video.type.clock, pose.type.clock)
    first, last = known.apply(video.stamps[[0, -1]]).tolist()
    return first, last


def _pictures(inputs: Inputs, config: VerdictConfig) -> list[Samples]:
    """Return what was measured of each frame, as far as it is there; two equal frames agree in all of it."""
    more = ("brightness", "clipped") if "exposure" in config.judge else ()
    others = [stream for port in more for stream in inputs.streams(port).values()]
    return [inputs.samples("sharpness"), *(stream for stream in others if isinstance(stream, Samples))]


def _judged(name: str, judge: Callable[[], Finding]) -> Finding:
    """Return a finding; what was to be judged and is not there is a reason of its own."""
    try:
        return judge()
    except (StepError, ClockError) as error:
        return Finding(reasons={f"no_{name}": f"The {name} was to be judged: {error}"})


@hookimpl
def step(kind: str) -> type[Step]:
    """Answer for `verdict`."""
    return Verdict
