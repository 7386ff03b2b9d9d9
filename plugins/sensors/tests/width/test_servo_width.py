"""The opening by servo ticks: two end points, a wrap, a linkage, and nothing cut in silence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import StepError
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs, StepContract
from handloom_sensors.width import ServoWidth, ServoWidthConfig
from handloom_sensors.width.servo_width import angle_share

TICKS = StreamType(kind="scalar", dtype="float64", unit="tick", clock="pi")


def _inputs(ticks):
    stamps = np.arange(len(ticks), dtype=np.int64) * 10_000_000
    return MemoryInputs(wired={"ticks": Samples(type=TICKS, data=np.array(ticks, dtype=float), stamps=stamps)})


def _run(ticks, **settings):
    return ServoWidth(ServoWidthConfig(**settings)).run(_inputs(ticks), lambda share: None)


@settings(max_examples=60, deadline=None)
@given(closed=st.floats(0, 4095), span=st.floats(100, 3500), sign=st.sampled_from([-1, 1]), share=st.floats(0, 1))
def test_ticks_of_any_range_give_their_share_of_it(closed, span, sign, share):
    config = ServoWidthConfig(closed_ticks=closed, open_ticks=closed + sign * span)
    ticks = (closed + sign * span * share) % 4096
    assert angle_share(np.array([ticks]), config)[0] == pytest.approx(share, abs=1e-9)


def test_opening_and_width_are_on_the_servos_clock():
    outputs = _run([1000, 1500, 2000], closed_ticks=1000.0, open_ticks=2000.0, stroke_m=0.08)
    assert outputs.streams["opening"].data.tolist() == [0.0, 0.5, 1.0]
    assert outputs.streams["width"].data == pytest.approx([0.0, 0.04, 0.08])
    assert outputs.streams["opening"].type.clock == "pi"
    assert outputs.streams["opening"].stamps.tolist() == [0, 10_000_000, 20_000_000]
    assert outputs.notes == ()


def test_a_servo_that_wraps_while_it_opens_goes_on():
    outputs = _run([4000, 4095, 0, 200], closed_ticks=4000.0, open_ticks=4296.0)
    assert outputs.streams["opening"].data == pytest.approx([0.0, 95 / 296, 96 / 296, 1.0])


def test_readings_outside_are_gaps_and_told():
    outputs = _run([900, 995, 1500, 2300], closed_ticks=1000.0, open_ticks=2000.0)
    opening = outputs.streams["opening"].data
    assert np.isnan(opening).tolist() == [True, False, False, True]
    assert opening[1] == pytest.approx(-0.005)
    assert outputs.attributes["outside"] == 2
    assert "2 of 4 servo readings lie outside" in outputs.notes[0]


def test_clipping_is_asked_for_and_told():
    outputs = _run([900, 2300], closed_ticks=1000.0, open_ticks=2000.0, outside="clip")
    assert outputs.streams["opening"].data.tolist() == [0.0, 1.0]
    assert "set to the nearest end" in outputs.notes[0]


def test_a_linkage_bends_the_angle():
    outputs = _run(
        [1000, 1500, 2000], closed_ticks=1000.0, open_ticks=2000.0, linkage=((0.0, 0.0), (0.5, 0.3), (1.0, 1.0))
    )
    assert outputs.streams["opening"].data == pytest.approx([0.0, 0.3, 1.0])


def test_a_missing_reading_stays_missing():
    outputs = _run([1000, np.nan], closed_ticks=1000.0, open_ticks=2000.0)
    assert np.isnan(outputs.streams["opening"].data[1])
    assert outputs.attributes["missing"] == 1
    assert outputs.attributes["outside"] == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"closed_ticks": 5.0, "open_ticks": 5.0},
        {"closed_ticks": 0.0, "open_ticks": 4090.0},
        {"closed_ticks": 0.0, "open_ticks": 1000.0, "linkage": ((0.0, 0.0), (0.5, 0.6), (0.4, 0.8), (1.0, 1.0))},
        {"closed_ticks": 0.0, "open_ticks": 1000.0, "linkage": ((0.1, 0.0), (1.0, 1.0))},
    ],
)
def test_impossible_end_points_are_refused(settings):
    with pytest.raises(ValueError, match=r"closed_ticks|linkage"):
        ServoWidthConfig(**settings)


def test_no_reading_is_a_sentence():
    with pytest.raises(StepError, match="no reading"):
        _run([], closed_ticks=1000.0, open_ticks=2000.0)


class TestContract(StepContract):
    component = ServoWidth

    def config(self):
        return ServoWidthConfig(closed_ticks=1000.0, open_ticks=2000.0, stroke_m=0.08)

    def inputs(self, tmp_path):
        return _inputs([1000, 1500, 2500])
