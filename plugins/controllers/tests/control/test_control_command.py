"""`handloom control` moves an arm along a path, says what became of it, and ends with a code that tells."""

import json
import re
import sys

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.control import actions as module
from handloom_controllers.control.telemetry import read_telemetry

pytestmark = pytest.mark.real_time

BARE = (
    "Nothing ties the arm's tool to the TCP of a dataset: the law has a T_flange_tcp of its own, not one from a "
    "rig ([rig] and [control.tool])."
)
QUIET = ("--set", "control.plots=false", "--set", "control.mcap=false")


@pytest.fixture
def control(monkeypatch, capsys, parts):
    """Return a function that runs the command and returns its code and what it printed."""
    monkeypatch.setattr(module, "Host", parts.fake_host)

    def run(*words):
        code = module.control([str(word) for word in words])
        return code, capsys.readouterr().out

    return run


def test_check_reads_pipeline_and_path_and_opens_nothing(control, pipeline):
    code, told = control("check", pipeline)
    assert (code, told) == (
        0,
        f"{BARE}\n{pipeline}: fake_law on fake_arm, along path.txt for 2.0 s; nothing is wrong with it.\n",
    )
    assert not (pipeline.parent / "out").exists()


def test_run_follows_the_path_and_writes_what_happened(control, pipeline):
    code, told = control("run", pipeline)
    assert code == 0
    assert "the path was followed to its end" in told
    assert "Robot 'fake_arm' has no compiled table, so the loop runs in Python; it is not real time." in told
    assert "time was not paced" in told
    out = pipeline.parent / "out"
    assert {file.name for file in out.iterdir()} == {
        f"telemetry.{kind}" for kind in ("npy", "json", "png", "mcap")
    }
    made = json.loads((out / "telemetry.json").read_text())
    assert made["joints"] == [f"joint{place}" for place in range(1, 7)]
    assert made["path"]["rms_mm"] < 0.5
    assert made["chunks_taken"] == 22
    assert made["chunks_refused"] == 0
    records = read_telemetry(out / "telemetry.npy")
    assert records["stamp_ns"][0] == 1_000_000_000
    assert 2.2e9 <= records["stamp_ns"][-1] - records["stamp_ns"][0] < 2.6e9


def test_the_tool_arrives_at_the_end_of_the_path(control, pipeline):
    control("run", pipeline, *QUIET)
    records = read_telemetry(pipeline.parent / "out/telemetry.npy")
    way = np.array([0.05 * np.sin(4.0), 0.0, 0.04])
    turn = np.array([[1, 0, 0], [0, np.cos(3.0), -np.sin(3.0)], [0, np.sin(3.0), np.cos(3.0)]])
    assert np.allclose(records["T_base_tcp"][-1, :3], np.array([0.4, 0.0, 0.4]) + turn @ way, atol=1e-4)


def test_an_arm_that_goes_on_after_its_stop_is_told_of(control, pipeline):
    sentence = "The arm was not seen at rest"
    assert sentence not in control("run", pipeline, *QUIET)[1]
    assert sentence in control("run", pipeline, "--set", "robots.arm.drift_rad_per_s=0.03", *QUIET)[1]


def test_figures_for_machines_are_those_for_people(control, pipeline):
    code, told = control("run", pipeline, "--json", "--set", "robots.arm.lag_cycles=6", *QUIET)
    made = json.loads(told)
    assert code == 0
    # Six cycles, and the one between command and measurement.
    assert made["path"]["lag_ms"] == pytest.approx(35.0, abs=2.0)
    assert made["lateness_us"] is None
    assert [name.rpartition("/")[2] for name in made["files"]] == ["telemetry.npy", "telemetry.json"]


def test_a_reflex_ends_it_with_code_1_and_its_name(control, pipeline):
    code, told = control("run", pipeline, "--set", "robots.arm.reflex_after=140", *QUIET)
    assert code == 1
    assert "the robot stopped by itself (cartesian_reflex)" in told
    records = read_telemetry(pipeline.parent / "out/telemetry.npy")
    assert (records["reflexes"] != 0).any()


