"""ManiWAV's blocks of sound, blocks a step made, and finger pictures."""

from fractions import Fraction

import attrs
import numpy as np
import pytest

from handloom.errors import StepError
from handloom.media import read_number
from handloom.streams import AUDIO, Samples, StreamType
from handloom_exporters.umi import UmiExporter
from handloom_exporters.umi.sound import sound_rows

FRAME_NS = 1001e9 / 60000


def ramp(seconds, *, start_ns=-100_000_000, rate_hz=48000, channels=1):
    """Return a sound whose samples are their own index, scaled; exact in float32 up to 2^24."""
    count = round(seconds * rate_hz)
    data = np.repeat(np.arange(count, dtype=np.float32)[:, None], channels, axis=1) / 2**24
    data += np.arange(channels, dtype=np.float32)
    knots = np.array([[0, start_ns], [count - 1, start_ns + round((count - 1) * 1e9 / rate_hz)]])
    return Samples(type=attrs.evolve(AUDIO, shape=(channels,), clock="camera"), data=data, knots=knots)


@pytest.fixture
def heard(takes):
    return attrs.evolve(takes.SMALL, microphones=1)


def test_blocks_end_with_the_last_sample_before_their_step(export, takes, heard):
    made = export(takes.episode(takes.film(), microphone0=ramp(2)), config=heard)
    blocks = made["mic_0"]
    assert blocks.shape == (takes.FRAMES, 800)
    assert blocks.dtype == np.float64
    assert made.root["data"]["mic_0"].chunks == (1, 800)
    last = blocks[:, -1] * 2**24
    instants = (takes.film().stamps + 100_000_000) * 48000e-9
    assert (last <= instants + 1e-3).all()
    assert (last > instants - 1 - 1e-3).all()
    assert (np.diff(blocks, axis=1) > 0).all()


def test_no_block_holds_what_comes_after_its_step(export, takes, heard):
    sound = ramp(2)
    late = sound.data.copy()
    late[round((takes.film().stamps[40] + 100_000_000) * 48000e-9) + 1 :] = -0.5
    plain = export(takes.episode(takes.film(), microphone0=sound), config=heard, name="plain.zarr.zip")["mic_0"]
    changed = export(takes.episode(takes.film(), microphone0=attrs.evolve(sound, data=late)), config=heard)[
        "mic_0"
    ]
    assert np.array_equal(plain[:41], changed[:41])
    assert not np.array_equal(plain[41], changed[41])


@pytest.mark.parametrize("block", ["ends", "starts"])
def test_blocks_do_not_slip_in_ten_minutes(takes, block):
    steps = np.rint(np.arange(600 * 60) * FRAME_NS).astype(np.int64)
    sound = ramp(602, rate_hz=16000)
    config = attrs.evolve(takes.SMALL, samples_per_block=0, block=block)
    rows = sound_rows("microphone0", "mic.audio", sound, knots=sound.knots, steps=steps, config=config)
    assert not rows.missing.any()
    edge = rows.first + (rows.length - 1 if block == "ends" else 0)
    assert np.abs(edge - (steps + 100_000_000) * 16000e-9).max() <= 1.0


def test_steps_without_their_sound_are_cut(export, takes, heard):
    sound = ramp(2, start_ns=100_000_000)
    made = export(takes.episode(takes.film(), microphone0=sound), config=heard)
    (cut,) = made.about["episodes"]["take"]["cuts"]
    assert cut["reason"] == "microphone0 has no sound"
    assert cut["first_step"] == 0
    assert cut["steps"] == pytest.approx((0.1 + 800 / 48000) / (FRAME_NS * 1e-9), abs=1)


def test_two_channels_become_two_arrays(export, takes):
    config = attrs.evolve(takes.SMALL, microphones=2, microphone_channels=(0, 1))
    stereo = ramp(2, channels=2)
    made = export(takes.episode(takes.film(), microphone0=stereo, microphone1=stereo), config=config)
    assert np.allclose(made["mic_1"] - made["mic_0"], 1.0)


def test_a_block_of_another_length_than_a_step_is_refused(takes, heard, tmp_path):
    inputs = takes.scene(takes.episode(takes.film(), microphone0=ramp(2, rate_hz=16000)))
    with pytest.raises(StepError, match=r"266\.9 samples a step, but samples_per_block is 800"):
        UmiExporter(heard).export(inputs, tmp_path / "set.zarr.zip", lambda share: None)


def test_blocks_of_a_step_are_kept_with_those_of_the_frame_before(export, takes, heard):
    stamps = takes.film().stamps
    data = np.arange(len(stamps) * 268, dtype=np.float32).reshape(-1, 268)
    type_ = StreamType(kind="vector", dtype="float32", shape=(268,), clock="camera")
    made = export(
        takes.episode(takes.film(), microphone0=Samples(type=type_, data=data, stamps=stamps)), config=heard
    )
    blocks = made["mic_0"]
    assert blocks.shape == (takes.FRAMES - 1, 536)
    assert blocks.dtype == np.float32
    assert np.array_equal(blocks[4], data[4:6].ravel())
    assert made.root["data"]["mic_0"].chunks == (1, 536)


def finger(takes, until=None):
    video = takes.film(rate=Fraction(10), frames=14, width=160, height=80)
    video = takes.on(video, "camera")
    rows = slice(until)
    return attrs.evolve(video, pts=video.pts[rows], stamps=video.stamps[rows], keyframes=video.keyframes[rows])


def test_finger_pictures_are_the_newest_at_native_size(export, takes):
    made = export(takes.episode(takes.film(), finger0=finger(takes)), config=attrs.evolve(takes.SMALL, fingers=1))
    pictures = made["finger_rgb"]
    assert pictures.shape == (takes.FRAMES, 80, 160, 3)
    shown = [read_number(picture) for picture in pictures]
    assert shown == (takes.film().stamps // 100_000_000).tolist()


def test_a_finger_picture_that_is_too_old_cuts(export, takes):
    config = attrs.evolve(takes.SMALL, fingers=1, max_staleness_s=0.15)
    made = export(takes.episode(takes.film(), finger0=finger(takes, until=8)), config=config)
    assert made.ends == [int((takes.film().stamps <= 850_000_000).sum())]
    assert made.about["episodes"]["take"]["cuts"][0]["reason"] == "finger0 has no new picture"


def test_a_finger_crop_is_those_pixels(export, takes):
    config = attrs.evolve(takes.SMALL, fingers=1, finger_crop_px=(20, 10, 100, 60))
    whole = export(
        takes.episode(takes.film(), finger0=finger(takes)),
        config=attrs.evolve(config, finger_crop_px=()),
        name="w.zip",
    )["finger_rgb"]
    part = export(takes.episode(takes.film(), finger0=finger(takes)), config=config)["finger_rgb"]
    assert part.shape[1:] == (60, 100, 3)
    assert np.abs(part.astype(int) - whole[:, 10:70, 20:120]).mean() < 1.5
