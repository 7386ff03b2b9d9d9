"""The step `chirp_sync` on sounds it must refuse, each with a sentence that says what is wrong with which one."""

import attrs
import numpy as np
import pytest

from benchmarks.sync_impostors import impostors
from handloom.api import Rig
from handloom.errors import StepError


def refusal(sync, first, second, **settings):
    with pytest.raises(StepError) as caught:
        sync(first, second, **settings)
    message = str(caught.value)
    assert message.endswith(".")
    return message


def test_a_silent_track_is_named(gopro, pi, sync):
    silent = pi.records(np.zeros(pi.count))
    assert refusal(sync, gopro.hears(1.5), silent).startswith("The second track is silent")
    assert refusal(sync, gopro.records(np.full(gopro.count, 0.25)), pi.hears(1.5)).startswith(
        "The first track is silent"
    )


def test_a_track_of_nothing_known_is_silent(gopro, pi, sync):
    assert "silent" in refusal(sync, gopro.records(np.full(gopro.count, np.nan)), pi.hears(1.5))


@pytest.mark.parametrize("name", sorted(impostors()))
def test_what_is_no_chirp_is_refused(gopro, recorder, sync, name):
    pi = recorder("p", 16_000, length_s=8)
    sound = impostors()[name](pi.count, 16_000, np.random.default_rng(5))
    assert refusal(sync, gopro.hears(1.5), pi.records(sound)).startswith("There is no chirp in the second track")


@pytest.mark.parametrize(("starts_s", "end"), [(1.6, "start"), (-2.2, "end")])
def test_a_chirp_that_is_cut_off_is_refused(gopro, recorder, sync, starts_s, end):
    pi = recorder("p", 16_000, starts_s=starts_s)
    message = refusal(sync, gopro.hears(1.5), pi.hears(1.5))
    assert message.startswith(f"The chirp is cut off by the {end} of the second track")


@pytest.mark.parametrize("starts_s", [1.75, 1.85])
@pytest.mark.parametrize("expected", [{}, {"second_window_s": (-1.0, 1.0)}])
def test_a_chirp_of_which_half_or_more_is_missing_is_cut_off_too(gopro, recorder, sync, starts_s, expected):
    message = refusal(sync, gopro.hears(1.5), recorder("p", 16_000, starts_s=starts_s).hears(1.5), **expected)
    assert message.startswith("The chirp is cut off by the start of the second track, which holds")


def test_a_track_that_is_shorter_than_a_chirp_is_told_so(gopro, recorder, sync):
    message = refusal(sync, gopro.hears(1.5), recorder("p", 16_000, length_s=0.15).hears(0.0))
    assert message == "The second track lasts 0.150 s, too short for a chirp of 0.5 s."


def test_an_undeclared_second_chirp_is_refused(gopro, pi, sync):
    message = refusal(sync, gopro.hears(1.5), pi.hears(1.2, 3.0))
    assert "one chirp was declared, but found 2 at 0.800 s and at 2.600 s" in message
    assert "second track" in message


def test_a_far_weaker_second_chirp_is_none(gopro, pi, synced):
    second = pi.hears(1.5, seed=1)
    weak = pi.hears(3.0, gain=0.03, noise=0.0)
    synced(gopro.hears(1.5), attrs.evolve(second, data=second.data + weak.data))


@pytest.mark.parametrize("chirps", [(1.0,), (1.0, 2.2)])
def test_a_declared_second_chirp_that_is_not_there_is_refused(gopro, pi, sync, chirps):
    message = refusal(sync, gopro.hears(1.0, 3.0), pi.hears(*chirps), count=2, interval_s=2.0)
    assert message.startswith("In the second track 2 chirps, 2 s apart, were declared, but found")


def test_a_third_chirp_beside_two_declared_is_refused(gopro, pi, sync):
    message = refusal(sync, gopro.hears(1.0, 3.0), pi.hears(1.0, 2.2, 3.0), count=2, interval_s=2.0)
    assert "found 3" in message


def test_a_chirp_outside_its_window_is_told_where_it_is(gopro, pi, sync):
    message = refusal(sync, gopro.hears(1.5), pi.hears(1.5), second_window_s=(2.0, 3.0))
    assert message.startswith("No chirp begins between 2.000 and 3.000 s of the second track")
    assert "there is one at 1.100 s" in message


def test_no_chirp_inside_and_outside_the_window_is_told(gopro, pi, sync):
    noise = pi.records(np.random.default_rng(0).standard_normal(pi.count))
    message = refusal(sync, gopro.hears(1.5), noise, second_window_s=(2.0, 3.0))
    assert message.endswith("and none outside.")


def test_the_window_chooses_one_of_several_chirps(gopro, pi, synced):
    one = synced(gopro.hears(1.5), pi.hears(1.5, seed=1))
    two = synced(gopro.hears(1.5), pi.hears(1.5, 3.2, seed=1), second_window_s=(0.5, 2.0))
    assert abs(one.offset_ns - two.offset_ns) < 1000


def test_the_stamp_at_which_the_chirp_was_played_is_a_window(gopro, pi, sync, synced):
    played = round(pi.stamp_ns(1.3))
    second = attrs.evolve(pi.hears(1.5, 3.2, seed=1), attributes={"chirp_play_ns": played})
    synced(gopro.hears(1.5), second, expected_within_s=0.5)
    late = attrs.evolve(pi.hears(3.2), attributes={"chirp_play_ns": played})
    assert "where it was expected" in refusal(sync, gopro.hears(1.5), late, expected_within_s=0.5)


def test_a_gap_within_the_chirp_is_refused(gopro, pi, sync):
    second = pi.hears(1.5)
    start = int(second.knots[0, 1])
    at = [0, 20_000, 20_001, pi.count]
    jump = 5_000_000
    knots = np.array([[i, start + round(i / 16_000 * 1e9) + (jump if i > 20_000 else 0)] for i in at])
    message = refusal(sync, gopro.hears(1.5), attrs.evolve(second, knots=knots))
    assert "gap of 5.000 ms within the chirp" in message


def test_frames_go_together_and_must_be_known(gopro, pi, sync):
    first, second = gopro.hears(1.5), pi.hears(1.5)
    assert "go together" in refusal(sync, first, second, speaker_frame="speaker")
    frames = {"speaker_frame": "speaker", "first_frame": "a", "second_frame": "b"}
    assert "'speaker' is unknown" in refusal(sync, first, second, rig=Rig(), **frames)


def test_a_channel_that_is_not_there_and_a_rate_too_low_are_told(gopro, recorder, sync):
    slow = recorder("p", 8_000)
    assert "channel 3" in refusal(sync, gopro.hears(1.5), slow.hears(1.5), first_channel=3)
    assert "can't hold a chirp" in refusal(sync, gopro.hears(1.5), slow.hears(1.5))
