"""The ends of a jaw's range: where it was held, whatever one wrong sighting says."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.errors import StepError
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs, StepContract
from handloom_sensors.width import GripperRange, GripperRangeConfig
from handloom_sensors.width.ends import closed_and_open

CLOSED_M, OPEN_M = 0.04456, 0.13233
TYPE = StreamType(kind="scalar", dtype="float64", unit="m", clock="camera")


def _session(seed=0):
    """Return separations of a jaw that is closed and opened five times and held at both ends."""
    random = np.random.default_rng(seed)
    ramp = np.linspace(CLOSED_M, OPEN_M, 40)
    once = np.concatenate([np.full(25, CLOSED_M), ramp, np.full(25, OPEN_M), ramp[::-1]])
    return np.tile(once, 5) + random.normal(0.0, 0.05e-3, 5 * len(once))


def _inputs(**episodes):
    parts = {
        name: MemoryInputs(
            wired={
                "separation": Samples(
                    type=TYPE, data=data, stamps=np.arange(len(data), dtype=np.int64) * 16_683_333
                )
            },
            episode=name,
        )
        for name, data in episodes.items()
    }
    first = next(iter(parts.values()))
    return MemoryInputs(wired=dict(first.wired), parts=parts, episode="")


def _run(inputs, **settings):
    return GripperRange(GripperRangeConfig(**settings)).run(inputs, lambda share: None)


def test_ends_are_where_the_jaw_was_held():
    outputs = _run(_inputs(calibration=_session()))
    assert outputs.streams["closed"].data == pytest.approx(CLOSED_M, abs=0.03e-3)
    assert outputs.streams["open"].data == pytest.approx(OPEN_M, abs=0.03e-3)
    assert outputs.attributes["stroke_m"] == pytest.approx(OPEN_M - CLOSED_M, abs=0.05e-3)
    assert outputs.attributes["closed"]["held"]
    assert outputs.notes == ()


def test_one_wrong_sighting_moves_no_end_and_is_told():
    wrong = np.concatenate([_session(), [0.020, 0.190]])
    outputs = _run(_inputs(calibration=wrong))
    assert outputs.attributes["closed_separation_m"] == pytest.approx(CLOSED_M, abs=0.03e-3)
    assert outputs.attributes["open_separation_m"] == pytest.approx(OPEN_M, abs=0.03e-3)
    closed, widest = outputs.notes
    assert "1 separations lie beyond the closed end" in closed
    assert "down to 20.00 mm" in closed
    assert "up to 190.00 mm" in widest


def test_a_jaw_that_was_never_closed_is_told():
    moving = np.linspace(0.060, OPEN_M, 400)
    outputs = _run(_inputs(calibration=moving))
    assert not outputs.attributes["closed"]["held"]
    assert "never held closed" in outputs.notes[0]
    assert "never held open" in outputs.notes[1]


def test_gaps_and_episodes_without_tags_are_left_out_and_told():
    lost = np.full(100, np.nan)
    outputs = _run(_inputs(calibration=np.concatenate([_session(), lost]), blind=lost))
    assert outputs.attributes["closed_separation_m"] == pytest.approx(CLOSED_M, abs=0.03e-3)
    assert "Episode blind tells nothing" in outputs.notes[0]


def test_only_the_named_episodes_count():
    outputs = _run(_inputs(calibration=_session(), pick=np.full(3000, 0.1)), episodes=("calib*",))
    assert outputs.attributes["episodes"] == ["calibration"]
    assert outputs.attributes["samples"] == len(_session())


@pytest.mark.parametrize(
    ("data", "words"), [(np.full(10, 0.05), "10 separations"), (np.full(400, 0.05), "moved by 0.0 mm only")]
)
def test_too_little_to_tell_is_refused(data, words):
    with pytest.raises(StepError, match=words):
        _run(_inputs(calibration=data))


def test_ends_of_mirrored_separations_are_mirrored():
    values = _session()
    closed, widest = closed_and_open(values)
    other_closed, other_widest = closed_and_open(0.2 - values)
    assert other_closed.separation_m == pytest.approx(0.2 - widest.separation_m, abs=1e-9)
    assert other_widest.separation_m == pytest.approx(0.2 - closed.separation_m, abs=1e-9)
    assert attrs.evolve(widest, separation_m=0, percentile_m=0, extreme_m=0).held


class TestContract(StepContract):
    component = GripperRange

    def inputs(self, tmp_path):
        return _inputs(calibration=_session())
