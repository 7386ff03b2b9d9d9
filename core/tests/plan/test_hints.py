"""Hints: what is odd in a plan is shown beside it, and stops nobody."""

from handloom.cli import main
from handloom.plan import missing_files, rig_hints, to_text

PIPELINE = """
[episodes.one]
ramp = "one.txt"
[sensors.ramp]
kind = "ramp"
"""


def clock(source, target):
    return f"[[rig.clocks.{source}]]\nreference = '{target}'\noffset_s = 0.0\nuncertainty_s = 0.001\n"


def test_a_clock_of_the_rig_that_the_pipeline_lacks_is_a_hint_with_the_nearest_name(lab):
    hints = rig_hints(lab.plan(PIPELINE + clock("rmp", "mocap")))
    assert hints == (
        "rig: clock 'mocap' is no clock of this pipeline; known: ramp.",
        "rig: clock 'rmp' is no clock of this pipeline; did you mean 'ramp'?",
    )


def test_a_clock_between_two_others_needs_no_device(lab):
    text = PIPELINE + "[sensors.second]\nkind = 'ramp'\n"
    assert rig_hints(lab.plan(text + clock("ramp", "utc") + clock("second", "utc"))) == ()
    misspelt = rig_hints(lab.plan(text + clock("ramp", "secnd") + clock("other", "secnd")))
    assert "rig: clock 'secnd' is no clock of this pipeline; did you mean 'second'?" in misspelt


def test_a_camera_of_the_rig_without_a_device_is_a_hint(lab):
    camera = "model = 'pinhole'\nwidth = 4\nheight = 4\nfx = 1.0\nfy = 1.0\ncx = 1.0\ncy = 1.0\n"
    plan = lab.plan(f"{PIPELINE}[rig.cameras.ramp]\n{camera}[rig.cameras.rampe]\n{camera}")
    assert rig_hints(plan) == ("rig: camera 'rampe' is no device of this pipeline; did you mean 'ramp'?",)


def test_a_recording_that_is_away_is_a_hint_of_both_texts_and_no_error(lab, capsys):
    path = str(lab.pipeline(PIPELINE))
    for words in (["plan", path], ["plan", path, "--status"]):
        assert main(words) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "episodes.one.ramp: one.txt is not there"
    lab.ramp("one.txt")
    assert missing_files(lab.plan(PIPELINE)) == ()


def test_status_as_json_has_no_hints_in_it(lab, capsys):
    assert main(["plan", str(lab.pipeline(PIPELINE)), "--status", "--json"]) == 0
    assert "is not there" not in capsys.readouterr().out


def test_a_name_no_system_takes_is_not_there(lab):
    (hint,) = missing_files(lab.plan(f'[episodes.one]\nramp = "{"x" * 5000}"\n[sensors.ramp]\nkind = "ramp"'))
    assert hint.endswith(" is not there")


def test_a_rig_without_a_name_is_not_no_rig(lab):
    frame = "[rig.frames.tool]\nparent='ramp'\ntranslation_m=[0, 0, 1]\nrotation_xyzw=[0, 0, 0, 1]\n"
    lines = to_text(lab.plan(PIPELINE + frame + clock("ramp", "mocap"))).splitlines()
    assert lines[1:5] == [
        "rig    (unnamed)",
        "clocks ramp -> mocap",
        "frames tool in ramp",
        "rig: clock 'mocap' is no clock of this pipeline; known: ramp.",
    ]
    assert to_text(lab.plan(PIPELINE)).splitlines()[1] == "rig    (none)"
