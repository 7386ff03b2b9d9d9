"""A recorded hand stands in for a live one: nothing is known before its time, and a lost hand moves nothing."""

import json

import numpy as np
import pytest

from handloom.errors import ConfigError, HandloomError, RecordingError
from handloom_controllers.control import actions
from handloom_controllers.control.hand import Hand, HandFeed, read_hand
from handloom_controllers.control.path import PathPolicy, ToolPath
from handloom_controllers.control.pipeline import load_control
from handloom_controllers.control.settings import HandSettings
from handloom_controllers.control.telemetry import read_telemetry

TOOL = np.array([0.4, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0])
SECOND = 10**9
START = 7 * SECOND


def hand(rate_hz=50.0, lost=(9.0, 9.0), seconds=2.0, leap_m=0.0):
    """Return a hand that goes along x at 0.1 m/s, and is found again elsewhere."""
    times = np.arange(0, seconds + 1e-9, 1 / rate_hz)
    poses = np.tile([5.0, 5.0, 5.0, 0.0, 0.0, 0.0, 1.0], (len(times), 1))
    poses[:, 0] += 0.1 * times + leap_m * (times >= lost[1])
    poses[(times >= lost[0]) & (times < lost[1])] = np.nan
    return Hand(stamps=np.rint(times * SECOND).astype(np.int64), poses=poses)


def feed(recorded, **settings):
    made = HandFeed(recorded, HandSettings(file="hand.txt", **settings))
    path = made.path_from(TOOL)
    made.open(PathPolicy(path=ToolPath(stamps=path.stamps, poses=path.poses), horizon=2, period_ns=1))
    return made


def asked(made, seconds):
    made.ask(START + round(seconds * SECOND), START)
    return made.poll()


def test_the_tool_is_where_the_hand_was_a_delay_before():
    made = feed(hand(), delay_s=0.1)
    for tick in range(1, 90):
        chunk = asked(made, 0.02 * tick)
        wanted_s = (chunk.stamps - START) / SECOND - 0.1
        assert np.allclose(chunk.poses[:, 0] - TOOL[0], 0.1 * wanted_s, atol=1e-9)
        assert (chunk.stamps > START + 0.02 * tick * SECOND).all()
        assert wanted_s.max() <= 0.02 * tick + 1e-9, "it knows what the hand will do"


def test_a_fast_tracker_fills_no_chunk():
    made = feed(hand(rate_hz=1000.0), delay_s=0.5)
    for tick in range(1, 90):
        chunk = asked(made, 0.02 * tick)
        assert len(chunk.stamps) <= 16
        assert (chunk.stamps[-1] - START) / SECOND == pytest.approx(0.02 * tick + 0.5)


def test_a_lost_hand_holds_the_tool_and_is_coupled_anew_where_that_is():
    made = feed(hand(lost=(1.0, 1.5), leap_m=3.0), delay_s=0.1, lost_s=0.2)
    for tick in range(1, 100):
        chunk = asked(made, 0.02 * tick)
        if chunk is not None:
            made.tool = chunk.poses[-1]
        if 1.1 < 0.02 * tick < 1.5:
            assert np.allclose(chunk.poses[:, 0] - TOOL[0], 0.098)
    assert chunk.poses[-1, 0] - TOOL[0] == pytest.approx(0.098 + 0.1 * 0.48, abs=1e-6)


def test_a_hand_that_is_lost_at_first_leaves_the_tool_where_it_is():
    made = feed(hand(lost=(0.0, 1.0)))
    assert np.allclose(asked(made, 0.5).poses, TOOL)


def test_after_the_end_nothing_comes():
    made = feed(hand(), delay_s=0.1)
    assert asked(made, 2.09) is not None
    assert asked(made, 2.1) is None


