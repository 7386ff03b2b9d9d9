"""Names and paths as a person writes them: what no store or system can keep is refused before anything runs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.config import load_document, parse_pipeline
from handloom.config.names import component_fault, episode_fault
from handloom.config.paths import path_fault
from handloom.store.keys import StepKey

HEAD = 'scene.store = "s"\nsensors.camera.kind = "video"\n'


def problems_of(tmp_path, text):
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    _, problems = parse_pipeline(load_document(path))
    return [problem.replace(str(path), "p.toml") for problem in problems]


@pytest.mark.parametrize("name", ["a/b", "..", "", ".x", "annotations", "con", "x" * 300])
def test_names_that_no_store_keeps_are_refused_with_their_place(tmp_path, name):
    for text in (
        f'{HEAD}episodes."{name}".camera = "a.mp4"',
        f'{HEAD}steps."{name}".kind = "sharpness"',
    ):
        (problem,) = problems_of(tmp_path, text)
        assert problem.startswith(("p.toml: episodes.", "p.toml: steps."))


@given(st.text(max_size=6))
@settings(max_examples=200, deadline=None)
def test_every_name_that_passes_makes_a_key(name):
    if not component_fault(name, ()) and not episode_fault(name, ()):
        StepKey(name, name, "sensor")


def test_a_component_has_no_dot_in_its_name(tmp_path):
    (problem,) = problems_of(tmp_path, f'{HEAD}sensors."left.camera".kind = "video"')
    assert "'left.camera' holds a dot" in problem


def test_names_that_are_one_file_elsewhere_are_refused(tmp_path):
    (problem,) = problems_of(tmp_path, f'{HEAD}episodes.Pick.camera = "a.mp4"\nepisodes.pick.camera = "b.mp4"')
    assert problem.startswith("p.toml: episodes.pick: differs from 'Pick' only in case")


@pytest.mark.parametrize("written", ['""', '" "', r'"a\u0000b"'])
def test_paths_that_name_nothing_are_refused_wherever_they_stand(tmp_path, written):
    assert len(problems_of(tmp_path, f"scene.store = {written}")) == 1
    assert len(problems_of(tmp_path, f"{HEAD}episodes.e.camera = {written}")) == 1
    assert len(problems_of(tmp_path, f'{HEAD}episodes.e.camera = ["a.mp4", {written}]')) == 1
    assert len(problems_of(tmp_path, f'{HEAD}exporters.x.kind = "mcap"\nexporters.x.folder = {written}')) == 1


def test_an_ordinary_path_has_no_fault():
    assert path_fault("../Aufnahmen für heute/a b.mp4") == ""
