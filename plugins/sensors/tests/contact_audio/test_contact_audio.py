"""The step `contact_audio`: each block ends at its frame's instant, holds nothing later and never slips."""

from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.api import Rig, clock_map_stream
from handloom.errors import StepError
from handloom.streams import AUDIO, VIDEO, Samples, Video, VideoFile
from handloom.testing import MemoryInputs, StepContract
from handloom.time import ClockMap, ClockMaps
from handloom_sensors.contact_audio import ContactAudio, ContactAudioConfig, step
from handloom_sensors.contact_audio.anchoring import block_samples, blocks_ending_at, last_sample_at

RATE = 16_000
FPS = Fraction(60_000, 1001)


def sound(data, knots, *, clock="pi"):
    type_ = attrs.evolve(AUDIO, shape=(data.shape[1],), clock=clock)
    return Samples(type=type_, data=data, knots=np.array(knots, np.int64))


def counting(count, *, start_ns=0, clock="pi"):
    """Return sound whose samples say their own index."""
    data = np.arange(count, dtype=np.float32)[:, None]
    return sound(data, [[0, start_ns], [count, start_ns + round(count * 1e9 / RATE)]], clock=clock)


def video(stamps, *, clock="gopro"):
    stamps = np.asarray(stamps, np.int64)
    return Video(
        type=attrs.evolve(VIDEO, shape=(48, 64, 3), clock=clock),
        files=(VideoFile(path=Path("clip.mp4"), first_frame=0, time_base=(1, 1), start_ns=0),),
        pts=np.arange(len(stamps)),
        stamps=stamps,
        keyframes=np.ones(len(stamps), np.bool_),
    )


def frames(count, *, start_ns=0):
    return [start_ns + round(number * 1e9 / FPS) for number in range(count)]


def run(audio, pictures, *maps, **config):
    rig = Rig(clock_maps=ClockMaps(maps))
    inputs = MemoryInputs(wired={"audio": audio, "video": pictures}, rig=rig)
    return ContactAudio(ContactAudioConfig(**config)).run(inputs, lambda _: None)


GOPRO_TO_PI = ClockMap(source="gopro", target="pi", offset_ns=5_000_000_000, drift_ppm=20.0, uncertainty_ns=5e3)


class TestContactAudio(StepContract):
    component = ContactAudio

    def inputs(self, tmp_path):
        audio = counting(RATE, start_ns=5_000_000_000)
        wired = {
            "audio": audio,
            "video": video(frames(50)),
            "clock_maps": {"sync.gopro_to_pi": clock_map_stream(GOPRO_TO_PI)},
        }
        return MemoryInputs(wired=wired, rig=Rig(clock_maps=ClockMaps((GOPRO_TO_PI,))))


def test_hook_answers_the_class():
    assert step("contact_audio") is ContactAudio
    assert step("sharpness") is None


@pytest.mark.parametrize(
    ("rate_hz", "fps", "length"),
    [(16_000, 59.94006, 268), (16_000, 60, 268), (48_000, 60, 801), (48_000, 60.003, 801), (16_000, 29.97, 535)],
)
def test_blocks_are_as_long_as_a_frame_and_one_sample(rate_hz, fps, length):
    assert block_samples(rate_hz, fps) == length


def test_a_block_ends_with_the_last_sample_at_or_before_its_frame():
    outputs = run(counting(RATE, start_ns=5_000_000_000), video(frames(50)), GOPRO_TO_PI)
    blocks, starts = outputs.streams["blocks"], outputs.streams["block_start"]
    instants = GOPRO_TO_PI.apply(np.array(frames(50))) - 5_000_000_000
    last = [int(Fraction(int(instant), 62_500)) for instant in instants]
    whole = [number for number in range(50) if last[number] >= 267]
    assert blocks.data.shape == (50, 268)
    assert blocks.type.clock == "gopro"
    assert [int(blocks.data[number, -1]) for number in whole] == [last[number] for number in whole]
    assert starts.data.tolist() == [index - 267 for index in last]


def test_frames_outside_the_sound_are_gaps_and_not_zeros():
    outputs = run(counting(8000, start_ns=5_200_000_000), video(frames(60)), GOPRO_TO_PI)
    blocks = outputs.streams["blocks"].data
    lost = np.isnan(blocks).all(axis=1)
    assert (lost == np.isnan(blocks).any(axis=1)).all()
    assert lost[:13].all()
    assert not lost[13:42].any()
    assert lost[42:].all()
    assert outputs.attributes["before_sound"] == 13
    assert outputs.attributes["after_sound"] == 18
    assert outputs.attributes["gap_frames"] == 31
    assert "31 of 60 frames" in outputs.notes[0]


