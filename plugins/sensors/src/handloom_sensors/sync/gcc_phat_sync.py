"""The step `gcc_phat_sync`: bring two microphones' clocks together by whatever both hear, without a chirp."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import attrs
import numpy as np

from handloom.api import Inputs, Outputs, Ports, Progress, Step, clock_map_stream, hookimpl
from handloom.errors import StepError
from handloom.time import ClockMap
from handloom_sensors.sync.gcc_phat import Lag
from handloom_sensors.sync.gcc_phat_settings import GccPhatSyncConfig
from handloom_sensors.sync.instants import Instant, clock_map_through
from handloom_sensors.sync.propagation import speed_of_sound_m_per_s
from handloom_sensors.sync.sounds import both_tracks, sound_ports
from handloom_sensors.sync.track import Track

_FINE_LAG_S = 0.05
"""Lags of the second look, around what the first one found."""

_ROOM_C = 20.0
"""Temperature of the air; ten degrees more or less change the way of sound by 2 %, far below `apart_m`."""

_UNKNOWN_DRIFT_PPM = (0.0, 50.0)
"""What is taken of a drift that one window alone can't tell, and its standard deviation: crystals keep 50 ppm."""


class GccPhatSync(Step):
    """Correlates stretches of two sounds and lays a line through the lags that agree."""

    Config = GccPhatSyncConfig
    summary = "Map between the clocks of two microphones from the sounds both hear, without a chirp (GCC-PHAT)"

    @classmethod
    def ports(cls, config: GccPhatSyncConfig) -> Ports:
        """Take two sounds; give the map from the first one's clock to the second one's."""
        return sound_ports(config.output)

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Compare both sounds.

        Raises:
            StepError: They share too little, or what they share contradicts itself.
        """
        progress(0.0)
        config = self.config
        first, second = both_tracks(inputs, config.first_channel, config.second_channel)
        if config.high_hz >= 0.5 * min(first.rate_hz, second.rate_hz):
            raise StepError(
                f"'high_hz' is {config.high_hz:g}; it must be below half the slower track's "
                f"{min(first.rate_hz, second.rate_hz):.0f} samples a second."
            )
        lags = _lags(first, second, config, progress)
        agreed = _agreed(lags, config)
        known = _map(agreed, first.clock, second.clock, config)
        found = {
            "method": "gcc_phat",
            "confidence": float(np.median([lag.confidence for lag in agreed])),
            "windows": config.windows,
            "windows_agreed": len(agreed),
        }
        return Outputs(
            streams={config.output: clock_map_stream(known, found)},
            attributes={"confidence": found["confidence"], "uncertainty_us": known.uncertainty_ns * 1e-3},
        )


def _lags(first: Track, second: Track, config: GccPhatSyncConfig, progress: Progress) -> list[Lag]:
    """Return the lags of the windows that pass, refined around what a first look found."""
    coarse = config.correlation()
    fine = attrs.evolve(coarse, max_lag_s=min(_FINE_LAG_S, config.max_lag_s), finer=8)
    shift_ns = second.stamp(0) - first.stamp(0) - round(config.second_starts_s * 1e9)
    lags, best = [], 0.0
    for done, middle_ns in enumerate(_middles(first, second, shift_ns, config)):
        rough = coarse.lag(first, second, middle_ns, middle_ns + shift_ns)
        if rough is not None:
            best = max(best, rough.confidence)
            if rough.confidence >= config.min_confidence and not rough.pinned:
                refined = fine.lag(first, second, middle_ns, rough.second_ns)
                lags += [refined] if refined is not None and not refined.pinned else []
        progress((done + 1) / config.windows)
    if len(lags) < config.min_windows:
        raise StepError(
            f"Both tracks share too little sound: {len(lags)} of {config.windows} stretches reach a confidence of "
            f"{config.min_confidence:g} within {config.max_lag_s:g} s, the best {best:.1f}; it takes "
            f"{config.min_windows}. Name the lag with 'second_starts_s', or sync by a chirp."
        )
    return lags


def _middles(first: Track, second: Track, shift_ns: int, config: GccPhatSyncConfig) -> list[int]:
    """Return stamps on the first clock, evenly over the part that both tracks cover.

    Raises:
        StepError: That part is shorter than one window.
    """
    margin_ns = round(0.5 * config.window_s * 1e9)
    start = max(first.stamp(0), second.stamp(0) - shift_ns) + margin_ns
    end = min(first.stamp(len(first)), second.stamp(len(second)) - shift_ns) - margin_ns
    if end < start:
        raise StepError(
            f"Both tracks have {max(0.0, (end - start) * 1e-9 + config.window_s):.3f} s in common; it takes "
            f"{config.window_s:g}."
        )
    return [int(stamp) for stamp in np.linspace(0, end - start, config.windows).astype(np.int64) + start]


def _agreed(lags: Sequence[Lag], config: GccPhatSyncConfig) -> list[Lag]:
    """Return the most windows that one line of possible drift explains.

    Raises:
        StepError: Too few do.
    """
    best: list[Lag] = []
    for one, other in combinations(lags, 2):
        drift = (_offset(other) - _offset(one)) / max(1, other.first_ns - one.first_ns)
        if abs(drift) > config.max_drift_ppm * 1e-6:
            continue
        near = [
            lag
            for lag in lags
            if abs(_offset(lag) - _offset(one) - drift * (lag.first_ns - one.first_ns)) <= config.agree_s * 1e9
        ]
        best = max(best, near, key=len)
    if config.min_windows == 1 and len(lags) == 1:
        best = list(lags)
    if len(best) < max(config.min_windows, 0.5 * len(lags)):
        raise StepError(
            f"The lags of {len(lags)} stretches of sound contradict one another: {len(best)} of them agree within "
            f"{config.agree_s * 1e3:g} ms; it takes half, and {config.min_windows} at least."
        )
    return best


def _offset(lag: Lag) -> int:
    return lag.second_ns - lag.first_ns


def _map(agreed: Sequence[Lag], source: str, target: str, config: GccPhatSyncConfig) -> ClockMap:
    """Lay the line; its error is what the windows scatter by, and what their own noise says at least."""
    instants = [Instant(source_ns=lag.first_ns, target_ns=lag.second_ns, sigma_ns=lag.sigma_ns) for lag in agreed]
    common_ns = config.apart_m / speed_of_sound_m_per_s(_ROOM_C) * 1e9
    ends = {"source": source, "target": target}
    rough = clock_map_through(instants, **ends, common_sigma_ns=common_ns, drift_ppm=_UNKNOWN_DRIFT_PPM)
    residuals = [each.target_ns - int(rough.apply(each.source_ns)) for each in instants]
    scatter_ns = float(np.sqrt(np.sum(np.square(residuals)) / max(1, len(instants) - 2)))
    wider = [attrs.evolve(each, sigma_ns=max(each.sigma_ns, scatter_ns)) for each in instants]
    known = clock_map_through(wider, **ends, common_sigma_ns=common_ns, drift_ppm=_UNKNOWN_DRIFT_PPM)
    least_ppm = max(config.drift_uncertainty_ppm, known.drift_uncertainty_ppm)
    return attrs.evolve(known, drift_uncertainty_ppm=least_ppm)


@hookimpl
def step(kind: str) -> type[Step]:
    """Return the step for `gcc_phat_sync`."""
    return GccPhatSync
