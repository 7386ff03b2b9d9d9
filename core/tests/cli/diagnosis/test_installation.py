"""What is installed is told with its version, what is missing with the line that installs it."""

import pytest

from handloom.cli.diagnosis import installation


@pytest.fixture
def versions(monkeypatch):
    installed = {"handloom": "0.1.0", "handloom-sensors": "0.1.0", "handloom-models": "0.0.9", "wire": "3.1"}
    monkeypatch.setattr(installation, "_version", installed.get)
    return installed


def _by_subject(findings):
    return {finding.subject: finding for finding in findings}


def test_a_distribution_of_another_version_is_a_problem_with_a_fix(versions):
    found = _by_subject(installation.distributions())
    assert found["handloom-sensors"].level == "ok"
    assert found["handloom-models"].level == "problem"
    assert "pip install 'handloom==0.1.0' 'handloom-models==0.1.0'" in found["handloom-models"].sentence


def test_an_absent_distribution_is_no_problem_and_says_how_to_get_it(versions):
    found = _by_subject(installation.distributions())["handloom-exporters"]
    assert found.level == "ok"
    assert found.sentence.endswith("pip install handloom-exporters")


def test_a_core_that_is_not_installed_is_a_problem(versions):
    del versions["handloom"]
    assert _by_subject(installation.distributions())["handloom"].level == "problem"


def test_extras_are_told_with_versions_or_with_the_line_that_installs_them(site, versions):
    metadata = (
        "Requires-Dist: numpy\n"
        "Requires-Dist: wire>=2; extra == 'net'\n"
        "Requires-Dist: motorbus; extra == 'bus'\n"
        "Requires-Dist: old; extra == 'old' and python_version < '3'\n"
    )
    site.install("lab-a", "handloom.sensors", {}, {}, metadata=metadata)
    found = _by_subject(installation.extras(["lab-a"]))
    assert list(found) == ["lab-a[bus]", "lab-a[net]", "lab-a[old]"]
    assert found["lab-a[net]"].sentence == "wire 3.1."
    assert "pip install 'lab-a[bus]'" in found["lab-a[bus]"].sentence
    assert found["lab-a[old]"].sentence == "nothing to bring here."


@pytest.mark.parametrize(("version", "level"), [((3, 11), "ok"), ((3, 12), "ok"), ((3, 19), "warning")])
def test_a_python_nobody_tried_is_a_warning(version, level):
    assert installation.python(version).level == level


@pytest.mark.parametrize(("system", "level"), [("linux", "ok"), ("win32", "warning"), ("darwin", "warning")])
def test_a_machine_without_the_real_time_loop_is_a_warning(system, level):
    assert installation.machine(system).level == level
