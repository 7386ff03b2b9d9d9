"""What an alignment says of itself: residuals, gaps and clock maps, as figures and as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handloom.time import ClockMap
from handloom_pose_sources.alignment.fit import Fit
from handloom_pose_sources.alignment.horn import principal_spread
from handloom_pose_sources.alignment.start import Start
from handloom_pose_sources.alignment.sufficiency import scale

_NOTED_OUTLIERS, _NOTED_TURN_DEG, _NOTED_OFFSET_S = 0.02, 3.0, 0.002
"""A larger share of outliers, angle between the orientations or offset beside a clock map is told in a note."""


def figures(found: Fit, free: Fit, starts: Mapping[str, Start]) -> dict[str, Any]:
    """Return plain JSON values.

    Args:
        found: The alignment.
        free: The same with time offsets free, to report what is left of a clock map's.
        starts: Where each episode began.
    """
    every = np.concatenate([found.distances_m(episode) for episode in found.pairs])
    weights = np.concatenate(list(found.weights.values()))
    turns = np.concatenate([pairs.turns_rad for pairs in found.pairs.values()])
    points = np.concatenate([pairs.points_a for pairs in found.pairs.values()])
    return {
        "T_a_b": found.T_a_b.tolist(),
        "rms_pos_m": _rms(every[weights > 0.0]),
        "rms_rot_deg": float(np.degrees(_rms(turns[weights > 0.0]))),
        "turn_sigma_deg": float(np.degrees(found.turn_sigma_rad.max())),
        "pairs": len(every),
        "outliers": int(np.count_nonzero(weights == 0.0)),
        "scale": scale(found),
        "spread_m": principal_spread(points, weights)[0].tolist(),
        "episodes": {
            episode: _of_episode(episode, found, free, start) for episode, start in sorted(starts.items())
        },
    }


def _of_episode(episode: str, found: Fit, free: Fit, start: Start) -> dict[str, Any]:
    pairs, weights = found.pairs[episode], found.weights[episode]
    good = weights > 0.0
    known, measured = start.known, free.clock_maps[episode]
    return {
        "pairs": len(pairs),
        "outliers": int(np.count_nonzero(~good)),
        "rms_pos_m": _rms(found.distances_m(episode)[good]),
        "rms_rot_deg": float(np.degrees(_rms(pairs.turns_rad[good]))),
        "largest_gap_s": float(np.diff(np.sort(pairs.since_s)).max(initial=0.0)),
        "clock_map": found.clock_maps[episode].to_json(),
        "time_from": "clock_map" if known else "angular_speed",
        "correlation": start.correlation,
        "residual_offset_s": _offset_s(measured, known) if known else None,
        "residual_drift_ppm": measured.drift_ppm - known.drift_ppm if known else None,
        "offset_uncertainty_s": measured.uncertainty_ns * 1e-9,
    }


def _offset_s(measured: ClockMap, known: ClockMap) -> float:
    return (measured.offset_ns - known.offset_ns) * 1e-9


def _rms(values: Any) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else 0.0


def sentences(told: Mapping[str, Any], refused: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a person should know of an alignment that was found."""
    notes = [f"{episode} takes no part: {reason}" for episode, reason in sorted(refused.items())]
    if told["outliers"] > _NOTED_OUTLIERS * told["pairs"]:
        notes.append(f"{told['outliers']} of {told['pairs']} pairs contradict the rest and count nothing.")
    if told["rms_rot_deg"] > _NOTED_TURN_DEG:
        notes.append(
            f"The orientations are {told['rms_rot_deg']:.1f} deg apart although the positions agree; check how "
            "the bodies are mounted in [rig.frames], and the order of the quaternions."
        )
    for episode, of_episode in told["episodes"].items():
        left = of_episode["residual_offset_s"]
        if left is not None and abs(left) > max(_NOTED_OFFSET_S, 4.0 * of_episode["offset_uncertainty_s"]):
            notes.append(
                f"{episode}: the motion puts the clocks {left * 1e3:.1f} ms from where the clock map has them."
            )
    return tuple(notes)
