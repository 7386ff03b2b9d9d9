"""Running: what is made, what is left alone, what failure costs."""

import errno
import json
import os
import time

import pytest

from handloom.plan import status
from handloom.run.exports import partial_path
from handloom.run.local import LocalExecutor
from handloom.store import Disk, Scene, StepKey

PIPELINE = """
[episodes.one]
ramp = "one.txt"
[episodes.two]
ramp = "two.txt"
[sensors.ramp]
kind = "ramp"
[steps.twice]
kind = "double"
inputs.level = "ramp.level"
[steps.four]
kind = "double"
inputs.level = "twice.level"
[exporters.text]
kind = "lines"
"""


def hostile(how, more=""):
    return PIPELINE + f"[steps.bad]\nkind = 'hostile'\nhow = '{how}'\ninputs.level = 'ramp.level'\n{more}\n"


@pytest.fixture
def two(lab):
    lab.ramp("one.txt", rows=5)
    lab.ramp("two.txt", rows=7, columns=3)
    return lab


def endings(report):
    return {(outcome.node, outcome.episode): outcome.ending for outcome in report.outcomes}


def made(report):
    return sorted(key for key, ending in endings(report).items() if ending == "committed")


def failed(report):
    return [outcome for outcome in report.outcomes if outcome.ending == "failed"]


def stream(lab, step, episode, name, kind_of="step"):
    with Scene.open(lab.scene) as scene:
        return scene.stream(StepKey(step, episode, kind_of), name)


def states(lab, text, overrides=()):
    plan = lab.plan(text, overrides)
    with Scene.open(lab.scene) as scene:
        return {(state.node, state.episode): state for state in status(plan, scene.ledger())}


def test_a_pipeline_runs_from_files_to_exports(two):
    report = two.run(PIPELINE)
    assert report.ok
    assert report.counts == {"committed": 8}
    assert stream(two, "four", "two", "level").data.tolist() == [0, 4, 8, 12, 16, 20, 24]
    assert (two.folder / "exports" / "one.txt").read_text().splitlines() == [
        "",
        "four.level 5 ramp",
        "ramp.level 5 ramp",
        "twice.level 5 ramp",
    ]


def test_streams_that_a_sensor_did_not_declare_are_kept_and_exported(two):
    two.run(PIPELINE)
    assert "ramp.undeclared 7 ramp" in (two.folder / "exports" / "two.txt").read_text()


def test_a_second_run_does_nothing(two):
    two.run(PIPELINE)
    assert two.run(PIPELINE).counts == {"fresh": 8}


def test_changing_one_setting_makes_only_the_steps_behind_it_stale(two):
    two.run(PIPELINE)
    found = states(two, PIPELINE, ["steps.twice.factor=3"])
    assert {node for (node, _), state in found.items() if state.condition == "stale"} == {"four", "text", "twice"}
    assert found["twice", "one"].reasons == ("factor was 2.0, is 3.0",)
    assert found["ramp", "one"].condition == "fresh"
    report = two.run(PIPELINE, ["steps.twice.factor=3"])
    assert {node for node, _ in made(report)} == {"four", "text", "twice"}
    assert stream(two, "four", "one", "level").data.tolist() == [0, 6, 12, 18, 24]


def test_the_same_result_made_again_leaves_what_is_behind_it_fresh(two):
    two.run(PIPELINE)
    assert {node for node, _ in made(two.run(PIPELINE, force=["twice"]))} == {"twice"}


def test_a_changed_recording_is_read_again_and_a_touched_one_is_not(two):
    two.run(PIPELINE)
    path = two.folder / "one.txt"
    path.write_text(path.read_text())
    assert made(two.run(PIPELINE)) == []
    two.ramp("one.txt", rows=6)
    assert {episode for _, episode in made(two.run(PIPELINE))} == {"one"}


def test_an_export_that_was_deleted_is_written_again(two):
    two.run(PIPELINE)
    (two.folder / "exports" / "one.txt").unlink()
    assert made(two.run(PIPELINE)) == [("text", "one")]


def test_a_changed_rig_makes_only_those_stale_that_looked_at_it(two):
    two.run(PIPELINE)
    tool = "rig.frames.tool={parent='ramp', translation_m=[0, 0, 1], rotation_xyzw=[0, 0, 0, 1]}"
    assert {node for node, _ in made(two.run(PIPELINE, [tool]))} == {"text"}


def test_one_unreadable_recording_costs_nobody_else(two):
    (two.folder / "one.txt").write_text("not a number")
    report = two.run(PIPELINE)
    assert not report.ok
    found = endings(report)
    assert found["ramp", "one"] == "failed"
    assert found["twice", "one"] == found["four", "one"] == "skipped"
    assert found["four", "two"] == found["text", "two"] == "committed"
    assert failed(report)[0].reason.startswith("one.txt can't be read as numbers")


