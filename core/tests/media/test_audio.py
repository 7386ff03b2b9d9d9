"""Sound: every value exact, on the track's own time, gaps and overlaps named."""

from __future__ import annotations

import wave
from fractions import Fraction

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import MediaError
from handloom.media import chirp, has_audio, index_video, read_audio
from handloom.media.sound_timeline import SoundTimeline

RATE = 48_000


def _encode(path, samples: np.ndarray, *, codec: str, form: str, starts: list[int] | None = None):
    """Write (N, 1) samples in blocks of 1000, each at its own start in samples."""
    blocks = samples.reshape(-1, 1000)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=RATE, layout="mono", format=form)
        for number, block in enumerate(blocks):
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block[None]), format=form, layout="mono")
            frame.sample_rate, frame.time_base = RATE, Fraction(1, RATE)
            frame.pts = starts[number] if starts else number * 1000
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode(None):
            container.mux(packet)
    return path


def test_sixteen_bit_values_come_back_exactly(tmp_path):
    values = np.random.default_rng(0).integers(-(2**15), 2**15, 8000).astype(np.int16)
    for name, codec in (("a.wav", "pcm_s16le"), ("a.flac", "flac")):
        audio = read_audio((_encode(tmp_path / name, values, codec=codec, form="s16"),))
        assert np.array_equal((audio.samples.data[:, 0] * 2**15).astype(np.int64), values)
        assert audio.notes == ()


def test_twenty_four_bit_values_come_back_exactly(tmp_path):
    values = np.random.default_rng(0).integers(-(2**23), 2**23, 8000).astype(np.int32)
    audio = read_audio((_encode(tmp_path / "a.wav", values * 256, codec="pcm_s24le", form="s32"),))
    assert np.array_equal((audio.samples.data[:, 0].astype(np.float64) * 2**23).astype(np.int64), values)
    assert audio.notes == ()


def test_deeper_values_are_rounded_and_counted(tmp_path):
    values = np.full(1000, 2**31 - 1, dtype=np.int32)
    audio = read_audio((_encode(tmp_path / "a.wav", values, codec="pcm_s32le", form="s32"),))
    assert audio.notes == ("a.wav: 1000 sound values were rounded to the 24 bits that float32 holds.",)


def test_eight_bit_sound_is_centred_on_zero(tmp_path):
    values = np.repeat(np.array([0, 128, 255], dtype=np.uint8), 1000)
    audio = read_audio((_encode(tmp_path / "a.wav", values, codec="pcm_u8", form="u8"),))
    assert np.unique(audio.samples.data).tolist() == [-1.0, 0.0, 127 / 128]


def test_stereo_keeps_its_channels_apart(tmp_path):
    left, right = np.arange(100, dtype=np.int16), -np.arange(100, dtype=np.int16)
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(np.stack([left, right], axis=1).tobytes())
    samples = read_audio((tmp_path / "a.wav",)).samples
    assert samples.type.shape == (2,)
    assert np.array_equal(samples.data * 2**15, np.stack([left, right], axis=1))
    assert samples.knots.tolist() == [[0, 0], [100, 12_500_000]]


def test_sound_starts_where_the_track_says(clip):
    path = clip(audio_s=1.0, start_ticks=15)
    with av.open(str(path)) as container:
        track = container.streams.audio[0]
        start = track.start_time * track.time_base
    samples = read_audio((path,)).samples
    assert samples.knots[0].tolist() == [0, round(start * 10**9)]
    assert samples.knots[-1, 0] == len(samples)
    assert abs(samples.knots[0, 1] - 500_000_000) <= 1056 * 10**9 // RATE + 1  # the encoder's priming


def test_chirp_is_where_it_was_played(clip):
    samples = read_audio((clip(suffix=".mkv", audio_s=1.0, audio_codec="flac", start_ticks=15),)).samples
    played = chirp(duration_s=1.0, rate_hz=RATE)
    assert np.abs(samples.data[:, 0] - played).max() <= 2**-15
    assert samples.knots.tolist() == [[0, 500_000_000], [RATE, 1_500_000_000]]


def test_sound_shorter_than_the_pictures_is_not_stretched(clip):
    path = clip(audio_s=0.7)
    samples = read_audio((path,)).samples
    assert samples.rate_hz() == pytest.approx(RATE)
    assert samples.knots[-1, 1] < index_video((path,)).video.stamps[-1]


