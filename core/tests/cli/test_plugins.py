"""What `handloom plugins` prints, for people and for machines."""

import json

import pytest

from handloom.cli import main
from handloom.host import Found, Host
from handloom.host.check import Finding

GOOD = Finding("sensors", "arm", "lab-good", "3.1", summary="Reads nothing")
BAD = Finding("sensors", "exit", "lab-exit", "1.0", problem="It ends the program.")


@pytest.fixture
def findings(monkeypatch):
    answers = [GOOD, BAD]
    monkeypatch.setattr(Host, "check", lambda self, progress: tuple(answers))
    return answers


def test_the_check_prints_a_table_then_each_problem_then_a_count(findings, capsys):
    assert main(["plugins", "--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "        FAMILY   KIND  DISTRIBUTION  VERSION  SUMMARY",
        "ok      sensors  arm   lab-good      3.1      Reads nothing",
        "broken  sensors  exit  lab-exit      1.0",
        "",
        "It ends the program.",
        "",
        "1 of 2 plugins are ready for use.",
    ]


def test_a_check_without_problems_ends_with_0(findings, capsys):
    findings.remove(BAD)
    assert main(["plugins", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{**GOOD._asdict(), "ok": True}]


def test_the_list_says_how_to_begin_when_nothing_is_installed(monkeypatch, capsys):
    monkeypatch.setattr("handloom.host.host.discover", lambda: ())
    assert main(["plugins"]) == 0
    assert "pip install handloom-sensors" in capsys.readouterr().out


def test_the_list_names_family_kind_distribution_and_version(monkeypatch, capsys):
    found = (Found("sensors", "arm", "lab_good", "lab-good", "3.1"),)
    monkeypatch.setattr("handloom.host.host.discover", lambda: found)
    assert main(["plugins"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["sensors", "arm", "lab-good", "3.1"]
