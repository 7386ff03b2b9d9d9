"""Plans: wiring, order, clocks, and every mistake at once."""

import pytest

from handloom.api import InputPort, OutputPort, Ports
from handloom.errors import ConfigError
from handloom.plan import to_mermaid, to_text

GOOD = """
[episodes.one]
ramp = "one.txt"
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


def problems_of(lab, text):
    with pytest.raises(ConfigError) as caught:
        lab.plan(text)
    return [problem.replace(f"{lab.folder}/", "") for problem in caught.value.problems]


def test_nodes_stand_after_what_feeds_them_whatever_the_order_of_the_file(lab):
    plan = lab.plan(
        """
        [steps.four]
        kind = "double"
        inputs.level = "twice.level"
        [steps.twice]
        kind = "double"
        inputs.level = "ramp.level"
        [sensors.ramp]
        kind = "ramp"
        """
    )
    assert list(plan.nodes) == ["ramp", "twice", "four"]


def test_an_output_takes_the_clock_of_the_input_it_follows(lab):
    plan = lab.plan(GOOD)
    assert plan.nodes["four"].outputs["level"].clock == "ramp"


def test_a_frame_can_be_the_clock_of_an_input(lab, monkeypatch):
    from lab_parts import LEVEL, Double

    def ports(cls, config):
        output = OutputPort(type=LEVEL, clock_of="level", frame_clock_of="level")
        return Ports(inputs={"level": InputPort(kinds="scalar")}, outputs={"level": output})

    monkeypatch.setattr(Double, "ports", classmethod(ports))
    level = lab.plan(GOOD).nodes["four"].outputs["level"]
    assert (level.clock, level.frame) == ("ramp", "ramp")


def test_the_only_stream_that_fits_is_wired_unasked(lab):
    plan = lab.plan("[sensors.camera]\nkind = 'clip'\n[steps.b]\nkind = 'brightness'")
    assert str(plan.nodes["b"].video) == "camera.video"
    assert "after" not in plan.nodes["b"].inputs


def test_an_exporter_is_fed_by_everything_by_default(lab):
    plan = lab.plan(GOOD)
    assert plan.nodes["text"].feeders == ("four", "ramp", "twice")


def test_several_candidates_are_listed(lab):
    text = "[sensors.ramp]\nkind = 'ramp'\n[steps.d]\nkind = 'double'"
    assert problems_of(lab, text) == [
        "pipeline.toml: steps.d.inputs.level: 2 streams fit scalar: ramp.level, ramp.other; "
        "choose one under inputs."
    ]


def test_every_mistake_of_a_pipeline_is_reported_at_once(lab):
    found = problems_of(
        lab,
        """
        [sensorz]
        x = 1
        [sensors.ramp]
        kind = "ramp"
        ofset = 1
        [sensors.clip]
        kind = "clop"
        [steps.a]
        kind = "double"
        inputs.level = "romp.level"
        [steps.b]
        kind = "double"
        factor = "two"
        [steps.c]
        inputs.level = 3
        [episodes.one]
        rump = "one.txt"
        ramp = 3
        [run]
        workers = -1
        """,
    )
    keys = [problem.split(": ")[1] for problem in found]
    assert keys == [
        "sensorz",
        "steps.c.kind",
        "run.workers",
        "episodes.one.rump",
        "episodes.one.ramp",
        "sensors.ramp.ofset",
        "sensors.clip.kind",
        "steps.b.factor",
        "steps.a.inputs.level",
    ]
    assert "did you mean 'sensors'?" in found[0]
    assert "did you mean 'ramp'?" in found[3]
    assert "did you mean 'offset'?" in found[5]


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("ramp.lvel", "'ramp' has no stream 'lvel'; did you mean 'level'?"),
        ("ramp", "'ramp' is not \"device.stream\"; what fits: ramp.level, ramp.other."),
        ("camera.video", "'camera.video' is video [uint8 nxnx3, 1] on clock camera; expected scalar; what fits: "),
        ("d.level", "'d' is not a component that writes streams;"),
    ],
)
def test_a_wrong_reference_says_what_would_fit(lab, reference, sentence):
    text = f"""
        [sensors.ramp]
        kind = "ramp"
        [sensors.camera]
        kind = "clip"
        [steps.d]
        kind = "double"
        inputs.level = "{reference}"
        """
    (problem,) = problems_of(lab, text)
    assert sentence in problem


def test_a_circle_is_named(lab):
    text = """
        [steps.a]
        kind = "double"
        inputs.level = "b.level"
        [steps.b]
        kind = "double"
        inputs.level = "a.level"
        """
    assert problems_of(lab, text) == [
        "pipeline.toml: steps.a: these feed one another in a circle: steps.a, steps.b."
    ]


def test_a_name_is_taken_once(lab):
    text = "[sensors.x]\nkind = 'ramp'\n[steps.x]\nkind = 'double'"
    assert "steps.x: the name is taken by sensors.x; rename one." in problems_of(lab, text)[0]


def test_two_exporters_may_not_write_the_same_file(lab):
    text = GOOD + "[exporters.again]\nkind = 'lines'\n"
    assert "would write the same files as 'text'" in problems_of(lab, text)[0]
    lab.plan(text + "folder = 'elsewhere'\n")


def test_what_an_exporter_has_against_its_streams_is_a_mistake_of_its_block(lab):
    text = GOOD + "[sensors.second]\nkind = 'ramp'\n[exporters.picky]\nkind = 'picky'\nfolder = 'p'\n"
    lab.plan(text)  # no episode records the second sensor
    both = text + "[episodes.two]\nramp = 'a'\nsecond = 'b'\n[episodes.three]\nramp = 'a'\nsecond = 'b'\n"
    (problem,) = problems_of(lab, both)
    streams = "four.level, ramp.level, second.level, twice.level"
    assert problem == f"pipeline.toml: exporters.picky: {streams} are on ramp and second; wire one clock."
    lab.plan(both + "[exporters.picky.inputs]\nstreams = ['ramp.*', 'second.other']\n")  # it may lack `other`


def test_a_port_that_takes_many_accepts_patterns(lab):
    plan = lab.plan(GOOD + "inputs.streams = ['ramp.*', 'four.level']\n")
    assert [str(reference) for reference in plan.nodes["text"].inputs["streams"]] == ["ramp.*", "four.level"]


def test_a_plan_is_shown_without_opening_anything(lab):
    plan = lab.plan(GOOD + "[models.still]\nkind = 'still'\n")
    text = to_text(plan)
    assert "twice  double from lab-parts 1.0" in text
    assert "    <- level: ramp.level" in text
    assert "    -> four.level: scalar [float64 1, 1] on clock ramp" in text
    assert "runs live only" in text
    assert not lab.scene.exists()


def test_mermaid_has_a_box_for_every_component_and_an_arrow_for_every_stream(lab):
    chart = to_mermaid(lab.plan(GOOD))
    assert chart.splitlines()[0] == "flowchart LR"
    assert chart.count("-->") == 5
    assert chart.count('"#42;"') == 3  # a bare star would be Markdown
    assert '"ramp<br/>ramp"' in chart


def test_exports_into_the_scene_are_refused(lab):
    (problem,) = problems_of(lab, GOOD + "folder = 'scene/exports'\n")
    assert "lies inside the scene" in problem


@pytest.mark.parametrize(
    ("rig", "said"),
    [
        (
            '[rig.clocks."session/gopro"]\nreference = "wall"\noffset_ns = 1',
            'rig.clocks."session/gopro".uncertainty_s',
        ),
        ('[rig.frames."a b"]\nparent = "c"\ntranslation_m = [0, 0, 0]', 'rig.frames."a b".rotation_xyzw'),
        ("[[rig.clocks.a]]\nreference = 'b'\n[[rig.clocks.a]]\nreference = 'c'\n", "rig.clocks.a[1].offset_s"),
    ],
)
def test_mistakes_of_a_rig_are_told_whatever_its_names(lab, rig, said):
    with pytest.raises(ConfigError) as caught:
        lab.plan(rig)
    assert said in str(caught.value)
