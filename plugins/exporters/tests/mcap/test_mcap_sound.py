"""Sound reads back within one step of 16 bits, block after block, and no block hides a gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import StepError
from handloom.streams import Samples, StreamType, stamps_at
from handloom.time import ClockMaps
from handloom_exporters.mcap.axis import TimeAxis
from handloom_exporters.mcap.notes import stream_notes
from handloom_exporters.mcap.sound import audio_topic, block_starts

AXIS = TimeAxis(clock="camera", maps=ClockMaps())
PERIOD_NS = 62_500


def sound(data, knots, **attributes):
    type_ = StreamType(kind="audio", dtype=str(data.dtype), shape=data.shape[1:], clock="camera")
    return Samples(type=type_, data=data, knots=np.array(knots, dtype=np.int64), attributes=attributes)


def regular(data):
    return sound(data, [[0, 1000], [len(data), 1000 + len(data) * PERIOD_NS]])


@pytest.fixture
def blocks_of(decode_payloads):
    def blocks(samples):
        return decode_payloads(audio_topic("finger.sound", samples, AXIS))

    return blocks


@pytest.mark.parametrize("channels", [1, 2])
def test_float_samples_come_back_within_one_step(blocks_of, channels):
    data = np.random.default_rng(0).uniform(-1, 1, (5000, channels)).astype(np.float32)
    got = np.concatenate([np.frombuffer(block.data, "<i2") for _, block in blocks_of(regular(data))])
    assert np.abs(got.reshape(-1, channels) / 32767 - data).max() <= 1 / 32767


def test_16_bit_samples_come_back_exactly(blocks_of):
    data = np.random.default_rng(0).integers(-32768, 32768, (5000, 1)).astype(np.int16)
    got = np.concatenate([np.frombuffer(block.data, "<i2") for _, block in blocks_of(regular(data))])
    assert (got[:, None] == data).all()


def test_each_block_is_stamped_by_its_first_sample(blocks_of):
    samples = regular(np.zeros((5000, 1), np.float32))
    first = 0
    for log_time, block in blocks_of(samples):
        assert log_time == stamps_at(samples.knots, first)
        assert (block.sample_rate, block.number_of_channels, block.format) == (16000, 1, "pcm-s16")
        first += len(block.data) // 2
    assert first == 5000


def test_a_block_ends_where_the_sound_has_a_gap(blocks_of):
    data = np.arange(3000, dtype=np.int16)[:, None]
    end = 999 * PERIOD_NS
    samples = sound(data, [[0, 0], [999, end], [1000, end + 10**9], [3000, end + 10**9 + 2000 * PERIOD_NS]])
    by_first = {int(np.frombuffer(block.data, "<i2")[0]): log_time for log_time, block in blocks_of(samples)}
    assert by_first[1000] == end + 10**9
    assert {block.sample_rate for _, block in blocks_of(samples)} == {16000}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 5000), min_size=1, max_size=5), st.floats(-200, 200))
def test_drift_between_knots_does_not_break_blocks(lengths, drift_ppm):
    indices = np.cumsum([0, *lengths])
    stamps = np.rint(indices * PERIOD_NS * (1 + drift_ppm * 1e-6))
    knots = np.column_stack([indices, stamps]).astype(np.int64)
    assert block_starts(knots, int(indices[-1]), PERIOD_NS) == list(range(0, int(indices[-1]), 640))


def test_samples_past_full_scale_are_clipped_and_counted(blocks_of):
    samples = regular(np.array([[0.5], [1.5], [-2.0], [1.0]], np.float32))
    [(_, block)] = blocks_of(samples)
    assert np.frombuffer(block.data, "<i2").tolist() == [16384, 32767, -32767, 32767]
    assert any("2 of 4" in note for note in stream_notes("finger.sound", samples))


def test_other_sample_types_are_refused():
    with pytest.raises(StepError, match="int32"):
        audio_topic("finger.sound", regular(np.zeros((4, 1), np.int32)), AXIS)
