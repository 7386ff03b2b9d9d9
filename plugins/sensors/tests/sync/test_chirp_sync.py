"""The step `chirp_sync`: what it finds on two recorders that heard one chirp."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter

from handloom.api import Rig, clock_map_of
from handloom.errors import StepError
from handloom.geometry import FrameTree
from handloom.testing import MemoryInputs, StepContract
from handloom_sensors.sync import chirp_sync
from handloom_sensors.sync.chirp_settings import ChirpSyncConfig
from handloom_sensors.sync.chirp_sync import ChirpSync
from handloom_sensors.sync.propagation import speed_of_sound_m_per_s

STEADY_S = 7000 * 0.5 / 6560
"""After the onset: the instant that a wrong rate does not move."""

DOWN = (7000.0, 440.0)
UP = (440.0, 7000.0)
RIG = Rig(
    frames=FrameTree()
    .with_static("gripper", "speaker", [0, 0, 0, 0, 0, 0, 1])
    .with_static("gripper", "gopro_mic", [0.3, 0, 0, 0, 0, 0, 1])
    .with_static("gripper", "air_mic", [0, 1.2, 0, 0, 0, 0, 1])
)
FRAMES = {"speaker_frame": "speaker", "first_frame": "gopro_mic", "second_frame": "air_mic"}


def error_us(found, gopro, pi, true_s):
    return abs(int(found.apply(round(gopro.stamp_ns(true_s)))) - pi.stamp_ns(true_s)) * 1e-3


class TestChirpSync(StepContract):
    component = ChirpSync

    @pytest.fixture(autouse=True)
    def _recorders(self, gopro, pi):
        self.wired = {"first": gopro.hears(1.5), "second": pi.hears(1.5, seed=1)}

    def inputs(self, tmp_path):
        return MemoryInputs(wired=self.wired)


def test_the_hook_answers_the_class():
    assert chirp_sync.step("chirp_sync") is ChirpSync


def test_the_offset_holds_where_the_drift_can_not_move_it(gopro, pi, synced):
    found = synced(gopro.hears(1.5), pi.hears(1.5, seed=1))
    assert error_us(found, gopro, pi, 1.5 + STEADY_S) < 0.5
    assert abs(found.origin_ns - gopro.stamp_ns(1.5 + STEADY_S)) < 3000


def test_without_the_shape_of_the_pulse_one_chirp_tells_no_drift(gopro, pi, synced):
    found = synced(gopro.hears(1.5), pi.hears(1.5, seed=1), microphone_phase_ppm=math.inf)
    assert (found.drift_ppm, found.drift_uncertainty_ppm) == (0.0, 50.0)
    center = round(gopro.stamp_ns(1.75))
    assert error_us(found, gopro, pi, 1.75) < 3 * found.uncertainty_at(center) * 1e-3


@pytest.mark.parametrize("turns", [(UP,), (DOWN,)])
@pytest.mark.parametrize("drift_ppm", [-80.0, -20.0, 0.0, 65.0])
def test_the_shape_of_one_pulse_tells_the_drift_as_well_as_the_noise_lets_it(recorder, synced, turns, drift_ppm):
    gopro = recorder("g", 48_000, starts_s=0.25, drift_ppm=15.0)
    pi = recorder("p", 16_000, starts_s=0.4, reads_s=5000.0, drift_ppm=drift_ppm)
    found = synced(
        gopro.hears(1.5, turns=turns, noise=0.05), pi.hears(1.5, seed=1, turns=turns, noise=0.05),
        start_hz=turns[0][0], end_hz=turns[0][1], microphone_phase_ppm=0.0,
    )  # fmt: skip
    truth_ppm = (pi.rate / gopro.rate - 1) * 1e6
    assert found.drift_uncertainty_ppm < 8.0
    assert abs(found.drift_ppm - truth_ppm) < 4 * found.drift_uncertainty_ppm
    assert error_us(found, gopro, pi, 1.75) < 4.0


def test_the_drift_that_a_pulse_tells_has_the_uncertainty_that_is_stated(recorder, synced):
    pulls = []
    for seed in range(40):
        gopro = recorder("g", 16_000, drift_ppm=40.0, length_s=2.0)
        pi = recorder("p", 16_000, drift_ppm=-10.0, length_s=2.0)
        found = synced(
            gopro.hears(0.8, seed=2 * seed, noise=0.3), pi.hears(0.8, seed=2 * seed + 1, noise=0.3),
            microphone_phase_ppm=0.0, drift_uncertainty_ppm=1e4,
        )  # fmt: skip
        pulls.append((found.drift_ppm + 50.0) / found.drift_uncertainty_ppm)
    assert 0.6 < np.std(pulls) < 1.5
    assert abs(np.mean(pulls)) < 0.6


def test_a_chirp_right_at_the_start_leaves_no_noise_to_judge_its_shape_by(recorder, synced):
    gopro, pi = recorder("g", 16_000, length_s=2.0), recorder("p", 16_000, drift_ppm=60.0, length_s=2.0)
    found = synced(gopro.hears(0.03), pi.hears(0.03, seed=1))
    assert (found.drift_ppm, found.drift_uncertainty_ppm) == (0.0, 50.0)


def test_a_microphone_that_bends_the_phase_is_not_taken_for_a_clock(gopro, pi, sync):
    heard = gopro.hears(1.5).data[:, 0]
    # Of a resonance at 3 kHz nothing but its phase, which all-passes of second order have alone.
    pole = 0.87 * np.exp(2j * np.pi * 3000 / 48_000)
    denominator = np.real(np.poly([pole, pole.conj()]))
    bent = lfilter(denominator[::-1], denominator, heard)
    outputs = sync(gopro.records(bent), pi.hears(1.5, seed=1))
    found = clock_map_of(outputs.streams["map"])
    assert (found.drift_ppm, found.drift_uncertainty_ppm) == (0.0, 50.0)
    assert any("more than two clocks have" in note for note in outputs.notes)


def test_what_the_map_says_at_the_centre_of_the_chirp_is_kept(gopro, pi, sync):
    outputs = sync(gopro.hears(1.5), pi.hears(1.5, seed=1))
    kept, found = outputs.streams["map"].attributes, clock_map_of(outputs.streams["map"])
    assert abs(kept["centre_ns"] - gopro.stamp_ns(1.75)) < 30_000
    assert kept["centre_ns"] + kept["offset_at_centre_ns"] == found.apply(kept["centre_ns"])
    assert kept["uncertainty_at_centre_us"] > found.uncertainty_ns * 1e-3


def test_a_declared_second_chirp_tells_the_drift(recorder, synced):
    gopro = recorder("g", 48_000, starts_s=0.25, drift_ppm=30.0, length_s=12)
    pi = recorder("p", 16_000, starts_s=0.5, reads_s=5000.0, drift_ppm=-20.0, length_s=12)
    found = synced(
        gopro.hears(1.0, 11.0, noise=0.1), pi.hears(1.0, 11.0, noise=0.1, seed=1), count=2, interval_s=10.0
    )
    truth_ppm = (pi.rate / gopro.rate - 1) * 1e6
    assert abs(found.drift_ppm - truth_ppm) < min(0.3, 4 * found.drift_uncertainty_ppm)
    for true_s in (1.0, 6.0, 11.5):
        assert error_us(found, gopro, pi, true_s) < 3.0


@pytest.mark.parametrize(("turns", "within_ppm"), [((UP, DOWN), 3.0), ((DOWN, UP), 1.0)])
def test_an_up_and_a_down_sweep_tell_the_drift(gopro, pi, synced, turns, within_ppm):
    start_hz, end_hz = turns[0]
    found = synced(
        gopro.hears(1.5, 2.5, turns=turns), pi.hears(1.5, 2.5, seed=1, turns=turns),
        count=2, interval_s=1.0, alternate=True, start_hz=start_hz, end_hz=end_hz,
    )  # fmt: skip
    truth_ppm = (pi.rate / gopro.rate - 1) * 1e6
    assert abs(found.drift_ppm - truth_ppm) < within_ppm
    assert found.drift_uncertainty_ppm < within_ppm
    assert error_us(found, gopro, pi, 2.0) < 1.0


def test_a_later_chirp_moves_the_offset_by_as_much(recorder, synced):
    gopro, pi = recorder("g", 16_000, length_s=1.5), recorder("p", 16_000, length_s=1.5)
    first = gopro.hears(0.5)

    @settings(max_examples=8, deadline=None)
    @given(delay_us=st.floats(-300_000, 300_000))
    def law(delay_us):
        found = synced(first, pi.hears(0.5 + delay_us * 1e-6, seed=1))
        assert abs(found.offset_ns * 1e-3 - delay_us) < 1.0

    law()


def test_swapped_sounds_give_the_inverse(gopro, pi, synced):
    first, second = gopro.hears(1.5), pi.hears(1.5, seed=1)
    there, back = synced(first, second), synced(second, first).inverse()
    assert (there.source, there.target) == (back.source, back.target)
    assert abs(there.offset_ns - back.offset_ns) <= 1
    assert abs(there.origin_ns - back.origin_ns) <= 1


@pytest.mark.parametrize("gain", [1e-6, 1000.0, -1.0])
def test_loudness_and_sign_of_a_track_change_nothing(gopro, pi, synced, gain):
    first, second = gopro.hears(1.5), pi.hears(1.5, seed=1)
    other = attrs.evolve(second, data=np.float32(gain) * second.data)
    assert abs(synced(first, other).offset_ns - synced(first, second).offset_ns) <= 2


def test_an_inverted_microphone_is_told_and_refused_only_on_request(gopro, pi, sync):
    first, second = gopro.hears(1.5), pi.hears(1.5, seed=1, gain=-0.3)
    outputs = sync(first, second)
    assert outputs.streams["map"].attributes["polarity"] == {"first": "upright", "second": "inverted"}
    assert any("upside down" in note for note in outputs.notes)
    with pytest.raises(StepError, match="second one inverted; expected same polarity, as `polarity` says"):
        sync(first, second, polarity="same")


def test_two_makes_of_microphone_that_differ_are_taken_as_they_are_and_watched(gopro, pi, sync):
    first, upright, inverted = gopro.hears(1.5), *(pi.hears(1.5, seed=1, gain=gain) for gain in (0.3, -0.3))
    assert not any("upside down" in note for note in sync(first, inverted, polarity="opposite").notes)
    with pytest.raises(
        StepError, match="first track hears the chirp upright and the second one upright; expected o"
    ):
        sync(first, upright, polarity="opposite")
    assert sync(first, upright, polarity="same").streams["map"].attributes["polarity"]["second"] == "upright"


@pytest.mark.parametrize("polarity", ["same", "opposite"])
def test_a_microphone_that_can_not_tell_is_refused_where_polarity_counts(gopro, pi, sync, polarity):
    both, later = gopro.hears(1.5, 3.5), gopro.hears(3.5, noise=0.0)
    turned = attrs.evolve(both, data=both.data - 2 * later.data)  # the second chirp upside down
    settings = {"count": 2, "interval_s": 2.0}
    assert sync(turned, pi.hears(1.5, 3.5), **settings).streams["map"].attributes["polarity"]["first"] == "unclear"
    with pytest.raises(StepError, match="first track hears the chirp unclear"):
        sync(turned, pi.hears(1.5, 3.5), polarity=polarity, **settings)


def test_the_travel_of_sound_is_taken_off_by_the_rig(gopro, pi, synced):
    speed = speed_of_sound_m_per_s(25.0)
    first, second = gopro.hears(1.5 + 0.3 / speed), pi.hears(1.5 + 1.2 / speed, seed=1)
    found = synced(first, second, rig=RIG, temperature_c=25.0, **FRAMES)
    assert error_us(found, gopro, pi, 1.5 + STEADY_S) < 0.5
    # 0.9 m of a way 5 °C warmer or colder.
    assert found.uncertainty_ns == pytest.approx(0.9 / speed * 2.5 / 298.15 * 1e9, rel=0.05)


def test_a_way_that_is_not_known_is_an_uncertainty_and_a_note(gopro, pi, sync):
    outputs = sync(gopro.hears(1.5), pi.hears(1.5, seed=1), unknown_distance_m=0.2)
    assert outputs.streams["map"].attributes["clock_map"]["uncertainty_ns"] == pytest.approx(
        0.2 / 343.2 * 1e9, rel=0.01
    )
    assert "No frames" in outputs.notes[0]


def test_a_sound_on_the_clock_of_the_other_is_refused(gopro, sync):
    with pytest.raises(StepError, match="Both tracks are on clock"):
        sync(gopro.hears(1.5), gopro.hears(1.5))


def test_the_first_way_counts_where_an_echo_is_louder(gopro, pi, sync):
    straight, echo = pi.hears(1.5, gain=0.12, noise=0.003), pi.hears(1.5 + 0.0043, gain=0.3, noise=0.0)
    blocked = attrs.evolve(straight, data=straight.data + echo.data)
    outputs = sync(gopro.hears(1.5), blocked)
    found = outputs.streams["map"].attributes["clock_map"]
    true = pi.stamp_ns(1.5 + STEADY_S) - gopro.stamp_ns(1.5 + STEADY_S)
    assert abs(found["offset_ns"] - true) < 10_000
    assert outputs.streams["map"].attributes["first_arrival_earlier_us"]["second"][0] == pytest.approx(
        4300, abs=30
    )
    assert any("blocked" in note for note in outputs.notes)


def test_noise_before_a_quiet_chirp_is_no_first_arrival(recorder, sync):
    gopro, pi = recorder("g", 16_000, length_s=3), recorder("p", 16_000, length_s=3)
    for seed in range(6):
        outputs = sync(
            gopro.hears(1.0, gain=0.1, noise=0.3, seed=seed), pi.hears(1.0, gain=0.1, noise=0.3, seed=99 + seed)
        )
        assert outputs.streams["map"].attributes["first_arrival_earlier_us"] == {"first": [0.0], "second": [0.0]}


def test_the_envelopes_are_small_and_highest_at_the_onset(gopro, pi, sync):
    attributes = sync(gopro.hears(1.5), pi.hears(1.5, seed=1)).streams["map"].attributes
    for name in ("envelope_first", "envelope_second"):
        offsets, values = np.array(attributes[name]["offset_s"]), np.array(attributes[name]["height"])
        assert len(offsets) == len(values) == 201
        assert abs(offsets[np.argmax(values)]) < 3e-5
        assert (np.diff(offsets) > 0).all()


def test_knots_of_a_recorder_that_runs_too_fast_are_followed(gopro, pi, synced):
    second = pi.hears(1.5, seed=1)
    # The same samples, stamped by a clock that calls them 16 008 a second.
    knots = second.knots.copy()
    knots[1, 1] = knots[0, 1] + round(pi.count / 16_008 * 1e9)
    found = synced(gopro.hears(1.5), attrs.evolve(second, knots=knots))
    index = (pi.stamp_ns(1.5 + STEADY_S) - pi.stamp_ns(pi.starts_s)) * 1e-9 * 16_000
    stamp = pi.reads_s * 1e9 + index / 16_008 * 1e9
    assert abs(int(found.apply(round(gopro.stamp_ns(1.5 + STEADY_S)))) - stamp) < 1000


def test_settings_that_contradict_themselves_are_refused():
    with pytest.raises(ValueError, match="end_hz"):
        ChirpSyncConfig(start_hz=500, end_hz=500)
    with pytest.raises(ValueError, match="interval_s"):
        ChirpSyncConfig(count=2)
    with pytest.raises(ValueError, match="first_window_s"):
        ChirpSyncConfig(first_window_s=(3.0, 1.0))
