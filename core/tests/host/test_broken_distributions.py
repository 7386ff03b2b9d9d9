"""A set of really broken distributions: each is named with its fix, and costs nobody else anything."""

import json

import pytest

MISSPELT = "from handloom.api import hookimpl\n@hookimpl\ndef sensor(kid):\n    return None\n"
UNKNOWN = "from handloom.api import hookimpl\n@hookimpl\ndef senser(kind):\n    return None\n"


@pytest.fixture
def broken(site):
    extra = "Requires-Dist: motorbus>=1; extra == 'bus'\nProvides-Extra: bus\n"
    group = "handloom.sensors"
    site.install("lab-good", group, {"arm": "lab_good"}, {"lab_good": site.sensor}, version="3.1")
    site.install(
        "lab-missing", group, {"missing": "lab_missing"}, {"lab_missing": "import motorbus"}, metadata=extra
    )
    site.install("lab-exit", group, {"exit": "lab_exit"}, {"lab_exit": "import sys; sys.exit(5)"})
    site.install("lab-argument", group, {"argument": "lab_argument"}, {"lab_argument": MISSPELT})
    site.install("lab-hook", group, {"hook": "lab_hook"}, {"lab_hook": UNKNOWN})
    site.install("lab-syntax", group, {"syntax": "lab_syntax"}, {"lab_syntax": "def broken(:"})
    site.install("lab-group", "handloom.sensor", {"group": "lab_group"}, {"lab_group": site.sensor})
    site.install("lab-one", group, {"twin": "lab_one"}, {"lab_one": site.sensor})
    site.install("lab-two", group, {"twin": "lab_two"}, {"lab_two": site.sensor})
    dying = {"lab_dying": "import os; os._exit(9)", "lab_crash": "import os; os.kill(os.getpid(), 11)"}
    dying["lab_thread"] = (
        f"{site.sensor}\nimport threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()"
    )
    entries = {"a_dying": "lab_dying", "b_well": "lab_good", "c_crash": "lab_crash", "d_thread": "lab_thread"}
    site.install("lab-dying", group, entries, dying)
    site.install("lab-command", "handloom.commands", {"sweep": "lab_command", "plan": "lab_command"}, {})
    site.install("lab-garbled", group, {"garbled": "lab_garbled"}, {})
    (site.folder / "lab_garbled-1.0.dist-info" / "entry_points.txt").write_text("[handloom.sensors]\ngarbled\n")
    return site


def test_help_lists_plugin_commands_and_is_not_hurt_by_broken_ones(broken):
    ended = broken.handloom("--help")
    assert ended.returncode == 0
    assert ended.stderr == ""
    assert "  sweep             from lab-command 1.0" in ended.stdout
    assert "  lab-command:plan  from lab-command 1.0" in ended.stdout


def test_the_list_of_plugins_is_not_hurt_by_broken_ones(broken):
    ended = broken.handloom("plugins", "--json")
    listed = {entry["kind"]: entry for entry in json.loads(ended.stdout)}
    assert ended.returncode == 0
    assert "lab_garbled-1.0.dist-info can't be read" in ended.stderr
    assert listed["arm"] == {
        "family": "sensors",
        "kind": "arm",
        "target": "lab_good",
        "distribution": "lab-good",
        "version": "3.1",
    }
    assert {"missing", "exit", "argument", "hook", "syntax", "twin"} <= set(listed)


def test_an_unrelated_plugin_loads_among_broken_ones(broken):
    code = "from handloom.host import Host; print(Host().load('sensors', 'arm').component.summary)"
    assert broken.python("-c", code).stdout == "Reads nothing\n"


def test_a_broken_command_ends_with_its_sentence(broken):
    ended = broken.handloom("sweep")
    assert ended.returncode == 2
    assert "Plugin 'sweep' of commands (lab-command 1.0, module lab_command) can't be imported" in ended.stderr
    assert "Traceback" not in ended.stderr


CULPRITS = {
    "missing": ("lab-missing", "No module named 'motorbus'. Run: pip install 'lab-missing[bus]'."),
    "exit": ("lab-exit", "sys.exit(5), which a plugin must not do. Run: pip install --upgrade lab-exit"),
    "argument": ("lab-argument", "its hook `sensor` takes 'kid'; the arguments are: kind."),
    "hook": ("lab-hook", "there is no hook 'senser'; did you mean 'sensor'?"),
    "syntax": ("lab-syntax", "run: pip install --upgrade lab-syntax."),
    "group": ("lab-group", "is in group handloom.sensor, which is unknown; did you mean 'sensors'?"),
    "a_dying": ("lab-dying", "ends the process with exit status 9 when it is imported."),
    "c_crash": ("lab-dying", "kills the process with SIGSEGV when it is imported."),
    "sweep": ("lab-command", "names a module it does not contain"),
    "plan": ("lab-command", "it is reached as `handloom lab-command:plan`."),
}


def test_check_names_every_culprit_with_distribution_and_fix(broken):
    ended = broken.handloom("plugins", "--check", "--json")
    assert ended.returncode == 1
    findings = json.loads(ended.stdout)
    by_kind = {finding["kind"]: finding for finding in findings}
    for kind, (distribution, sentence) in CULPRITS.items():
        assert by_kind[kind]["distribution"] == distribution
        assert sentence in by_kind[kind]["problem"]
    assert by_kind["arm"] == {
        "family": "sensors",
        "kind": "arm",
        "distribution": "lab-good",
        "version": "3.1",
        "summary": "Reads nothing",
        "problem": "",
        "ok": True,
    }
    assert by_kind["b_well"]["ok"], "a plugin between two that die is still looked at"
    assert by_kind["d_thread"]["ok"], "a thread that goes on does not hold up the check"
    twins = [finding for finding in findings if finding["kind"] == "twin"]
    assert len(twins) == 2
    assert all('choose with kind = "lab-one:twin" or kind = "lab-two:twin"' in twin["problem"] for twin in twins)
    assert any("lab_garbled-1.0.dist-info can't be read" in finding["problem"] for finding in findings)
