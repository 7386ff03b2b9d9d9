"""How long the chirp travels to each microphone: what must be taken off before two arrivals are one instant."""

from __future__ import annotations

import math

import attrs
import numpy as np

from handloom.api import Rig
from handloom.errors import FrameError, StepError


@attrs.frozen(kw_only=True)
class Propagation:
    """Travel times of sound.

    Attributes:
        first_s: To the first track's microphone.
        second_s: To the second one's.
        sigma_s: One standard deviation of their difference.
        known: Whether the rig gave the distances.
    """

    first_s: float
    second_s: float
    sigma_s: float
    known: bool


def speed_of_sound_m_per_s(temperature_c: float) -> float:
    """Return the speed of sound in dry air. Source: ideal gas, 331.3 m/s at 0 °C (ISO 9613-1, annex A)."""
    return 331.3 * math.sqrt(1 + temperature_c / 273.15)


def propagation(
    rig: Rig,
    frames: tuple[str, str, str],
    *,
    temperature_c: float,
    temperature_uncertainty_c: float,
    unknown_distance_m: float,
) -> Propagation:
    """Return the travel times from the loudspeaker to both microphones.

    Args:
        rig: Holds the frames.
        frames: Of the loudspeaker, the first and the second microphone; all "" when the distances are not known.
        temperature_c: Of the air.
        temperature_uncertainty_c: One standard deviation of it.
        unknown_distance_m: One standard deviation of the difference of two unknown distances.

    Raises:
        StepError: Some frames are named and others not, or the rig does not join them.
    """
    speed = speed_of_sound_m_per_s(temperature_c)
    if not any(frames):
        return Propagation(first_s=0.0, second_s=0.0, sigma_s=unknown_distance_m / speed, known=False)
    if not all(frames):
        raise StepError("'speaker_frame', 'first_frame' and 'second_frame' go together: name all three, or none.")
    speaker, *microphones = frames
    try:
        first_m, second_m = (float(np.linalg.norm(rig.frames.transform(speaker, to)[:3])) for to in microphones)
    except FrameError as error:
        raise StepError(f"The way of the chirp's sound is not known: {error}") from error
    by_temperature = 0.5 * temperature_uncertainty_c / (273.15 + temperature_c)
    return Propagation(
        first_s=first_m / speed,
        second_s=second_m / speed,
        sigma_s=abs(first_m - second_m) / speed * by_temperature,
        known=True,
    )
