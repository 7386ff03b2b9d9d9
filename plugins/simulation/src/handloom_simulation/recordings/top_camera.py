"""What the camera over the table records of a session: a video on a clock of its own, without sound."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np

from handloom.api import Progress
from handloom.errors import RecordingError
from handloom.time import ClockMap
from handloom_simulation.devices import Sampling
from handloom_simulation.devices.clocks import LARGEST_DRIFT_PPM, SIM
from handloom_simulation.recordings.painting import Painter, pictures
from handloom_simulation.recordings.video import Encoding, write_video
from handloom_simulation.take import Take

TOP_FILE = "top.mp4"


@attrs.frozen(kw_only=True)
class TopCameraSettings:
    """How the camera over the table films.

    Attributes:
        encoding: Of its pictures.
        start_s: Instant of the take at which it takes its first frame.
        stops_s: How long before the take's end it stops.
        largest_drift_ppm: Of its clock.
    """

    encoding: Encoding = attrs.field(factory=lambda: Encoding(rate=Fraction(50)))
    start_s: float = 0.11
    stops_s: float = 0.05
    largest_drift_ppm: float = LARGEST_DRIFT_PPM


def top_sampling(take: Take, settings: TopCameraSettings, seed: int) -> Sampling:
    """Return when it takes its frames, by a clock that begins with the first; one seed has one crystal."""
    start_ns = int(take.stamps[0]) + round(settings.start_s * 1e9)
    drift_ppm = float(
        np.random.default_rng([seed, 102]).uniform(-settings.largest_drift_ppm, settings.largest_drift_ppm)
    )
    clock = ClockMap(source=SIM, target="top", offset_ns=-start_ns, origin_ns=start_ns, drift_ppm=drift_ppm)
    end_ns = int(take.stamps[-1]) - round(settings.stops_s * 1e9)
    return Sampling.within(clock, start_ns=start_ns, end_ns=end_ns, rate_hz=float(settings.encoding.rate))


def record_top(
    path: Path,
    painter: Painter,
    sampling: Sampling,
    settings: TopCameraSettings,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Path:
    """Write its file.

    Args:
        path: Where to.
        painter: Who paints what it sees.
        sampling: When it takes its frames.
        settings: How.
        workers: Processes that paint.
        progress: Told the share done.

    Raises:
        RecordingError: The take is over before its first frame.
    """
    if not sampling.count:
        raise RecordingError(
            f"The camera over the table would film nothing of {path.parent.name}; it is too short."
        )
    frames = pictures(painter, sampling.instants_ns().tolist(), workers=workers, progress=progress)
    return write_video(path, frames, settings.encoding)
