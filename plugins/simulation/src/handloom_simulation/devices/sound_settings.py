"""How the lab sounds: the sync chirp, the room, contacts and noise."""

from __future__ import annotations

import attrs

from handloom_simulation.gripper import SPEED_OF_SOUND_M_PER_S


@attrs.frozen(kw_only=True)
class SoundSettings:
    """What is heard and how loud; amplitudes are of full scale 1.

    Attributes:
        chirp_start_hz: Where the sweep begins. Source: PolyUMI's sync chirp, 440 Hz to 7 kHz in 0.5 s.
        chirp_end_hz: Where it ends; lower than the start sweeps down.
        chirp_s: How long it lasts.
        alternate: Whether every second chirp sweeps the other way.
        chirp_level: Amplitude at `reference_m` from the loudspeaker, along the straight path.
        direct_level: Factor on that straight path; below 1 something stands in the way.
        polarity: -1 turns the loudspeaker's leads around.
        reference_m: Distance that amplitudes are given at.
        speed_m_per_s: Of sound in air.
        room_m: Lower and upper corner of the room in world, as in `scene.room`.
        rt60_s: Time in which the reverberation falls by 60 dB; 0 for a room without walls.
        reflections: Highest order of mirrored sources; what comes later is a decaying noise.
        piezo_chirp: Amplitude of the chirp in the contact microphone, through the structure; 0 for none.
        structure_speed_m_per_s: Of sound in the printed gripper. Source: about that of extruded PLA, 1.6-2.3 km/s.
        impact_level: Amplitude in the contact microphone of an impact that loses 1 mJ in the gripper's hand.
        friction_level: RMS in the contact microphone of surfaces that slide at 0.1 m/s.
        air_share: How much of what the contact microphone hears of contacts is heard at `reference_m` through air.
        snr_db: Of the chirp's RMS over that of the noise, in each air microphone.
        piezo_noise: RMS of the contact microphone's own noise.
    """

    chirp_start_hz: float = 440.0
    chirp_end_hz: float = 7000.0
    chirp_s: float = 0.5
    alternate: bool = False
    chirp_level: float = 0.3
    direct_level: float = 1.0
    polarity: float = 1.0
    reference_m: float = 0.1
    speed_m_per_s: float = SPEED_OF_SOUND_M_PER_S
    room_m: tuple[tuple[float, float, float], tuple[float, float, float]] = ((-1.9, -1.5, -0.74), (1.9, 1.7, 1.9))
    rt60_s: float = 0.35
    reflections: int = 2
    piezo_chirp: float = 0.02
    structure_speed_m_per_s: float = 2000.0
    impact_level: float = 0.25
    friction_level: float = 0.03
    air_share: float = 0.2
    snr_db: float = 25.0
    piezo_noise: float = 0.002

    def quiet(self) -> SoundSettings:
        """Return the same without noise."""
        return attrs.evolve(self, snr_db=float("inf"), piezo_noise=0.0)
