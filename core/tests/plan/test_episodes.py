"""Episodes: what `run` could not start on is refused by `plan` in the same words."""

import pytest

from handloom.cli import main

SENSOR = '[sensors.ramp]\nkind = "ramp"\n'


@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_pipeline_without_episodes_is_refused(lab, capsys, command):
    lab.pipeline(SENSOR)
    assert main([command, "pipeline.toml"]) == 2
    assert capsys.readouterr().err.strip() == (
        "pipeline.toml: episodes: names no episodes; expected [episodes.NAME] for each demonstration; "
        'add ramp = "FILE", the recorded file of a device.'
    )


@pytest.mark.parametrize("command", ["plan", "run"])
def test_every_episode_without_a_file_is_named(lab, capsys, command):
    lab.pipeline(SENSOR + "[episodes.a]\n[episodes.b]\nramp = 'b.txt'\n[episodes.c]\n")
    assert main([command, "pipeline.toml"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(";")[0] for line in told] == [
        "pipeline.toml: episodes.a: names no file",
        "pipeline.toml: episodes.c: names no file",
    ]