def test_gap_between_packets_becomes_knots_and_a_note(tmp_path):
    starts = [0, 1000, 2000, 5000, 6000]
    path = _encode(tmp_path / "a.mkv", np.zeros(5000, np.int16), codec="pcm_s16le", form="s16", starts=starts)
    audio = read_audio((path,))
    assert len(audio.samples) == 5000
    gap_ns = 2000 * 10**9 // RATE
    stamps = audio.samples.all_stamps()
    assert abs((stamps[3000] - stamps[2999]) - gap_ns) < 1_100_000  # Matroska counts milliseconds
    assert "1 gaps" in audio.notes[0]
    assert audio.samples.attributes["gaps_ns"][0][1] == pytest.approx(gap_ns, abs=1_100_000)


def test_chapters_run_on_without_video(clip):
    files = (
        clip(suffix=".mkv", audio_s=0.5, audio_codec="flac"),
        clip(suffix=".mkv", audio_s=0.25, audio_codec="flac"),
    )
    audio = read_audio(files)
    assert audio.samples.knots.tolist() == [[0, 0], [36_000, 750_000_000]]
    assert audio.notes == ()


def test_chapters_stay_with_their_pictures(clip):
    files = (
        clip(audio_s=1.0, audio_codec="flac", suffix=".mkv"),
        clip(audio_s=1.0, audio_codec="flac", suffix=".mkv"),
    )
    video = index_video(files).video
    audio = read_audio(files, [file.start_ns for file in video.files])
    stamps = audio.samples.all_stamps()
    assert stamps[RATE] == video.stamps[48]
    assert audio.samples.attributes["gaps_ns"] == [[1_000_000_000, int(video.stamps[48]) - 1_000_000_000]]


def test_sound_that_outlasts_its_chapter_is_cut_and_counted(clip):
    long = clip(audio_s=2.0, audio_codec="flac", suffix=".mkv")
    video = index_video((long, long)).video
    audio = read_audio((long, long), [file.start_ns for file in video.files])
    left_out = audio.samples.attributes["samples_left_out"]
    assert left_out == pytest.approx((2.0 - 1.6) * RATE, abs=48)
    assert len(audio.samples) == 4 * RATE - left_out
    assert f"{left_out} samples" in audio.notes[0]


def test_file_without_sound_says_so(clip):
    assert not has_audio(clip())
    assert has_audio(clip(audio_s=0.5))
    with pytest.raises(MediaError, match="there is no sound track"):
        read_audio((clip(),))


def test_chapters_of_two_recorders_are_refused(clip, tmp_path):
    other = tmp_path / "other.wav"
    with wave.open(str(other), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(200))
    with pytest.raises(MediaError, match="8000 Hz in 1 channels follows sound of 48000 Hz"):
        read_audio((clip(audio_s=0.5), other))


@given(
    lengths=st.lists(st.integers(1, 50), min_size=1, max_size=6),
    steps=st.lists(st.integers(-20, 20), min_size=6, max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_timeline_places_every_sample_it_keeps(lengths, steps):
    timeline = SoundTimeline(1000)
    given_at, start = [], 0
    for length, step in zip(lengths, steps, strict=False):
        block = np.arange(length, dtype=np.float32)[:, None]
        timeline.add(block, start * 1_000_000, tolerance_ns=1)
        given_at.append(start)
        start += length + step
    assert timeline.count + timeline.left_out == sum(lengths)
    knots = timeline.knots()
    assert (np.diff(knots, axis=0) > 0).all()
    if all(step >= 0 for step in steps[: len(lengths) - 1]):
        stamps = np.interp(np.arange(timeline.count), knots[:, 0], knots[:, 1])
        expected = np.concatenate([at + np.arange(n) for at, n in zip(given_at, lengths, strict=True)]) * 1e6
        assert np.allclose(stamps, expected)


def test_values_that_are_no_numbers_are_counted_and_kept(tmp_path):
    values = np.zeros(2000, np.float32)
    values[5:8] = np.nan
    audio = read_audio((_encode(tmp_path / "a.wav", values, codec="pcm_f32le", form="flt"),))
    assert np.isnan(audio.samples.data[5:8]).all()
    assert audio.notes == ("a.wav: 3 sound values are not numbers and are kept as NaN.",)
