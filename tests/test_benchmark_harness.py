"""The harness judges as it says, and no measurement that failed passes for one that holds."""

import json
import math
from pathlib import Path

import pytest

from benchmarks.harness import Bar, Measured, as_json, as_text, measure, run
from benchmarks.rounds import cpu_s, interleaved, ratio


def bar(value: float, compare: str = "<=") -> Bar:
    return Bar(
        name="a pass",
        goal=1.4,
        compare=compare,  # type: ignore[arg-type]
        unit="x ffmpeg",
        measure=lambda: Measured(value=value, figures={"ours_cpu_s": 2.0}),
    )


@pytest.mark.parametrize(
    ("value", "compare", "verdict"),
    [
        (1.4, "<=", "holds"),
        (1.41, "<=", "falls short"),
        (1.4, ">=", "holds"),
        (1.39, ">=", "falls short"),
        (math.nan, "<=", "falls short"),
        (math.nan, ">=", "falls short"),
    ],
)
def test_a_bar_holds_on_its_own_side_only(value: float, compare: str, verdict: str) -> None:
    assert [row.verdict for row in measure([bar(value, compare)])] == [verdict]


def test_one_bar_that_falls_short_fails_the_suite(tmp_path: Path) -> None:
    assert run("suite", [bar(1.0), bar(2.0)], quick=False, as_json_only=False, results=tmp_path) == 1
    assert run("suite", [bar(1.0)], quick=False, as_json_only=False, results=tmp_path) == 0


def test_results_are_kept_and_a_quick_run_leaves_them_alone(tmp_path: Path) -> None:
    run("suite", [bar(1.0)], quick=False, as_json_only=False, results=tmp_path)
    kept = (tmp_path / "suite.txt").read_text()
    run("suite", [bar(2.0)], quick=True, as_json_only=False, results=tmp_path)
    assert (tmp_path / "suite.txt").read_text() == kept
    assert json.loads((tmp_path / "suite.json").read_text())["bars"][0]["measured"] == 1.0


def test_json_alone_stands_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("suite", [bar(1.0)], quick=True, as_json_only=True, results=tmp_path)
    assert json.loads(capsys.readouterr().out)["bars"][0]["verdict"] == "holds"


def test_the_table_names_machine_goal_figure_and_verdict() -> None:
    rows = measure([bar(1.25)])
    text = as_text(rows, {"cores": "2"})
    assert "machine: cores 2" in text
    assert [word in text for word in ("<= 1.4", "1.25", "x ffmpeg", "holds", "ours_cpu_s 2")] == [True] * 5
    assert json.loads(as_json(rows, {"cores": "2"}))["machine"] == {"cores": "2"}


def test_contenders_take_turns_and_every_other_round_runs_backwards() -> None:
    order: list[str] = []
    contenders = {name: lambda name=name: order.append(name) for name in "ab"}
    times = interleaved(contenders, rounds=2)
    assert order == ["a", "b", "b", "a"]
    assert [len(values) for values in times.values()] == [2, 2]


def test_a_ratio_compares_within_each_round() -> None:
    assert ratio({"ours": [2.0, 20.0, 6.0], "theirs": [1.0, 10.0, 2.0]}, "ours", "theirs") == 2.0


def test_cpu_time_counts_work_and_not_waiting() -> None:
    assert cpu_s(lambda: sum(range(3_000_000))) > cpu_s(lambda: None)
