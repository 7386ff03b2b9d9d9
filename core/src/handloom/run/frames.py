"""One decode pass over a video for every frame step that is stale; one that raises is detached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import attrs

from handloom.api import FrameStep, Inputs, Outputs, Progress
from handloom.errors import StepError
from handloom.media import DecodeReport, View, Views, decode
from handloom.run.failures import Failure, attempt
from handloom.streams import Video


@attrs.define
class _Seat:
    """A frame step with its place in the pass."""

    name: str
    step: FrameStep
    wanted: Mapping[str, View]
    failure: Failure | None = None


def run_frames(
    steps: Mapping[str, FrameStep], inputs: Mapping[str, Inputs], video: Video, progress: Progress
) -> dict[str, Outputs | Failure]:
    """Feed every frame of a video to several steps.

    Args:
        steps: By component name.
        inputs: What each sees of the episode.
        video: The video they all look at.
        progress: Told the share done.

    Returns:
        For each step what it made, or why it could not.
    """
    seats = [_Seat(name, step, step.views(step.config)) for name, step in steps.items()]
    for seat in seats:
        _guarded(seat, partial(seat.step.start, inputs[seat.name]))
    report = DecodeReport()
    failure = attempt(lambda: _feed(seats, video, report, progress))
    results: dict[str, Outputs | Failure] = {}
    for seat in seats:
        lost = seat.failure or failure
        results[seat.name] = lost if isinstance(lost, Failure) else attempt(partial(_finish, seat.step, report))
    return results


def _finish(step: FrameStep, report: DecodeReport) -> Outputs:
    made = step.finish()
    return attrs.evolve(made, notes=(*made.notes, *report.notes()))


def _feed(seats: list[_Seat], video: Video, report: DecodeReport, progress: Progress) -> None:
    wanted = {_key(seat.name, view): spec for seat in seats for view, spec in seat.wanted.items()}
    for count, (index, stamp, pictures) in enumerate(decode(video, wanted, report=report)):
        for seat in seats:
            if seat.failure is None:
                _show(seat, index, stamp, pictures)
        if all(seat.failure for seat in seats):
            return
        if count % 32 == 0:
            progress(count / len(video))
    progress(1.0)


def _show(seat: _Seat, index: int, stamp: int, pictures: Views) -> None:
    mine = {view: pictures[key] for view in seat.wanted if (key := _key(seat.name, view)) in pictures}
    _guarded(seat, partial(seat.step.frame, index, stamp, Views(mine)))


def _guarded(seat: _Seat, call: Callable[[], Any]) -> None:
    result = attempt(call)
    if isinstance(result, Failure):
        seat.failure = result


def _key(name: str, view: str) -> str:
    return f"{name}.{view}"


def frames_of(inputs: Inputs, port: str) -> Video:
    """Return the video of a pass.

    Raises:
        StepError: It has no frames.
    """
    video = inputs.video(port)
    if len(video) == 0:
        raise StepError("the video has no frames to look at.")
    return video
