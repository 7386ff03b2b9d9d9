"""A distribution adds findings of its own to the doctor's, and a broken one costs nobody else anything."""

import json

import pytest

from handloom.cli.diagnosis.brought import brought
from handloom.host import discover

HEAD = "from handloom.api import Diagnosis, hookimpl\n@hookimpl\ndef diagnosis(kind):\n    return look\n"
WELL = f"{HEAD}def look():\n    yield Diagnosis('warning', 'arm', 'It is switched off.')\n"
BROKEN = {
    "raises": (f"{HEAD}def look():\n    raise OSError('no bus')\n", "fails in its function: OSError: no bus."),
    "dies": (f"{HEAD}def look():\n    import os; os.abort()\n", "kills the process with SIGABRT when it is asked"),
    "hangs": (f"{HEAD}def look():\n    import time; time.sleep(600)\n", "does not finish within 12 s"),
    "level": (f"{HEAD}def look():\n    return [('bad', 'arm', '')]\n", "the levels are ok, warning, problem"),
    "shape": (f"{HEAD}def look():\n    return ['well']\n", "fails in its function: ValueError"),
    "nothing": (f"{HEAD}def look():\n    return None\n", "fails in its function: TypeError"),
}


@pytest.fixture
def lab(site):
    site.install("lab-well", "handloom.diagnoses", {"well": "lab_well"}, {"lab_well": WELL})
    for name, (text, _) in BROKEN.items():
        site.install(f"lab-{name}", "handloom.diagnoses", {name: f"lab_{name}"}, {f"lab_{name}": text})
    site.install(
        "lab-absent", "handloom.diagnoses", {"absent": "lab_absent"}, {"lab_absent": "import nothing_here"}
    )
    return site


def test_each_finds_its_own_and_none_hurts_another(lab):
    mine = [plugin for plugin in discover() if plugin.distribution.startswith("lab-")]
    findings = {finding.subject: finding for finding in brought(mine, time_limit_s=12.0)}
    assert findings.pop("arm") == ("warning", "arm", "It is switched off.")
    assert sorted(findings) == sorted(BROKEN)
    for name, (_, says) in BROKEN.items():
        assert findings[name].level == "problem"
        assert f"lab-{name} 1.0" in findings[name].sentence
        assert says in findings[name].sentence


def test_the_doctor_tells_them_and_names_one_that_can_not_be_imported(site, tmp_path):
    site.install("lab-well", "handloom.diagnoses", {"well": "lab_well"}, {"lab_well": WELL})
    site.install(
        "lab-absent", "handloom.diagnoses", {"absent": "lab_absent"}, {"lab_absent": "import nothing_here"}
    )
    site.install("lab-number", "handloom.diagnoses", {"number": "lab_number"}, {"lab_number": f"{HEAD}look = 3\n"})
    told = json.loads(site.handloom("doctor", "--json", str(tmp_path)).stdout)
    assert {"level": "warning", "subject": "arm", "sentence": "It is switched off."} in told
    problems = [finding["sentence"] for finding in told if finding["level"] == "problem"]
    assert any("'absent' of diagnoses (lab-absent 1.0" in sentence for sentence in problems)
    assert any("it answers 3, not a function without arguments." in sentence for sentence in problems)
