"""What machines read of a run: one word for one thing, whichever command prints it."""

import json

from handloom.cli import main

PIPELINE = """
run.executor = "serial"
[episodes.one]
ramp = "one.txt"
[sensors.ramp]
kind = "ramp"
[steps.twice]
kind = "double"
inputs.level = "ramp.level"
"""


def printed(capsys, *words):
    capsys.readouterr()
    assert main([str(word) for word in words]) == 0
    return json.loads(capsys.readouterr().out)


def test_run_and_plan_name_the_same_steps(lab, capsys):
    lab.ramp("one.txt")
    pipeline = lab.pipeline(PIPELINE)
    ran = printed(capsys, "run", pipeline, "--json")["outcomes"]
    states = printed(capsys, "plan", pipeline, "--status", "--json")
    steps = [("one", "ramp"), ("one", "twice")]
    assert [(outcome["episode"], outcome["step"]) for outcome in ran] == steps
    assert [(state["episode"], state["step"]) for state in states] == steps


def test_json_without_status_is_refused_and_not_ignored(lab, capsys):
    lab.ramp("one.txt")
    assert main(["plan", str(lab.pipeline(PIPELINE)), "--json"]) == 2
    assert "--json goes with --status" in capsys.readouterr().err
