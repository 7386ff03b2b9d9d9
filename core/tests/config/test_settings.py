"""Settings: TOML values to frozen classes, all mistakes at once."""

from fractions import Fraction
from pathlib import Path
from typing import Literal

import attrs
import pytest

from handloom.config import load_document, settings_json, structure


@attrs.frozen
class Inner:
    gain: float = 1.0


@attrs.frozen
class Settings:
    rate_hz: float
    count: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    names: tuple[str, ...] = ()
    inner: Inner = attrs.field(factory=Inner)
    mask: Path | None = None
    on: bool = True
    mode: Literal["fast", "good"] = "fast"


def parse(tmp_path, text):
    path = tmp_path / "p.toml"
    path.write_text(text)
    document = load_document(path)
    settings, problems = structure(document, ("steps", "s"), document.tables["steps"]["s"], Settings)
    return settings, [problem.replace(str(path), "p.toml") for problem in problems]


def test_good_values_make_settings(tmp_path):
    settings, problems = parse(
        tmp_path, "[steps.s]\nrate_hz = 5\nnames = ['a', 'b']\ninner.gain = 2\nmask = 'm.png'"
    )
    assert problems == []
    assert settings == Settings(rate_hz=5.0, names=("a", "b"), inner=Inner(2.0), mask=tmp_path / "m.png")


def test_every_mistake_is_reported_at_once(tmp_path):
    settings, problems = parse(
        tmp_path,
        "[steps.s]\nrate_hz = 'fast'\ncont = 2\nnames = 'abc'\ninner.gian = 2\non = 1\nmask = 3",
    )
    assert settings is None
    assert sorted(problems) == [
        "p.toml: steps.s.cont: unknown key; did you mean 'count'?",
        "p.toml: steps.s.inner.gian: unknown key; did you mean 'gain'?",
        "p.toml: steps.s.mask: 3; expected a path as a string.",
        "p.toml: steps.s.names: 'abc'; expected a list.",
        "p.toml: steps.s.on: 1; expected true or false.",
        "p.toml: steps.s.rate_hz: 'fast'; expected a number.",
    ]


def test_a_missing_value_is_named(tmp_path):
    _, problems = parse(tmp_path, "[steps.s]\ncount = 2")
    assert problems == ["p.toml: steps.s.rate_hz: is missing; it has no default."]


def test_a_value_out_of_range_is_refused(tmp_path):
    _, problems = parse(tmp_path, "[steps.s]\nrate_hz = 1\ncount = 0")
    assert problems == ["p.toml: steps.s.count: 0; expected >= 1."]


def test_a_word_that_is_no_choice_is_answered_with_the_choices(tmp_path):
    _, problems = parse(tmp_path, "[steps.s]\nrate_hz = 1\nmode = 'zip'")
    assert problems == ['p.toml: steps.s.mode: \'zip\'; expected "fast" or "good".']


def test_settings_keep_no_folder_of_a_path(tmp_path):
    values = settings_json(Settings(rate_hz=1.0, mask=Path("/somewhere/on/this/machine/m.png")))
    assert values["mask"] == "m.png"
    assert values["names"] == []


def test_numbers_that_no_ledger_keeps_are_refused(tmp_path):
    for number in ("nan", "inf", "-inf", "1" + "0" * 400):
        _, problems = parse(tmp_path, f"[steps.s]\nrate_hz = {number}")
        assert len(problems) == 1
        assert "expected a finite number" in problems[0]


def test_a_path_that_is_empty_is_no_path(tmp_path):
    _, problems = parse(tmp_path, "[steps.s]\nrate_hz = 1\nmask = ''")
    assert problems == ["p.toml: steps.s.mask: ''; expected a path, and this one names nothing."]


@attrs.frozen
class Film:
    rate: Fraction = Fraction(30)


@pytest.mark.parametrize(("text", "rate"), [("25", Fraction(25)), ("'60000/1001'", Fraction(60000, 1001))])
def test_a_fraction_is_a_whole_number_or_written_out(tmp_path, text, rate):
    path = tmp_path / "p.toml"
    path.write_text(f"rate = {text}")
    document = load_document(path)
    settings, problems = structure(document, (), document.tables, Film)
    assert problems == []
    assert settings == Film(rate)
    assert settings_json(settings) == {"rate": str(rate)}


@pytest.mark.parametrize("text", ["59.94", "'1/0'", "'fast'", "true", "[1, 2]"])
def test_what_is_no_fraction_is_told(tmp_path, text):
    path = tmp_path / "p.toml"
    path.write_text(f"rate = {text}")
    document = load_document(path)
    _, (problem,) = structure(document, (), document.tables, Film)
    assert 'expected a whole number, or a fraction as a string: "60000/1001".' in problem