def test_a_failure_is_kept_with_its_reason_and_tried_again(two):
    (two.folder / "one.txt").write_text("not a number")
    two.run(PIPELINE)
    state = states(two, PIPELINE)["ramp", "one"]
    assert state.condition == "failed"
    assert "can't be read as numbers" in state.reasons[0]
    two.ramp("one.txt")
    assert two.run(PIPELINE).ok


def test_a_failure_leaves_the_older_good_result_readable(two):
    two.run(PIPELINE)
    (two.folder / "one.txt").write_text("not a number")
    two.run(PIPELINE)
    assert stream(two, "ramp", "one", "level", "sensor").data.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("raise", "ZeroDivisionError: one by zero"),
        ("refuse", "the level never moves; record it again."),
        ("undeclared", "wrote a stream 'secret' that it does not declare"),
    ],
)
def test_a_step_that_misbehaves_fails_alone(two, how, reason):
    report = two.run(hostile(how))
    assert {outcome.node for outcome in failed(report)} == {"bad"}
    assert all(reason in outcome.reason for outcome in failed(report))
    assert endings(report)["text", "one"] == "committed"


def test_a_failed_step_says_what_has_changed_since(two):
    text = hostile("refuse")
    two.run(text)
    state = states(two, text)["bad", "one"]
    assert state.reasons == ("the level never moves; record it again.",)
    changed = [*_TOOL, "steps.bad.how='fine'"]
    (told,) = states(two, text, changed)["bad", "one"].reasons
    assert told == (
        "failed before (the level never moves; record it again.); will run again because "
        "how was 'refuse', is 'fine', the rig changed"
    )


_TOOL = ["rig.frames.tool={parent='ramp', translation_m=[0, 0, 1], rotation_xyzw=[0, 0, 0, 1]}"]


def test_a_recording_without_an_optional_stream_fails_only_who_needs_it(two):
    report = two.run(PIPELINE + "[steps.from_other]\nkind = 'double'\ninputs.level = 'ramp.other'\n")
    found = endings(report)
    assert found["from_other", "one"] == "failed"
    (reason,) = (outcome.reason for outcome in report.outcomes if outcome.ending == "failed")
    assert reason == "this recording has no 'ramp.other', which 'level' needs; the notes of 'ramp' say more."
    assert found["from_other", "two"] == "committed"


def test_an_episode_without_a_device_is_no_failure(two):
    report = two.run(PIPELINE + "[sensors.second]\nkind = 'ramp'\n")
    assert report.ok
    assert endings(report)["second", "one"] == "absent"


def test_a_scene_step_sees_every_episode(two):
    report = two.run(PIPELINE + "[steps.longest]\nkind = 'longest'\n")
    assert report.ok
    assert stream(two, "longest", "", "length").data.tolist() == [7]


def test_the_executors_give_the_same_bytes(two):
    two.run(PIPELINE)
    with Scene.open(two.scene) as scene:
        serial = {key.path: entry.digest for key, entry in scene.ledger().items()}
    two.scene.rename(two.folder / "other")
    two.run(PIPELINE, executor=LocalExecutor)
    with Scene.open(two.scene) as scene:
        assert {key.path: entry.digest for key, entry in scene.ledger().items()} == serial


def test_a_killed_worker_costs_one_try(two):
    (two.folder / "deaths").write_text("x")
    report = two.run(hostile("die", "deaths = 'deaths'"), ["run.workers=1"], executor=LocalExecutor)
    assert report.ok
    assert report.counts == {"committed": 10}


def test_a_worker_that_is_killed_every_time_fails_alone(two):
    (two.folder / "deaths").write_text("x" * 50)
    report = two.run(hostile("die", "deaths = 'deaths'"), ["run.workers=2"], executor=LocalExecutor)
    assert {outcome.node for outcome in failed(report)} == {"bad"}
    assert "was killed by SIGKILL" in failed(report)[0].reason
    assert "2 times in a row" in failed(report)[0].reason
    assert report.counts["committed"] == 8


def test_what_a_plugin_prints_does_not_disturb_the_worker(two):
    assert two.run(hostile("print"), executor=LocalExecutor).ok


def test_the_report_is_plain_json(two):
    values = json.loads(json.dumps(two.run(PIPELINE).to_json()))
    assert values["counts"] == {"committed": 8}
    assert values["ok"] is True


def test_a_store_holds_no_path_of_this_machine(two):
    two.run(PIPELINE)
    texts = [path.read_text() for path in two.scene.rglob("*.json")]
    assert texts
    assert not [text for text in texts if str(two.folder) in text]


def test_interrupted_exports_are_swept(two):
    (two.folder / "exports").mkdir()
    leftover = partial_path(two.folder / "exports" / "one.txt", "text", two.scene, "abcd")
    leftover.write_text("half")
    report = two.run(PIPELINE)
    assert not leftover.exists()
    assert any("interrupted" in text for text in report.repairs)


def test_nothing_is_made_of_the_older_results_of_a_step_that_failed(two):
    two.run(PIPELINE)
    (two.folder / "one.txt").write_text("not a number")
    report = two.run(PIPELINE)
    assert endings(report)["text", "one"] == "skipped"
    assert endings(report)["text", "two"] == "fresh"


