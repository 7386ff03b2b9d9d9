"""Clock maps that steps find reach whoever needs them, and sessions and scenes are read as they are."""

import shutil

import pytest

from handloom.errors import ConfigError
from handloom.plan import demand_episodes, kept_episodes
from handloom.store import Scene, StepKey

MAPS = """
[episodes.one]
ramp = "one.txt"
[episodes.two]
ramp = "two.txt"
[sensors.ramp]
kind = "ramp"
[steps.late]
kind = "on_wall"
inputs.level = "ramp.level"
[steps.beat]
kind = "metronome"
offset_ns = 1000
inputs.level = "ramp.level"
"""
OTHER = "[steps.other]\nkind = 'metronome'\noffset_ns = 5000\ninputs.level = 'ramp.level'\n"


@pytest.fixture
def two(lab):
    lab.ramp("one.txt", rows=5)
    lab.ramp("two.txt", rows=7)
    return lab


def level(lab, step, episode, kind_of="step"):
    with Scene.open(lab.scene) as scene:
        return scene.stream(StepKey(step, episode, kind_of), "level").data.tolist()


def reasons(report):
    return [outcome.reason for outcome in report.outcomes if outcome.ending in ("failed", "skipped")]


def test_each_episode_is_mapped_by_its_own_map_without_a_word_of_wiring(two):
    assert two.run(MAPS).ok
    assert level(two, "late", "one") == [1005]
    assert level(two, "late", "two") == [1007]


def test_a_map_that_changes_makes_what_used_it_stale(two):
    two.run(MAPS)
    assert two.run(MAPS.replace("1000", "2000")).ok
    assert level(two, "late", "one") == [2005]


def test_an_exporter_is_told_before_the_run_of_maps_that_will_be_found(two):
    dated = MAPS + "[exporters.dated]\nkind = 'dated'\ninputs.streams = ['ramp.level'{}]\n"
    two.plan(dated.format(", 'beat.map'"))
    with pytest.raises(ConfigError, match="nothing maps clock 'ramp' to 'wall'"):
        two.plan(dated.format(""))


def test_two_unlisted_maps_of_one_pair_are_refused_by_name(two):
    report = two.run(MAPS + OTHER)
    assert len(reasons(report)) == 2
    assert "'ramp' and 'wall'" in reasons(report)[0]


def test_of_listed_maps_the_first_counts(two):
    text = MAPS.replace("[steps.beat]", "inputs.clock_maps = ['other.map', 'beat.map']\n[steps.beat]")
    assert two.run(text + OTHER).ok
    assert level(two, "late", "one") == [5005]


def test_a_step_without_the_map_it_needs_says_which_clocks_are_not_joined(two):
    report = two.run(MAPS[: MAPS.index("[steps.beat]")])
    assert all("No clock map joins 'ramp' and 'wall'" in reason for reason in reasons(report))
    assert len(reasons(report)) == 2


def test_a_map_never_feeds_what_it_is_made_from(two):
    plan = two.plan(
        MAPS.replace('inputs.level = "ramp.level"\n[steps.beat]', 'inputs.level = "beat2.level"\n[steps.beat]')
        + "[steps.beat2]\nkind = 'double'\ninputs.level = 'ramp.level'\n"
        "[steps.after]\nkind = 'metronome'\ninputs.level = 'late.level'\n"
    )
    assert plan.nodes["late"].feeders == ("beat", "beat2")


def test_one_file_of_all_episodes_reads_each_alone_and_outlives_a_bad_one(two):
    (two.folder / "two.txt").write_text("no number")
    report = two.run(MAPS + "[exporters.book]\nkind = 'book'\ninputs.level = 'ramp.level'\n")
    lines = (two.folder / "exports" / "scene.book").read_text().splitlines()
    assert lines[0] == "one 5 ['ramp.level']"
    assert lines[1] == "two: this episode has nothing from 'ramp', which 'level' needs."
    assert not report.ok


SESSIONS = """
[sensors.sheaf]
kind = "sheaf"
[episodes."*"]
sheaf = "take [1]/session_*"
"""


@pytest.fixture
def sessions(lab):
    for number in (1, 2):
        folder = lab.folder / "take [1]" / f"session_{number} é"
        folder.mkdir(parents=True)
        for part in range(number):
            (folder / f"{part}.txt").write_text(f"{number}{part}")
    return lab


def test_a_pattern_makes_an_episode_of_each_session_folder(sessions):
    assert sessions.run(SESSIONS).ok
    assert level(sessions, "sheaf", "session_1 é", "sensor") == [10]
    assert level(sessions, "sheaf", "session_2 é", "sensor") == [20, 21]
    assert not list(sessions.scene.glob(".staging*"))


def test_a_session_is_stale_when_a_file_of_it_changes(sessions):
    sessions.run(SESSIONS)
    assert sessions.run(SESSIONS).counts == {"fresh": 2}
    (sessions.folder / "take [1]" / "session_1 é" / "0.txt").write_text("77")
    assert sessions.run(SESSIONS).counts == {"fresh": 1, "committed": 1}
    assert level(sessions, "sheaf", "session_1 é", "sensor") == [77]


def test_what_an_episode_says_by_name_counts_before_the_pattern(sessions):
    sessions.ramp("one.txt")
    text = (
        SESSIONS + 'ramp = "one.txt"\n[sensors.ramp]\nkind = "ramp"\n[episodes."session_2 é"]\nramp = "two.txt"\n'
    )
    plan = sessions.plan(text)
    files = {episode: [path.name for path in devices["ramp"]] for episode, devices in plan.episodes.items()}
    assert files == {"session_1 é": ["one.txt"], "session_2 é": ["two.txt"]}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('sheaf = "nowhere/session_*"', "'nowhere/session_*' fits nothing"),
        ('sheaf = "take"', "holds no pattern"),
        ('sheaf = "*/*"', "both of episode"),
        ('sheaf = "**"', "one part of a path"),
        ('sheaf = "take**/x"', "one part of a path"),
    ],
)
def test_patterns_that_say_nothing_are_refused(sessions, line, sentence):
    other = sessions.folder / "other" / "session_1 é"
    other.mkdir(parents=True)
    text = SESSIONS[: SESSIONS.index("sheaf = ")] + line
    with pytest.raises(ConfigError, match="episodes") as caught:
        sessions.plan(text)
    assert sentence in str(caught.value)


def test_an_episode_whose_session_is_gone_stays_in_what_is_made_of_all(sessions):
    text = SESSIONS + "[exporters.book]\nkind = 'book'\n"
    sessions.run(text)
    before = (sessions.folder / "exports" / "scene.book").read_bytes()
    for session in (sessions.folder / "take [1]").iterdir():
        shutil.rmtree(session)
        (sessions.folder / "exports" / "scene.book").unlink()
        assert sessions.run(text).ok
        assert (sessions.folder / "exports" / "scene.book").read_bytes() == before
    lines = kept_episodes(sessions.plan(text))
    assert lines[0] == 'episodes."session_1 é".sheaf: no recording fits; what the scene keeps of it is used'
    assert len(lines) == 2
    demand_episodes(sessions.plan(text))
