"""A plan for some episodes leaves out what needs all of them, and never loses its footing over it."""

from handloom.cli import main
from handloom.plan import restricted
from handloom.run import run_plan
from handloom.run.serial import SerialExecutor

PIPELINE = """
[episodes.one]
ramp = "one.txt"
[episodes.two]
ramp = "two.txt"
[sensors.ramp]
kind = "ramp"
[steps.longest]
kind = "longest"
inputs.levels = "ramp.level"
[steps.twice]
kind = "double"
inputs.level = "longest.length"
[exporters.text]
kind = "lines"
inputs.streams = "ramp.level"
"""


def test_what_runs_once_a_scene_is_left_out_with_all_that_stands_behind_it(lab):
    assert list(restricted(lab.plan(PIPELINE), ["two"]).nodes) == ["ramp", "text"]


def test_the_named_episodes_run_and_no_others(lab):
    lab.ramp("one.txt")
    lab.ramp("two.txt")
    report = run_plan(restricted(lab.plan(PIPELINE), ["two"]), lab.host, executor=SerialExecutor)
    assert [(outcome.node, outcome.episode) for outcome in report.outcomes] == [("ramp", "two"), ("text", "two")]
    assert report.ok


def test_the_command_says_what_has_to_wait_for_all_episodes(lab, capsys):
    lab.ramp("two.txt")
    words = ["run", str(lab.pipeline(PIPELINE)), "--episode", "two", "--set", "run.executor=serial"]
    assert main(words) == 0
    assert "left out  longest, twice: made of all episodes; run without --episode." in capsys.readouterr().err