def test_paced_and_from_a_process_of_its_own_the_path_is_the_same(control, pipeline):
    code, told = control(
        "run", pipeline, "--set", "control.paced=true", "--set", "control.reference.speed=2", *QUIET
    )
    assert code == 0, told
    made = json.loads((pipeline.parent / "out/telemetry.json").read_text())
    assert made["lateness_us"]["p50"] > 0
    assert made["chunks_taken"] >= 10
    assert made["path"]["rms_mm"] < 10.0


def test_a_pipeline_without_a_path_can_be_checked_and_not_run(control, tmp_path):
    file = tmp_path / "track.toml"
    file.write_text(
        '[robots.arm]\nkind = "fake_arm"\n[controllers.law]\nkind = "fake_law"\n[control]\nfolder = "out"\n'
    )
    told = f"{BARE}\n{file}: fake_law on fake_arm, without a path, to be led; nothing is wrong with it.\n"
    assert control("check", file) == (0, told)
    with pytest.raises(HandloomError, match=r"control\.reference: is missing; expected a table with the `file`"):
        control("run", file)


def test_guiding_keeps_where_the_tool_went_as_a_path(control, pipeline):
    code, told = control("guide", pipeline, "--seconds", "1", "--rate", "10")
    assert code == 0
    # A second, and the time in which it comes to rest.
    count = int(re.search(r"guided\.txt, (\d+) poses", told)[1])
    assert 11 <= count <= 16
    code, told = control(
        "check", pipeline, "--set", f"control.reference.file={pipeline.parent / 'out/guided.txt'}"
    )
    assert code == 0
    assert f"along guided.txt for {(count - 1) / 10:.1f} s" in told


def test_check_tells_of_a_writer_that_run_would_miss(control, pipeline, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(HandloomError, match="Plots are drawn by matplotlib, which is not installed"):
        control("check", pipeline)
    assert control("check", pipeline, *QUIET)[0] == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--push", "8"), "--push: '8'; expected three numbers in N"),
        (("--seconds", "-1"), "--seconds: '-1'; expected a number from"),
        (("--rate", "often"), "--rate: 'often'; expected a number from"),
    ],
)
def test_an_option_that_can_not_be_read_is_told_with_what_was_expected(control, pipeline, capsys, words, told):
    with pytest.raises(SystemExit):
        control("guide", pipeline, *words)
    assert told in capsys.readouterr().err


def test_a_robot_that_no_program_can_push_is_not_pushed(control, pipeline):
    with pytest.raises(HandloomError, match="Robot 'fake_arm' can't be pushed by a program"):
        control("guide", pipeline, "--seconds", "1", "--push", "1,0,0")


def test_bench_has_a_row_for_each_loop_and_load(control, pipeline):
    words = ("--set", "control.reference.process=false", "--set", "control.reference.speed=8", "--json")
    code, told = control("bench", pipeline, *words)
    rows = json.loads(told)
    assert [(row["python"], row["real_time"]) for row in rows] == [(load, False) for load in ("idle", "busy") * 2]
    assert all(row["lateness_us"]["p99"] >= row["lateness_us"]["p50"] for row in rows)
    stops = {row["stop"] for row in rows}
    assert stops <= {"asked", "stale", "owner"}  # what a machine that stands still may lead to, too
    assert code == int(stops != {"asked"})
    assert {file.name for file in (pipeline.parent / "out").iterdir()} == {
        "real-time-idle",
        "real-time-busy",
        "python-idle",
        "python-busy",
    }


def test_a_path_out_of_reach_is_refused_before_the_arm_moves(control, pipeline):
    """It was refused chunk by chunk, and the command said that the path was followed to its end."""
    path = pipeline.parent / "path.txt"
    rows = path.read_text().splitlines()
    rows[10] = " ".join([rows[10].split()[0], "1e300", *rows[10].split()[2:]])
    path.write_text("\n".join(rows))
    with pytest.raises(HandloomError, match=r"leads 1e\+300 m away .*reach_m.* not moved"):
        control("run", pipeline, *QUIET)


def test_a_path_of_which_chunks_were_refused_was_not_followed(control, pipeline):
    code, told = control("run", pipeline, *QUIET, "--set", "control.loop.way.ahead_s=0.05")
    assert code == 1
    assert "the path was followed to its end" not in told
    assert "refused and not followed" in told
