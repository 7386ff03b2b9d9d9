"""The step `motion_sync`: bring a gyroscope's clock and a tracker's together by the motion both saw."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from handloom.api import (
    InputPort,
    Inputs,
    OutputPort,
    Outputs,
    Ports,
    Progress,
    Step,
    clock_map_stream,
    clock_map_type,
    hookimpl,
)
from handloom.errors import PluginError, StepError
from handloom.streams import Samples
from handloom.time import ClockMap
from handloom_sensors.sync.motion_fit import MotionFit, fit_motion
from handloom_sensors.sync.motion_settings import MotionSyncConfig
from handloom_sensors.sync.speed_correlation import Peak, best_lag, correlate
from handloom_sensors.sync.turning import FloatArray, Rates, gyroscope_rates, pose_rates


class MotionSync(Step):
    """Correlates turning speeds, then lays the integrated turning over the poses."""

    Config = MotionSyncConfig
    summary = "Map from a gyroscope's clock to a tracker's from the turning both saw"

    @classmethod
    def ports(cls, config: MotionSyncConfig) -> Ports:
        """Take a gyroscope and poses; give the map from the first one's clock to the second one's."""
        return Ports(
            inputs={"gyroscope": InputPort(kinds="angular_velocity"), "pose": InputPort(kinds="pose")},
            outputs={
                config.output: OutputPort(
                    type=clock_map_type("@", "@"), clock_of="gyroscope", frame_clock_of="pose"
                )
            },
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Compare both motions.

        Raises:
            StepError: There is too little motion, too little in common, or both do not agree.
            PluginError: scipy is not installed.
        """
        progress(0.0)
        _check_scipy()
        gyroscope, pose = inputs.samples("gyroscope"), inputs.samples("pose")
        _check(gyroscope, pose)
        turning, tracked = gyroscope_rates(gyroscope), pose_rates(pose, self.config.max_gap_s)
        peak, lag_s = _coarse(turning, tracked, self.config)
        progress(0.4)
        fit = _fine(turning, pose, lag_s, self.config)
        progress(1.0)
        known = _map(fit, turning, pose, gyroscope.type.clock, self.config)
        found = {
            "method": "motion",
            "confidence": peak.correlation,
            "runner_up": peak.runner_up,
            "moved_by_fit_us": (lag_s + fit.offset_s) * 1e6,
            "residual_deg": fit.residual_deg,
            "rows": fit.rows,
            "gyroscope_bias_deg_per_s": [float(value) for value in np.degrees(fit.bias)],
        }
        return Outputs(
            streams={self.config.output: clock_map_stream(known, found)},
            attributes={"confidence": peak.correlation, "uncertainty_us": known.uncertainty_ns * 1e-3},
        )


def _check_scipy() -> None:
    if find_spec("scipy") is None:
        raise PluginError("The step 'motion_sync' needs scipy: pip install 'handloom-sensors[sync]'.")


def _check(gyroscope: Samples, pose: Samples) -> None:
    if gyroscope.type.clock == pose.type.clock:
        raise StepError(f"Gyroscope and poses are both on clock '{pose.type.clock}'; wire two that are not.")
    if len(gyroscope) < 2 or pose.tracked is None or np.count_nonzero(pose.tracked) < 2:
        raise StepError("Gyroscope and poses need two samples each at least; one of them has fewer.")


def _coarse(turning: Rates, tracked: Rates, config: MotionSyncConfig) -> tuple[Peak, float]:
    """Return the peak of the speeds' correlation, and how much later, since its own start, the tracker saw it."""
    step_s = 1 / config.grid_hz
    speeds = []
    for name, rates in (("gyroscope", turning), ("tracker", tracked)):
        vectors, known = rates.on_grid(step_s, config.smooth_s)
        speed = np.linalg.norm(vectors, axis=1)
        _check_motion(name, speed[known], config)
        speeds.append((speed, known))
    (one, one_known), (two, two_known) = speeds
    fewest = max(2, round(config.min_overlap_s / step_s))
    lags, values = correlate(one, one_known, two, two_known, fewest=fewest)
    peak = best_lag(
        lags, values, expected=-config.pose_starts_s / step_s, most=config.max_lag_s / step_s, apart=0.5 / step_s
    )
    _check_peak(peak, config)
    return peak, peak.lag * step_s


