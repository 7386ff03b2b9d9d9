"""Where the alignment of an episode begins: two tracks of one body, and a first clock map between them."""

from __future__ import annotations

from typing import Protocol

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Inputs
from handloom.errors import ClockError, FrameError, StepError
from handloom.geometry import FrameTree, pose
from handloom.streams import Samples
from handloom.time import ClockMap, ClockMaps
from handloom_pose_sources.alignment.fit import robust_horn
from handloom_pose_sources.alignment.time_offset import Candidate, offset_candidates
from handloom_pose_sources.alignment.tracks import Pairs, Take, Track, pairs_of

Float64Array = npt.NDArray[np.float64]

_FEWEST_PAIRS = 10
"""With fewer a transform of six numbers fits anything."""

_NEAR_NS = 100_000_000
"""Offsets nearer than this to each other are one and the same."""

_CLEARLY = 2.0
"""How many times worse the second best offset must fit."""


class StartSettings(Protocol):
    """What of the step's settings matters here; see `AlignConfig`."""

    @property
    def frame(self) -> str: ...  # noqa: D102
    @property
    def other_frame(self) -> str: ...  # noqa: D102
    @property
    def body(self) -> str: ...  # noqa: D102
    @property
    def search_s(self) -> float: ...  # noqa: D102
    @property
    def min_overlap_s(self) -> float: ...  # noqa: D102
    @property
    def max_gap_s(self) -> float: ...  # noqa: D102
    @property
    def min_correlation(self) -> float: ...  # noqa: D102


@attrs.frozen(kw_only=True, eq=False)
class Start:
    """One episode, ready to be aligned.

    Attributes:
        take: Both tracks of one body.
        clock_map: From the other's clock to the reference's, as the motion fits best, its origin in the middle of
            the reference's track.
        known: The clock map of rig or episode that it started from; None where only the motion told.
        correlation: Of the angular speeds at that offset; None where it was not looked for.
    """

    take: Take
    clock_map: ClockMap
    known: ClockMap | None
    correlation: float | None

    @property
    def kept(self) -> ClockMap:
        """The clock map to use where none is to be estimated: the known one, if there is one."""
        return self.known or self.clock_map


def find_start(inputs: Inputs, episode: str, settings: StartSettings) -> Start:
    """Read an episode's two pose streams and find a first clock map.

    Raises:
        StepError: The streams are not what the settings say, or nothing shows how their clocks stand.
    """
    reference, other = inputs.samples("reference"), inputs.samples("other")
    _check_frame("reference", reference, settings.frame, "frame")
    _check_frame("other", other, settings.other_frame, "other_frame")
    body = settings.body or reference.type.body
    tracks = [_at_body(stream, inputs.rig.frames, body) for stream in (reference, other)]
    for name, track in zip(("reference", "other"), tracks, strict=True):
        if np.count_nonzero(track.tracked) < _FEWEST_PAIRS:
            raise StepError(f"the {name} source is lost in all but {np.count_nonzero(track.tracked)} rows.")
    take = Take(episode=episode, reference=tracks[0], other=tracks[1])
    known = _known(inputs.rig.clock_maps, other.type.clock, reference.type.clock)
    return _start(take, known, (other.type.clock, reference.type.clock), settings)


def _check_frame(port: str, stream: Samples, expected: str, key: str) -> None:
    if stream.type.frame != expected:
        raise StepError(
            f"the poses of '{port}' are in '{stream.type.frame}'; expected '{expected}'. "
            f'Set {key} = "{stream.type.frame}".'
        )


def _at_body(stream: Samples, frames: FrameTree, body: str) -> Track:
    """Re-express poses at the body at which both sources are compared."""
    if stream.type.body == body:
        return Track.of(stream, stream.data)
    try:
        T_stream_body = frames.transform(stream.type.body, body)
    except FrameError as error:
        raise StepError(
            f"both sources are compared at '{body}', so T_{stream.type.body}_{body} is needed. {error} Declare "
            "how they are mounted in [rig.frames]."
        ) from error
    return Track.of(stream, pose.compose(stream.data, T_stream_body))


def _known(maps: ClockMaps, source: str, target: str) -> ClockMap | None:
    if source == target:
        return ClockMap(source=source, target=target, offset_ns=0)
    try:
        return maps.between(source, target)
    except ClockError:
        return None