def test_the_way_is_that_of_a_tool_that_follows_at_once():
    path = feed(hand(lost=(1.0, 1.5), leap_m=3.0), delay_s=0.1).path_from(TOOL)
    assert path.duration_ns == round(2.1 * SECOND)
    assert np.isfinite(path.poses).all()
    assert np.abs(np.diff(path.poses[:, 0])).max() < 0.003
    assert path.poses[-1, 0] - TOOL[0] == pytest.approx(0.098 + 0.05)


def test_a_marker_on_the_hand_is_brought_to_the_hand(tmp_path):
    (tmp_path / "hand.txt").write_text("0 1 2 3 0 0 0 1\n0.1 0 0 0 0 0 0 0\n0.2 1 2 3 0 0 0 1\n")
    found = read_hand(HandSettings(file=tmp_path / "hand.txt", T_marker_hand=[0, 0, 0.5, 0, 0, 0, 1], speed=2))
    assert np.allclose(found.poses[[0, 2], :3], [1, 2, 3.5])
    assert np.isnan(found.poses[1]).all()
    assert found.stamps.tolist() == [0, 50_000_000, 100_000_000]


def test_a_hand_that_is_never_seen_moves_nothing(tmp_path):
    (tmp_path / "hand.txt").write_text("0 0 0 0 0 0 0 0\n0.1 0 0 0 0 0 0 0\n")
    with pytest.raises(RecordingError, match="lost in all of 2 rows"):
        read_hand(HandSettings(file=tmp_path / "hand.txt"))


def test_a_feed_that_was_not_opened_says_so():
    with pytest.raises(HandloomError, match="call open first"):
        HandFeed(hand(), HandSettings(file="hand.txt")).ask(0, 0)


@pytest.fixture
def teleoperation(pipeline):
    """Return a pipeline with a hand in the place of the path: 2 s, lost for half of one, and moved meanwhile."""
    made = hand(lost=(1.0, 1.5), leap_m=0.5)
    rows = [
        " ".join(map(str, [stamp / SECOND, *([0.0] * 7 if np.isnan(row).any() else row)]))
        for stamp, row in zip(made.stamps.tolist(), made.poses, strict=True)
    ]
    (pipeline.parent / "hand.txt").write_text("\n".join(rows) + "\n")
    text = pipeline.read_text().replace("[control.reference]", "[control.hand]").replace("path.txt", "hand.txt")
    pipeline.write_text(text.replace("lead_in_s = 0.2\n", "").replace('"out"', '"out"\nchunk_rate_hz = 50.0'))
    return pipeline


def test_an_arm_follows_the_hand(teleoperation, parts, monkeypatch, capsys):
    monkeypatch.setattr(actions, "Host", parts.fake_host)
    quiet = ["--set", "control.plots=false", "--set", "control.mcap=false"]
    assert actions.control(["run", str(teleoperation), "--json", *quiet]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["stop"] == "asked"
    assert made["path"]["max_mm"] < 5.0
    records = read_telemetry(teleoperation.parent / "out/telemetry.npy")
    way = records["T_base_tcp"][-1, :3] - records["T_base_tcp"][0, :3]
    assert np.linalg.norm(way) == pytest.approx(0.148, abs=2e-3)


def test_check_names_the_hand(teleoperation, parts, monkeypatch, capsys):
    monkeypatch.setattr(actions, "Host", parts.fake_host)
    assert actions.control(["check", str(teleoperation)]) == 0
    assert "after the hand in hand.txt for 2.0 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("override", "found"),
    [
        ("control.reference.file='path.txt'", "expected one of both"),
        ("control.hand.delay_s=0.03", "the hand is looked at every 0.02 s"),
        ("control.hand.T_marker_hand=[0, 0, 0, 0, 0, 0, 2]", "T_marker_hand"),
    ],
)
def test_a_hand_that_can_not_be_followed_is_refused(teleoperation, parts, override, found):
    with pytest.raises(ConfigError, match=found):
        load_control(teleoperation, parts.fake_host(), [override])
