import attrs
import numpy as np
import pytest

from handloom.time import ClockMap
from handloom_simulation.devices import Sampling, SoundSettings, arrival_ns, record_sound
from handloom_simulation.devices.microphones import noise_rms, travel_s
from handloom_simulation.devices.sources import sweep
from handloom_simulation.gripper import MOUNTED, SPEED_OF_SOUND_M_PER_S

RATES = {"camera": 48_000, "air": 16_000, "piezo": 16_000}
DRY = attrs.evolve(SoundSettings().quiet(), rt60_s=0.0)


def sampling(take, microphone, drift_ppm=40.0, start_ns=50_000_123):
    clock = ClockMap(source="sim", target="device", offset_ns=7_000_000_000, drift_ppm=drift_ppm)
    end_ns = int(take.stamps[-1]) - 50_000_000
    return Sampling.within(clock, start_ns=start_ns, end_ns=end_ns, rate_hz=RATES[microphone])


def found_arrival_ns(samples, made, settings):
    """Return where a matched filter sees the chirp begin, ns of simulation time.

    The template runs at the device's own rate against simulation time, so that no drift biases it.
    """
    from scipy.signal import correlate, hilbert

    rate = made.rate_hz * made.clock.rate
    template = sweep(settings)(np.arange(int(settings.chirp_s * rate)) / rate)
    envelope = np.abs(hilbert(correlate(samples, template, mode="valid", method="fft")))
    peak = int(envelope.argmax())
    before, at, after = envelope[peak - 1 : peak + 2]
    return made.start_ns + (peak + 0.5 * (before - after) / (before - 2 * at + after)) / rate * 1e9


@pytest.fixture(scope="module")
def silent_take(take):
    return attrs.evolve(take, impacts=(), slide_speed_m_per_s=np.zeros(len(take.stamps)))


@pytest.mark.parametrize("microphone", ["camera", "air", "piezo"])
def test_a_chirp_arrives_after_the_distance_to_the_microphone(silent_take, microphone):
    made = sampling(silent_take, microphone)
    heard = record_sound(silent_take, microphone, made, settings=DRY, seed=1)
    expected = arrival_ns(silent_take, microphone, DRY)[0]
    assert found_arrival_ns(heard, made, DRY) == pytest.approx(expected, abs=1_000)


def test_sound_takes_its_time_through_air():
    distance = np.linalg.norm(np.subtract(MOUNTED["speaker"][:3], MOUNTED["camera_microphone"][:3]))
    assert travel_s("camera", DRY) == pytest.approx(distance / SPEED_OF_SOUND_M_PER_S)


@pytest.mark.parametrize("drift_ppm", [-50.0, 0.0, 50.0])
def test_drift_moves_the_second_chirp_in_the_file(make_take, drift_ppm):
    """Counted in samples, two chirps 2 s apart are 2 s times the device's rate apart."""
    take = attrs.evolve(
        make_take(seconds=3.2, chirps=(200_000_000, 2_200_000_000)),
        impacts=(),
        slide_speed_m_per_s=np.zeros(3201),
    )
    made = sampling(take, "air", drift_ppm)
    heard = record_sound(take, "air", made, settings=DRY, seed=1)
    middle = int(1.5 * made.rate_hz)
    first = found_arrival_ns(heard[:middle], made, DRY)
    second = found_arrival_ns(heard[middle:], made, DRY) + middle / (made.rate_hz * made.clock.rate) * 1e9
    samples_apart = (second - first) * 1e-9 * made.rate_hz * made.clock.rate
    assert samples_apart == pytest.approx(2.0 * 16_000 * (1 + drift_ppm * 1e-6), abs=0.05)


def test_reverberation_leaves_the_arrival_where_it_was(silent_take):
    wet = attrs.evolve(DRY, rt60_s=0.4)
    made = sampling(silent_take, "air")
    heard = record_sound(silent_take, "air", made, settings=wet, seed=1)
    dry = record_sound(silent_take, "air", made, settings=DRY, seed=1)
    assert np.std(heard - dry) > 0.02 * np.std(dry)
    assert found_arrival_ns(heard, made, wet) == pytest.approx(arrival_ns(silent_take, "air", wet)[0], abs=10_000)


def test_reverberation_dies_away_at_its_rate(silent_take):
    wet = attrs.evolve(DRY, rt60_s=0.4)
    made = sampling(silent_take, "air")
    heard = record_sound(silent_take, "air", made, settings=wet, seed=1)
    after = made.instants_s() - (silent_take.chirps[0] * 1e-9 + wet.chirp_s)
    early, late = (np.std(heard[(after > start) & (after < start + 0.05)]) for start in (0.05, 0.25))
    assert 20 * np.log10(early / late) == pytest.approx(60 * 0.2 / 0.4, abs=6)


def test_noise_keeps_the_asked_distance_from_the_chirp(silent_take):
    loud = attrs.evolve(DRY, snr_db=6.0)
    made = sampling(silent_take, "air")
    heard = record_sound(silent_take, "air", made, settings=loud, seed=1)
    clean = record_sound(silent_take, "air", made, settings=DRY, seed=1)
    times = made.instants_s()
    during = (times > 0.41) & (times < 0.89)
    snr = 20 * np.log10(np.std(clean[during]) / np.std(heard - clean))
    assert snr == pytest.approx(6.0, abs=0.3)
    assert noise_rms("air", DRY) == 0.0


def test_an_impact_rings_in_the_finger_and_less_in_the_air(take):
    quiet = attrs.evolve(DRY, chirp_level=0.0, piezo_chirp=0.0)
    heard = {
        name: record_sound(take, name, sampling(take, name), settings=quiet, seed=1) for name in ("piezo", "air")
    }
    times = sampling(take, "piezo").instants_s()
    struck = (times > 1.8) & (times < 1.9)
    before = (times > 1.6) & (times < 1.79)
    assert np.abs(heard["piezo"][struck]).max() > 0.05 > 100 * np.abs(heard["piezo"][before]).max()
    assert 0 < np.abs(heard["air"][struck]).max() < np.abs(heard["piezo"][struck]).max()


def test_every_second_chirp_may_sweep_down():
    alternating = attrs.evolve(DRY, alternate=True)
    times = np.arange(8_000) / 16_000
    up, down = (sweep(alternating, index=index)(times) for index in (0, 1))
    rising, falling = ([np.sum(np.diff(np.sign(half)) != 0) for half in np.split(wave, 2)] for wave in (up, down))
    assert rising[0] < rising[1]
    assert falling[0] > falling[1]
    np.testing.assert_array_equal(up, sweep(alternating, index=2)(times))


def test_the_room_that_is_heard_is_the_room_that_is_seen():
    from handloom_simulation.scene import lab_world

    walls = [face for face in lab_world().faces if face.name.startswith("room/")]
    centres = np.array([face.T_body_face[:3] for face in walls])
    np.testing.assert_allclose(centres.min(axis=0), SoundSettings().room_m[0], atol=1e-9)
    np.testing.assert_allclose(centres.max(axis=0), SoundSettings().room_m[1], atol=1e-9)


def test_the_same_seed_gives_the_same_sound(take):
    made = sampling(take, "air")
    first, second, other = (
        record_sound(take, "air", made, settings=SoundSettings(), seed=seed) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.allclose(first, other)
