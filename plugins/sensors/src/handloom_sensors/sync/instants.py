"""From instants that both clocks stamped to the map between them, with what is known of its error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np

from handloom.time import ClockMap


@attrs.frozen(kw_only=True)
class Instant:
    """One instant on two clocks.

    Attributes:
        source_ns: Stamp on the source clock.
        target_ns: Stamp on the target clock.
        sigma_ns: One standard deviation of their difference.
    """

    source_ns: int
    target_ns: int
    sigma_ns: float


def clock_map_through(
    instants: Sequence[Instant],
    *,
    source: str,
    target: str,
    common_sigma_ns: float,
    drift_ppm: tuple[float, float],
) -> ClockMap:
    """Return the map through instants: a mean of the offsets, and a line where there are several.

    The origin lies in their middle, where offset and drift are independent.

    Args:
        instants: At least one.
        source: Clock of the source stamps.
        target: Clock of the target stamps.
        common_sigma_ns: One standard deviation of the error that all instants share.
        drift_ppm: The drift and one standard deviation of it, where one instant can't tell.
    """
    first_ns, first_offset_ns = instants[0].source_ns, instants[0].target_ns - instants[0].source_ns
    since_ns = np.array([float(each.source_ns - first_ns) for each in instants])
    excess_ns = np.array([float(each.target_ns - each.source_ns - first_offset_ns) for each in instants])
    sigma_ns = math.sqrt(sum(each.sigma_ns**2 for each in instants) / len(instants))
    origin_ns = first_ns + round(float(since_ns.mean()))
    away_ns = since_ns - since_ns.mean()
    moment = float(away_ns @ away_ns)
    return ClockMap(
        source=source,
        target=target,
        offset_ns=first_offset_ns + round(float(excess_ns.mean())),
        origin_ns=origin_ns,
        drift_ppm=float(away_ns @ excess_ns) / moment * 1e6 if moment else drift_ppm[0],
        uncertainty_ns=math.hypot(sigma_ns / math.sqrt(len(instants)), common_sigma_ns),
        drift_uncertainty_ppm=sigma_ns / math.sqrt(moment) * 1e6 if moment else drift_ppm[1],
    )