def test_neighbouring_blocks_leave_no_hole():
    outputs = run(counting(RATE), video(frames(55)), ClockMap(source="gopro", target="pi", offset_ns=20_000_000))
    starts = outputs.streams["block_start"].data
    assert (np.diff(starts) <= 268).all()
    assert outputs.attributes["holes_between_blocks"] == 0


def test_a_lost_video_frame_is_a_hole_that_is_counted():
    stamps = [stamp for number, stamp in enumerate(frames(55)) if number != 30]
    outputs = run(counting(RATE), video(stamps), ClockMap(source="gopro", target="pi", offset_ns=20_000_000))
    assert outputs.attributes["holes_between_blocks"] == 1


def test_no_block_reaches_across_a_gap_in_the_sound():
    data = np.arange(RATE, dtype=np.float32)[:, None]
    gap = 100_000_000
    end = 7999 * 62_500
    knots = [[0, 0], [7999, end], [8000, end + 62_500 + gap], [RATE, round(RATE * 62_500) + gap]]
    outputs = run(sound(data, knots, clock="gopro"), video(frames(60)))
    blocks = outputs.streams["blocks"].data
    kept = ~np.isnan(blocks[:, 0])
    assert (np.diff(blocks[kept], axis=1) == 1).all()
    assert not (
        kept & (np.array(frames(60)) >= 8000 * 62_500) & (np.array(frames(60)) < 8000 * 62_500 + gap)
    ).any()
    assert kept[29]
    assert outputs.attributes["in_sound_gaps"] == 7


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**62), st.integers(1, 600), st.sampled_from([16_000, 44_100, 48_000]), st.data())
def test_the_index_is_exact_whatever_the_epoch(start_ns, seconds, rate, data):
    count = seconds * rate
    knots = np.array([[0, start_ns], [count, start_ns + seconds * 1_000_000_000 + 17]])
    since = data.draw(st.integers(-(10**9), (seconds + 1) * 10**9))
    exact = Fraction(since * count, seconds * 1_000_000_000 + 17)
    assert last_sample_at(knots, np.array([start_ns + since]))[0] == exact.__floor__()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(300, 3999), st.floats(-50, 50))
def test_changing_a_sample_after_the_instant_changes_nothing(seed, place, drift):
    random = np.random.default_rng(seed)
    data = random.normal(size=(4000, 1)).astype(np.float32)
    audio = sound(data, [[0, 0], [4000, 250_000_000]])
    known = ClockMap(source="gopro", target="pi", offset_ns=int(random.integers(0, 10**8)), drift_ppm=drift)
    stamps = np.array(frames(15))
    before = blocks_ending_at(audio, known.apply(stamps), 268).data
    changed = data.copy()
    changed[place:] = random.normal(size=(4000 - place, 1))
    after = blocks_ending_at(attrs.evolve(audio, data=changed), known.apply(stamps), 268).data
    taken_at = place * 62_500
    earlier = known.apply(stamps) < taken_at
    assert np.array_equal(before[earlier], after[earlier], equal_nan=True)
    later = ~earlier & ~np.isnan(before[:, 0])
    assert not any(np.array_equal(a, b) for a, b in zip(before[later], after[later], strict=True))


def test_clocks_that_nothing_joins_are_a_sentence():
    with pytest.raises(StepError, match=r"video is on clock 'gopro' and the sound on 'pi'.*sync step"):
        run(counting(RATE), video(frames(20)))


def test_sound_of_another_time_is_a_sentence():
    with pytest.raises(StepError, match="No frame has a whole block"):
        run(counting(RATE, start_ns=10**15), video(frames(20)), GOPRO_TO_PI)


def test_a_channel_that_is_not_there_is_a_sentence():
    with pytest.raises(StepError, match="Channel 1 was asked for and the sound has 1"):
        run(counting(RATE), video(frames(20)), GOPRO_TO_PI, channel=1)


def test_a_set_length_is_kept():
    outputs = run(counting(RATE, start_ns=5_000_000_000), video(frames(50)), GOPRO_TO_PI, block_s=0.05)
    assert outputs.streams["blocks"].data.shape == (50, 800)


def test_the_sound_itself_stays_as_it_was():
    audio = counting(RATE, start_ns=5_000_000_000)
    before = audio.data.copy()
    run(audio, video(frames(50)), GOPRO_TO_PI)
    assert np.array_equal(audio.data, before)


def test_a_silent_microphone_is_refused_and_no_sound_of_zeros_made_of_it():
    quiet = counting(2 * RATE, start_ns=5_000_000_000)
    quiet = attrs.evolve(quiet, data=np.zeros_like(quiet.data))
    with pytest.raises(StepError, match=r"silent: all its 32000 samples have one value"):
        run(quiet, video(frames(60)), GOPRO_TO_PI)
