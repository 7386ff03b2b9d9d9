"""An arm under a policy whose chunks come late, twice, stale or not at all: no reflex, and no limit is crossed."""

import numpy as np
import pytest

from benchmarks.rollout import rollout
from benchmarks.rollout_checks import Watch
from benchmarks.rollout_chunks import MOST_LOST, Unreliable, Wandering
from handloom_controllers.arms import fr3
from handloom_controllers.native import new

START = np.array([0.4, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0])


def test_a_minute_of_rollout_stops_nowhere_and_crosses_no_limit(native_library):
    made = rollout(1.0, seed=3)
    assert made.status.phase in ("following", "holding")
    assert made.minutes == pytest.approx(1.0, abs=0.01)
    assert made.status.reflexes == ()
    assert made.watch.found.total() == 0, made.watch.found
    assert made.rms_mm < 10.0
    assert made.growth_mib < 4.0
    assert min(made.sent.values()) > 10
    # Doubled and stale chunks answer an old observation, and some late ones come after a newer one was taken.
    assert made.status.chunks_refused >= made.sent["doubled"] + made.sent["stale"] - 2
    assert made.status.chunks_taken > 0.9 * made.sent["in time"]


@pytest.fixture
def records():
    records = new("hl_telemetry", 10)
    records["stamp_ns"] = np.arange(10) * 1_000_000
    records["reference"] = START
    records["q"][:, :7] = fr3().home
    return records


@pytest.mark.parametrize(
    ("field", "index", "value", "kind"),
    [
        ("q", 0, 4.0, "position"),
        ("dq", 6, -9.0, "velocity"),
        ("dq", 6, np.nan, "velocity"),
        ("tau_command", 1, 0.5 + 1e-6, None),
        ("tau_command", 1, 1.1, "torque rate"),
        ("reference", 0, 0.4012, "reference speed"),
    ],
)
def test_a_single_bad_cycle_is_found_also_where_two_blocks_meet(records, field, index, value, kind):
    watch = Watch(fr3().limits, torque_step_nm=1.0, speeds=(1.0, 3.0))
    records[field][5, index] = value
    watch.look(records[:5])
    watch.look(records[5:])
    assert {name for name, count in watch.found.items() if count} == ({kind} if kind else set())


def test_the_line_is_as_bad_as_it_says_and_the_same_for_the_same_seed():
    lines = [Unreliable(Wandering(START, 1), 10**9, 2) for _ in range(2)]
    arrived = [
        [chunk.observed for now in range(10**9, 61 * 10**9, 10**7) for chunk in line.arrived(now)]
        for line in lines
    ]
    assert arrived[0] == arrived[1]
    assert len(arrived[0]) > len(set(arrived[0]))
    assert arrived[0] != sorted(arrived[0])
    known = sorted(set(arrived[0]))
    assert max(np.diff(known)) <= (MOST_LOST + 1) * 100_000_000
    assert 400 < len(known) < 600


def test_a_wandering_tool_begins_at_rest_and_stays_where_an_arm_can_reach():
    way = Wandering(START, 5).at(np.arange(0, 120, 0.01))
    assert np.allclose(way[0], START)
    speed = np.linalg.norm(np.diff(way[:, :3], axis=0), axis=1) / 0.01
    assert speed[0] < 0.01
    assert 0.05 < speed.max() < 0.3
    assert np.abs(way[:, :3] - START[:3]).max() < 0.1