def _start(take: Take, known: ClockMap | None, clocks: tuple[str, str], settings: StartSettings) -> Start:
    max_gap_ns = round(settings.max_gap_s * 1e9)
    middle_ns = int(take.reference.stamps[len(take.reference.stamps) // 2])
    base = _at_middle(known, middle_ns) if known else ClockMap(source=clocks[0], target=clocks[1], offset_ns=0)
    candidates = offset_candidates(
        take,
        min_overlap_s=settings.min_overlap_s,
        max_gap_ns=max_gap_ns,
        near_ns=base.offset_ns if known else None,
        search_ns=round(settings.search_s * 1e9),
    )
    if known:
        candidates = [*candidates, Candidate(offset_ns=base.offset_ns, correlation=-1.0)]
    else:
        candidates = [found for found in candidates if found.correlation >= settings.min_correlation]
    judged = _judged(take, base, candidates, max_gap_ns, settings.min_overlap_s)
    if not judged:
        raise StepError(_why_none(take, known, settings))
    best = _nearest(judged, base.offset_ns) if known else _clear_best(judged)
    origin_ns = base.origin_ns if known else middle_ns - best.offset_ns
    return Start(
        take=take,
        clock_map=attrs.evolve(base, offset_ns=best.offset_ns, origin_ns=origin_ns),
        known=base if known else None,
        correlation=best.correlation if best.correlation >= 0.0 else None,
    )


def _at_middle(known: ClockMap, middle_ns: int) -> ClockMap:
    """Return the same map with its origin where the reference's stamp is the given one.

    A take may last a whole scene and an episode seconds of it: far off, a drift would look like an offset.
    """
    origin_ns = int(known.inverse().apply(middle_ns))
    return attrs.evolve(known, origin_ns=origin_ns, offset_ns=int(known.apply(origin_ns)) - origin_ns)


def _judged(
    take: Take, base: ClockMap, candidates: list[Candidate], max_gap_ns: int, min_overlap_s: float
) -> list[tuple[float, Candidate]]:
    """Return the candidates with how far the positions are apart when each is believed, the best first."""
    judged = []
    for candidate in candidates:
        tried = attrs.evolve(base, offset_ns=candidate.offset_ns)
        pairs = pairs_of(take, tried, pose.IDENTITY, max_gap_ns=max_gap_ns)
        if len(pairs) >= max(_FEWEST_PAIRS, min_overlap_s * 0.5 * min(take.reference.rate_hz, take.other.rate_hz)):
            judged.append((_apart_m(pairs), candidate))
    return sorted(judged, key=lambda pair: (pair[0], pair[1].offset_ns))


def _apart_m(pairs: Pairs) -> float:
    T_a_b = robust_horn([pairs])
    distances = np.linalg.norm(pairs.points_a - pose.transform_points(T_a_b, pairs.points_b), axis=1)
    return float(np.median(distances))


def _nearest(judged: list[tuple[float, Candidate]], offset_ns: int) -> Candidate:
    """Return, of the candidates that fit like the best one, that nearest to what a clock map says."""
    alike = [candidate for apart, candidate in judged if apart <= _CLEARLY * judged[0][0]]
    return min(alike, key=lambda candidate: abs(candidate.offset_ns - offset_ns))


def _clear_best(judged: list[tuple[float, Candidate]]) -> Candidate:
    apart, best = judged[0]
    for other_apart, candidate in judged[1:]:
        far = abs(candidate.offset_ns - best.offset_ns) > _NEAR_NS
        if far and candidate.correlation >= 0.0 and other_apart < _CLEARLY * apart:
            raise StepError(
                f"two time offsets fit alike, {best.offset_ns * 1e-9:.3f} s ({apart * 1e3:.2g} mm apart) and "
                f"{candidate.offset_ns * 1e-9:.3f} s ({other_apart * 1e3:.2g} mm): the motion repeats itself. "
                "Join the clocks by a clock map, or record a motion that does not."
            )
    return best


def _why_none(take: Take, known: ClockMap | None, settings: StartSettings) -> str:
    if known is not None:
        reference, other = take.reference.stamps, known.apply(take.other.stamps)
        return (
            f"both sources have the body for less than {settings.min_overlap_s:g} s together: on the clock of the "
            f"reference it has {_span(reference)}, the other source {_span(other)}."
        )
    return (
        f"no time offset brings the angular speeds together over {settings.min_overlap_s:g} s with a correlation "
        f"of {settings.min_correlation:g}: there is no overlap, or too little turning. Join the clocks by a clock "
        "map, or turn the tool to and fro at the beginning."
    )


def _span(stamps: npt.NDArray[np.int64]) -> str:
    return f"{stamps[0] * 1e-9:.3f} s to {stamps[-1] * 1e-9:.3f} s"
