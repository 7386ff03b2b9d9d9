"""What can be set of the clock sync by a chirp."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from handloom_sensors.sync.pattern import Pattern, Rules
from handloom_sensors.sync.search import Gate
from handloom_sensors.sync.sweep import Sweep

_POSITIVE = attrs.validators.gt(0.0)
_NOT_NEGATIVE = attrs.validators.ge(0.0)
_A_CHANNEL = attrs.validators.ge(0)


def _a_window(_: object, attribute: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    if value and not (len(value) == 2 and value[0] < value[1]):
        raise ValueError(
            f"'{attribute.name}' is [from, to] in seconds since the track's start; found {list(value)}"
        )


def _another_frequency(config: ChirpSyncConfig, _: object, end_hz: float) -> None:
    if end_hz == config.start_hz:
        raise ValueError("'end_hz' must differ from 'start_hz': a tone of one frequency tells no instant")


def _with_interval(config: ChirpSyncConfig, _: object, interval_s: float) -> None:
    if config.count > 1 and interval_s < config.duration_s:
        raise ValueError(
            f"'interval_s' of {config.count} chirps of {config.duration_s:g} s must be as long at least"
        )


@attrs.frozen(kw_only=True)
class ChirpSyncConfig:
    """Settings of the sync by chirps.

    Attributes:
        start_hz: Frequency at the chirp's onset. Source of the three: PolyUMI's chirp.
        end_hz: Frequency at its end.
        duration_s: Its length.
        count: How many chirps a recording holds; the drift is measured from two on.
        alternate: Whether every other chirp runs backwards.
        interval_s: From onset to onset.
        first_channel: Of the first sound, from 0.
        second_channel: Of the second sound.
        first_window_s: [from, to] in seconds since the first track's start between which the first chirp begins;
            empty for anywhere.
        second_window_s: The same of the second track.
        expected_key: Attribute of either sound that holds the stamp, int ns on its own clock, at which the chirp
            was played; used where it is there and no window is set.
        expected_within_s: How far from that stamp the chirp may be.
        speaker_frame: Frame of the loudspeaker in the rig; with the next two, takes the sound's travel time off.
        first_frame: Frame of the first microphone.
        second_frame: Frame of the second one.
        temperature_c: Of the air.
        temperature_uncertainty_c: One standard deviation of it.
        unknown_distance_m: Without frames, one standard deviation of the difference of both distances.
        min_confidence: Least height of a chirp's pulse over what is around it. Noise of a minute reaches 5.2 in
            one track of 300; a chirp 15 dB below the noise has 8.
        min_compactness: Least share of the power within 20 ms that the pulse itself holds; knocks and tones stay
            below 0.035, chirps in an echoing room above 0.1.
        max_width: Widest pulse, by an ideal one's width; whatever only resembles the chirp has 5 and more.
        similar_height: Share of the chirp's height from which one more chirp that was not declared is refused.
        polarity: What is refused: with "same", where one microphone hears the chirp upside down and the other does
            not; with "opposite", where they agree; with either, where one of them can't tell. "any" takes all,
            as two makes of microphone often differ and the time is right either way.
        drift_ppm: How much faster the second clock runs, where it is known and one chirp can't tell.
        drift_uncertainty_ppm: One standard deviation of that, before the pulse's shape is looked at.
        microphone_phase_ppm: One standard deviation of what the microphones' own phase, where it bends over the
            band, adds to the drift that the shape of one pulse shows; `inf` to leave the shape out. A high-pass
            at 100 Hz adds 8, a resonance at 10 kHz 18, one within the band 150.
        output: Name of the output.
    """

    start_hz: float = attrs.field(default=440.0, validator=_POSITIVE)
    end_hz: float = attrs.field(default=7000.0, validator=[_POSITIVE, _another_frequency])
    duration_s: float = attrs.field(default=0.5, validator=_POSITIVE)
    count: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    alternate: bool = False
    interval_s: float = attrs.field(default=0.0, validator=_with_interval)
    first_channel: int = attrs.field(default=0, validator=_A_CHANNEL)
    second_channel: int = attrs.field(default=0, validator=_A_CHANNEL)
    first_window_s: tuple[float, ...] = attrs.field(default=(), converter=tuple, validator=_a_window)
    second_window_s: tuple[float, ...] = attrs.field(default=(), converter=tuple, validator=_a_window)
    expected_key: str = "chirp_play_ns"
    expected_within_s: float = attrs.field(default=3.0, validator=_POSITIVE)
    speaker_frame: str = ""
    first_frame: str = ""
    second_frame: str = ""
    temperature_c: float = 20.0
    temperature_uncertainty_c: float = attrs.field(default=5.0, validator=_NOT_NEGATIVE)
    unknown_distance_m: float = attrs.field(default=0.5, validator=_NOT_NEGATIVE)
    min_confidence: float = attrs.field(default=5.2, validator=_POSITIVE)
    min_compactness: float = attrs.field(default=0.04, validator=_NOT_NEGATIVE)
    max_width: float = attrs.field(default=2.0, validator=_POSITIVE)
    similar_height: float = attrs.field(default=0.4, validator=_POSITIVE)
    polarity: Literal["any", "same", "opposite"] = "any"
    drift_ppm: float = 0.0
    drift_uncertainty_ppm: float = attrs.field(default=50.0, validator=_NOT_NEGATIVE)
    microphone_phase_ppm: float = attrs.field(default=20.0, validator=_NOT_NEGATIVE)
    output: str = "map"

    def pattern(self) -> Pattern:
        """Return the declared chirps."""
        sweep = Sweep(start_hz=self.start_hz, end_hz=self.end_hz, duration_s=self.duration_s)
        turns = (sweep, sweep.reversed() if self.alternate else sweep)
        return Pattern(sweeps=tuple(turns[i % 2] for i in range(self.count)), interval_s=self.interval_s)

    def rules(self) -> Rules:
        """Return when what is found is taken."""
        gate = Gate(confidence=self.min_confidence, compactness=self.min_compactness, width=self.max_width)
        return Rules(gate=gate, similar=self.similar_height)

    def window_s(self, track: str) -> tuple[float, ...]:
        """Return the window of the "first" or the "second" track."""
        return self.first_window_s if track == "first" else self.second_window_s
