"""When each recorder of a session starts and stops, and by which clock it samples."""

from __future__ import annotations

import attrs
import numpy as np

from handloom_simulation.devices import DeviceClocks, GoProClock, Sampling, random_clocks
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.top_camera import top_sampling
from handloom_simulation.recordings.video import SOUND_HZ

PI_SOUND_HZ = 16_000
"""Source: PolyUMI, audio_sample_rate."""

AUDIO_CHUNK = 320
"""Samples of 20 ms, the Pi's unit of sound. Source: PolyUMI, audio_chunk_ms."""

_FINGER_LATE_NS = 37_000_000
"""The camera's first picture comes a little after the first sound."""


@attrs.frozen(kw_only=True, eq=False)
class Timeline:
    """The samplings of one session; what a name of a device does not say stands in `SceneSettings`.

    Attributes:
        started_ns: How long the scene had lasted at instant 0 of the take.
        clocks: Of the take.
        gopro_calendar: The GoPro's time of day.
        frames: Of the GoPro's video.
        gopro_sound: Of its microphones.
        inertial: Of its motion sensors.
        pi_sound: Of the Pi's microphones, whole chunks.
        finger: Of the finger camera.
        jaw: Of the servo.
        top: Of the camera over the table; None where there is none.
    """

    started_ns: int
    clocks: DeviceClocks
    gopro_calendar: GoProClock
    frames: Sampling
    gopro_sound: Sampling
    inertial: Sampling
    pi_sound: Sampling
    finger: Sampling
    jaw: Sampling
    top: Sampling | None

    def wall_ns(self, sim_ns: int) -> int:
        """Return the time of day by the Pi at an instant of the take."""
        return int(self.clocks.wall.apply(sim_ns))


def timelines(demonstrations: tuple[Demonstration, ...], settings: SceneSettings) -> tuple[Timeline, ...]:
    """Return the timeline of each session, one after the other."""
    starts = [round(settings.pause_s * 1e9 / 4)]
    starts += [each.take.duration_ns + round(settings.pause_s * 1e9) for each in demonstrations[:-1]]
    return tuple(
        _timeline(each, settings, int(started))
        for each, started in zip(demonstrations, np.cumsum(starts), strict=True)
    )


def _timeline(demonstration: Demonstration, settings: SceneSettings, started_ns: int) -> Timeline:
    take, cut = demonstration.take, demonstration.quirks.cut_chirp
    first_ns, last_ns = int(take.stamps[0]), int(take.stamps[-1])
    half_ns = take.chirps[0] + round(settings.sound.chirp_s * 5e8) if cut and take.chirps else first_ns
    gopro_ns = half_ns if cut == "camera" else first_ns + round(settings.gopro_start_s * 1e9)
    pi_ns = half_ns if cut == "pi" else first_ns + round(settings.pi_start_s * 1e9)
    gopro_end_ns, pi_end_ns = (
        last_ns - round(before_s * 1e9) for before_s in (settings.gopro_stops_s, settings.pi_stops_s)
    )
    clocks = random_clocks(
        settings.seed,
        started_ns=started_ns,
        gopro_start_ns=gopro_ns,
        wall_ns=settings.wall_ns(),
        largest_drift_ppm=settings.largest_drift_ppm,
    )
    frames = Sampling.within(
        clocks.gopro, start_ns=gopro_ns, end_ns=gopro_end_ns, rate_hz=float(settings.frame_rate())
    )
    camera_s = frames.count / frames.rate_hz
    lead_ns = round(settings.inertial.lead_s * 1e9)
    servo_hz = settings.servo.rate_hz if settings.servo else 1.0
    pi = {"start_ns": pi_ns, "end_ns": pi_end_ns}
    sound = Sampling.within(clocks.pi, rate_hz=PI_SOUND_HZ, **pi)
    return Timeline(
        started_ns=started_ns,
        clocks=clocks,
        gopro_calendar=GoProClock.random(settings.seed),
        frames=frames,
        gopro_sound=attrs.evolve(frames, rate_hz=float(SOUND_HZ), count=int(camera_s * SOUND_HZ)),
        inertial=Sampling.within(
            clocks.gopro,
            start_ns=gopro_ns - lead_ns,
            end_ns=gopro_end_ns,
            rate_hz=settings.inertial.rate_hz,
        ),
        pi_sound=attrs.evolve(sound, count=sound.count // AUDIO_CHUNK * AUDIO_CHUNK),
        finger=Sampling.within(
            clocks.pi, start_ns=pi_ns + _FINGER_LATE_NS, end_ns=pi_end_ns, rate_hz=settings.finger_rate_hz or 1e-3
        ),
        jaw=Sampling.within(clocks.pi, rate_hz=servo_hz, **pi),
        top=top_sampling(take, settings.top, settings.seed) if demonstration.top else None,
    )
