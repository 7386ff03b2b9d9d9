"""Whether the GoPro's sound has the session's chirp where the Pi played it."""

import numpy as np
import pytest

from handloom.streams import Samples, StreamType
from handloom_sensors.polyumi_session.chirp_heard import audio_evidence
from handloom_sensors.sync.sweep import Sweep

RATE = 16_000


def sound(*chirps_s, length_s=10.0, noise=0.05):
    """Return room noise with PolyUMI's chirp at these times."""
    values = noise * np.random.default_rng(1).standard_normal(round(length_s * RATE))
    chirp = Sweep(start_hz=440.0, end_hz=7000.0, duration_s=0.5).samples(RATE)
    for start_s in chirps_s:
        first = round(start_s * RATE)
        values[first : first + len(chirp)] += 0.3 * chirp[: len(values) - first]
    return Samples(
        type=StreamType(kind="audio", dtype="float32", shape=(1,), clock="@/gopro"),
        data=values.astype(np.float32)[:, None],
        knots=np.array([[0, 0], [len(values), round(length_s * 1e9)]], dtype=np.int64),
    )


def test_a_chirp_where_it_was_played_agrees_and_says_how_far_off_it_is():
    found = audio_evidence(sound(4.25), 4.0, 3.0)
    assert found.says == "agrees"
    assert found.residual_s == pytest.approx(0.25, abs=1e-4)


@pytest.mark.parametrize("heard", [sound(), sound(8.5)], ids=["nowhere", "elsewhere"])
def test_no_chirp_where_one_was_played_contradicts(heard):
    assert audio_evidence(heard, 4.0, 3.0).says == "contradicts"


@pytest.mark.parametrize("expected_s", [-5.0, 0.5, 9.0, 60.0])
def test_a_chirp_that_may_lie_outside_the_sound_is_not_missing(expected_s):
    assert audio_evidence(sound(), expected_s, 3.0).says == "says nothing"


def test_without_sound_or_without_a_chirp_s_time_nothing_is_said():
    assert audio_evidence(None, 4.0, 3.0).says == "says nothing"
    assert audio_evidence(sound(4.0), None, 3.0).says == "says nothing"
    assert audio_evidence(sound(noise=0.0), 4.0, 3.0).says == "says nothing"
