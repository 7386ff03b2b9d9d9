"""The width by the range of the scene: the closed end taken off, the opening beside it, nothing cut in silence."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.errors import StepError
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs, StepContract
from handloom_sensors.width import CalibratedWidth, CalibratedWidthConfig

SEPARATION = StreamType(kind="scalar", dtype="float64", unit="m", clock="camera")
END = StreamType(kind="scalar", dtype="float64", unit="m", clock="range/range")


def _end(*values):
    return Samples(type=END, data=np.array(values, dtype=float), stamps=np.arange(len(values), dtype=np.int64))


def _inputs(separations, closed=(0.045,), open_=(0.105,)):
    stamps = np.arange(len(separations), dtype=np.int64) * 16_683_333
    separation = Samples(type=SEPARATION, data=np.array(separations, dtype=float), stamps=stamps)
    return MemoryInputs(wired={"separation": separation, "closed": _end(*closed), "open": _end(*open_)})


def _run(separations, *, closed=(0.045,), open_=(0.105,), **settings):
    made = CalibratedWidth(CalibratedWidthConfig(**settings))
    return made.run(_inputs(separations, closed, open_), lambda share: None)


def test_the_closed_end_is_width_0_and_the_open_end_opening_1():
    outputs = _run([0.045, 0.075, 0.105])
    assert outputs.streams["width"].data == pytest.approx([0.0, 0.03, 0.06])
    assert outputs.streams["opening"].data == pytest.approx([0.0, 0.5, 1.0])
    assert outputs.streams["width"].type.clock == outputs.streams["opening"].type.clock == "camera"
    assert (outputs.attributes["closed_separation_m"], outputs.attributes["open_separation_m"]) == (0.045, 0.105)
    assert outputs.notes == ()


def test_short_gaps_are_bridged_and_long_ones_and_ends_are_not():
    lost = [np.nan] * 9
    width = _run([np.nan, 0.05, np.nan, 0.052, *lost, 0.06]).streams["width"].data
    assert width[2] == pytest.approx(0.006)
    assert np.isnan(width[[0, *range(4, 13)]]).all()


def test_widths_beyond_the_ends_are_counted_and_not_cut():
    outputs = _run([0.043, 0.0445, 0.05, 0.107])
    assert outputs.streams["width"].data[[0, -1]] == pytest.approx([-0.002, 0.062])
    assert [note.split(" end ")[0] for note in outputs.notes] == [
        "1 widths are beyond the open",
        "1 widths are below the closed",
    ]


@pytest.mark.parametrize(
    ("closed", "open_", "words"),
    [
        ((0.105,), (0.045,), "expected the open one to be wider"),
        ((0.045, 0.046), (0.105,), "'closed' holds 2 numbers"),
        ((0.045,), (np.nan,), "'open' holds 1 numbers; expected one finite"),
    ],
)
def test_what_is_no_range_is_a_sentence(closed, open_, words):
    with pytest.raises(StepError, match=words):
        _run([0.05], closed=closed, open_=open_)


class TestContract(StepContract):
    component = CalibratedWidth

    def config(self):
        return CalibratedWidthConfig()

    def inputs(self, tmp_path):
        return _inputs(np.linspace(0.045, 0.105, 50))