def test_an_export_leaves_out_what_failed(two):
    two.run(hostile("print"))
    report = two.run(hostile("raise"))
    assert endings(report)["text", "one"] == "committed"
    assert "bad.level" not in (two.folder / "exports" / "one.txt").read_text()


def test_what_a_store_keeps_of_a_failure_names_no_folder_of_this_machine(two):
    (two.folder / "one.txt").unlink()
    report = two.run(PIPELINE)
    assert str(two.folder) in failed(report)[0].reason
    kept = (two.scene / "episodes" / "one" / "ramp" / "record" / "failed.json").read_text()
    assert "one.txt" in kept
    assert str(two.folder) not in kept


def test_a_recording_that_did_not_change_is_not_hashed_again(two, monkeypatch):
    two.run(PIPELINE)
    read = []
    monkeypatch.setattr("handloom.store.digests.hash_file", lambda path: read.append(path.name) or "0" * 64)
    assert two.run(PIPELINE, force=["ramp"]).counts["committed"] == 2
    assert "one.txt" not in read
    two.ramp("one.txt", rows=6)
    two.run(PIPELINE)
    assert "one.txt" in read


def test_a_recording_that_was_taken_away_leaves_its_results_up_to_date(two):
    two.run(PIPELINE)
    (two.folder / "one.txt").unlink()
    assert two.run(PIPELINE).counts == {"fresh": 8}
    report = two.run(PIPELINE, ["steps.four.factor=3"])
    assert {node for node, _ in made(report)} == {"four", "text"}


@pytest.mark.skipif(os.name != "posix", reason="forks, and asks for process groups")
@pytest.mark.parametrize("how", ["thread", "child", "fork", "fork and return", "close"])
def test_what_a_plugin_leaves_behind_neither_delays_a_run_nor_outlives_it(two, how):
    started = time.monotonic()
    report = two.run(hostile(how), ["run.workers=2"], executor=LocalExecutor)
    assert report.ok
    assert time.monotonic() - started < 50
    with Scene.open(two.scene, "w") as scene:
        assert all(".staging-" in repair for repair in scene.repairs)


def test_a_plugin_that_exits_ends_its_step_and_not_the_run(two):
    report = two.run(hostile("exit"))
    assert [outcome.reason.partition(" (")[0] for outcome in failed(report)] == ["SystemExit: 0"] * 2
    assert report.counts["committed"] == 8


def test_a_recording_that_goes_on_while_it_is_read_is_not_taken(two):
    two.ramp("late.txt", rows=7, columns=3)
    text = PIPELINE + "[sensors.late]\nkind = 'ramp'\nrecord_on = true\n"
    overrides = ["episodes.one.late='late.txt'", "steps.twice.inputs.level='ramp.level'"]
    (lost,) = failed(two.run(text, overrides))
    assert lost.node == "late"
    assert lost.reason.endswith("late.txt changed while it was read; wait until the recording is complete.")


def test_a_damaged_stream_is_blamed_on_who_wrote_it(two):
    two.run(PIPELINE)
    (two.scene / "episodes" / "one" / "ramp" / "level" / "data" / "zarr.json").unlink()
    (lost,) = [outcome for outcome in failed(two.run(PIPELINE, force=["twice"])) if outcome.node == "twice"]
    assert lost.reason.startswith("what 'ramp' left in the scene can't be used: ")
    assert lost.reason.endswith("That is: --force ramp.")
    assert two.run(PIPELINE, force=["ramp"]).ok


def test_an_export_says_when_it_replaces_the_file_of_another_scene(two):
    two.run(PIPELINE)
    report = two.run(PIPELINE, ["scene.store='other'"])
    said = {outcome.episode: outcome.notes for outcome in report.outcomes if outcome.node == "text"}
    assert said["one"] == ("one.txt was there already, and this scene has no record of it; it was replaced.",)


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe")
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(two):
    os.mkfifo(two.folder / "pipe.txt")
    report = two.run(PIPELINE, ["episodes.one.ramp='pipe.txt'", "episodes.two.ramp='/dev/zero'"])
    reasons = [outcome.reason for outcome in failed(report)]
    assert len(reasons) == 2
    assert all("is no file but a pipe or a device" in reason for reason in reasons)


def test_a_scene_that_goes_away_in_a_run_is_a_reason_and_no_traceback(two):
    from handloom.run import Task, work

    task = Task(id=1, episode="one", nodes=("ramp",), scene=two.scene, document=two.plan(PIPELINE).document)
    (result,) = work(task, lambda share: None)
    assert "is not there; a scene is" in result.reason


def test_a_disk_that_is_full_when_an_export_gets_its_name_ends_the_run_with_a_sentence(two):
    class Full(Disk):
        def rename(self, source, target):
            if target.parent.name == "exports":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
            super().rename(source, target)

    report = two.run(PIPELINE, disk=Full())
    assert report.stopped.startswith("Disk full: ")
    assert "Free space and run again" in report.stopped
    assert two.run(PIPELINE).ok
