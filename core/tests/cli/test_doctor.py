"""The doctor prints every finding, and ends with 1 when one is a problem."""

import json

import pytest

from handloom.cli import doctor, main
from handloom.cli.diagnosis import ok, problem, warning


def test_a_broken_plugin_is_a_problem_that_names_it(site, tmp_path):
    site.install("lab-good", "handloom.sensors", {"arm": "lab_good"}, {"lab_good": site.sensor})
    site.install("lab-exit", "handloom.sensors", {"exit": "lab_exit"}, {"lab_exit": "import sys; sys.exit(5)"})
    ended = site.handloom("doctor", "--json", str(tmp_path))
    assert ended.returncode == 1
    findings = json.loads(ended.stdout)
    broken = [finding["sentence"] for finding in findings if finding["level"] == "problem"]
    assert any("Plugin 'exit' of sensors (lab-exit 1.0" in sentence for sentence in broken)
    assert {"python", "machine", "handloom", "video", "room", "keeping", "plugins"} <= {
        finding["subject"] for finding in findings
    }


@pytest.mark.parametrize(
    ("findings", "code", "conclusion"),
    [
        ([ok("a", "b.")], 0, "All is well."),
        ([warning("a", "b.")], 0, "Problems: 0. Warnings: 1."),
        ([problem("a", "b."), ok("c", "d.")], 1, "Problems: 1. Warnings: 0."),
    ],
)
def test_only_problems_make_it_fail(monkeypatch, capsys, findings, code, conclusion):
    monkeypatch.setattr(doctor, "_examine", lambda folder: findings)
    assert main(["doctor"]) == code
    assert capsys.readouterr().out.splitlines()[-1] == conclusion