def _check_motion(name: str, speed: FloatArray, config: MotionSyncConfig) -> None:
    if len(speed) < 2:
        raise StepError(f"The {name} has no two samples in a row, so there is no motion to compare.")
    spread = float(np.degrees(speed.std()))
    if spread < config.min_speed_deg_per_s:
        raise StepError(
            f"The {name} hardly moves: its turning speed varies by {spread:.2f} deg/s; it takes "
            f"{config.min_speed_deg_per_s:g}. Turn the tool briskly for some seconds."
        )


def _check_peak(peak: Peak, config: MotionSyncConfig) -> None:
    if not np.isfinite(peak.correlation):
        raise StepError(
            f"Gyroscope and tracker have less than {config.min_overlap_s:g} s in common at any lag up to "
            f"{config.max_lag_s:g} s; name it with 'pose_starts_s'."
        )
    if peak.pinned:
        raise StepError(
            f"The turning speeds agree best at the end of the lags that were allowed, {config.max_lag_s:g} s; "
            f"name the lag with 'pose_starts_s' or raise 'max_lag_s'."
        )
    if peak.correlation < config.min_correlation:
        raise StepError(
            f"The turning speeds of gyroscope and tracker correlate by {peak.correlation:.2f} at best; it takes "
            f"{config.min_correlation:g}. They may belong to two motions."
        )
    if peak.correlation - peak.runner_up < config.min_lead:
        raise StepError(
            f"The turning speeds agree at two lags, by {peak.correlation:.2f} and {peak.runner_up:.2f}: the "
            f"motion repeats. Narrow 'max_lag_s' or move less evenly."
        )


def _fine(turning: Rates, pose: Samples, lag_s: float, config: MotionSyncConfig) -> MotionFit:
    stamps = pose.all_stamps()
    assert pose.tracked is not None
    seconds = (stamps[pose.tracked] - stamps[0]) * 1e-9
    fit = fit_motion(turning, seconds, pose.data[pose.tracked, 3:], offset_s=-lag_s, reach_s=2 / config.grid_hz)
    if fit.residual_deg > config.max_residual_deg:
        raise StepError(
            f"Gyroscope and tracker differ by {fit.residual_deg:.2f} deg RMS after the fit; "
            f"{config.max_residual_deg:g} is the most. One of them may be loose, or its scale wrong."
        )
    if abs(fit.offset_s + lag_s) > 2 / config.grid_hz:
        raise StepError(
            f"Speeds and orientations disagree on the lag by {abs(fit.offset_s + lag_s) * 1e3:.1f} ms; a tracker "
            f"that smooths its poses does that. Nothing is chosen between them."
        )
    return fit


def _map(fit: MotionFit, turning: Rates, pose: Samples, clock: str, config: MotionSyncConfig) -> ClockMap:
    start_ns = int(pose.all_stamps()[0])
    target_ns = start_ns + round(fit.middle_s * 1e9)
    source_ns = turning.origin_ns + round((fit.middle_s + fit.offset_s) * 1e9)
    return ClockMap(
        source=clock,
        target=pose.type.clock,
        offset_ns=target_ns - source_ns,
        origin_ns=source_ns,
        uncertainty_ns=float(np.hypot(fit.sigma_s * 1e9, config.fixed_sigma_ms * 1e6)),
        drift_uncertainty_ppm=config.drift_uncertainty_ppm,
    )


@hookimpl
def step(kind: str) -> type[Step]:
    """Return the step for `motion_sync`."""
    return MotionSync
