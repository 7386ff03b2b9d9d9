"""Documents: includes, overrides, origins."""

from pathlib import Path

import pytest

from handloom.config import Document, load_document, show
from handloom.errors import ConfigError


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_wins_over_what_it_includes(tmp_path):
    write(tmp_path, "rig.toml", "[run]\nworkers = 1\nexecutor = 'serial'\n")
    document = load_document(write(tmp_path, "main.toml", "include = ['rig.toml']\n[run]\nworkers = 3\n"))
    assert document.tables == {"run": {"workers": 3, "executor": "serial"}}
    assert document.origin_of(("run", "workers")).label.endswith("main.toml")
    assert document.origin_of(("run", "executor")).label.endswith("rig.toml")


def test_a_later_include_wins_over_an_earlier_one(tmp_path):
    write(tmp_path, "a.toml", "x.y = 1")
    write(tmp_path, "b.toml", "x.y = 2")
    assert load_document(write(tmp_path, "m.toml", "include = ['a.toml', 'b.toml']")).tables["x"]["y"] == 2


def test_a_table_replaces_a_value_and_forgets_its_origin(tmp_path):
    write(tmp_path, "a.toml", "x = 1")
    document = load_document(write(tmp_path, "m.toml", "include = ['a.toml']\n[x]\ny = 2"))
    assert document.tables == {"x": {"y": 2}}
    assert set(document.origins) == {("x", "y")}


def test_a_file_that_includes_itself_is_refused(tmp_path):
    path = write(tmp_path, "m.toml", "include = ['m.toml']")
    with pytest.raises(ConfigError, match="includes itself"):
        load_document(path)


def test_every_unreadable_file_is_named(tmp_path):
    write(tmp_path, "bad.toml", "x = = 1")
    with pytest.raises(ConfigError) as caught:
        load_document(write(tmp_path, "m.toml", "include = ['gone.toml', 'bad.toml']"))
    assert len(caught.value.problems) == 2
    assert "gone.toml: there is no such file" in caught.value.problems[0]
    assert "bad.toml: is not TOML" in caught.value.problems[1]


@pytest.mark.parametrize(
    ("text", "value"),
    [("a.b=3", 3), ("a.b=[1, 2]", [1, 2]), ("a.b=take 1.mp4", "take 1.mp4"), ('a."b"=true', True)],
)
def test_an_override_is_toml_or_else_a_string(tmp_path, text, value):
    document = load_document(write(tmp_path, "m.toml", "a.b = 0"), [text])
    assert document.tables == {"a": {"b": value}}
    assert document.origin_of(("a", "b")).label == "--set"


def test_an_override_without_a_value_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"expected block\.name\.key=value"):
        load_document(write(tmp_path, "m.toml", ""), ["a.b"])


def test_a_document_survives_json(tmp_path):
    write(tmp_path, "rig.toml", "[rig]\nname = 'a'\n[rig.frames]\n")
    document = load_document(write(tmp_path, "m.toml", "include = ['rig.toml']\nx.'a b' = [1, {y = 2}]"))
    again = Document.from_json(document.to_json())
    assert again.tables == document.tables
    assert again.origin == document.origin
    assert again.to_json() == document.to_json()


def test_show_names_the_origin_of_every_value(tmp_path):
    write(tmp_path, "rig.toml", "rig.name = 'left'")
    text = show(load_document(write(tmp_path, "m.toml", "include = ['rig.toml']\nrun.workers = 2")))
    lines = text.splitlines()
    assert lines[0].split("#")[0].strip() == 'rig.name = "left"'
    assert lines[0].endswith("rig.toml")
    assert lines[1].startswith("run.workers = 2")
    assert lines[1].endswith("m.toml")


def test_a_table_that_is_not_there_is_empty_and_a_value_in_its_place_is_told_once(tmp_path):
    document = load_document(write(tmp_path, "m.toml", "a = 3\n[b]\nc = 1\n"))
    problems = []
    assert document.table(("b",), problems) == {"c": 1}
    assert document.table(("d", "e"), problems) == {}
    assert not problems
    assert document.table(("a", "x"), problems) == document.table(("a",), problems) == {}
    assert problems == [f"{tmp_path / 'm.toml'}: a: 3; expected a table."]
