"""The host gives out checked classes, one import at a time, and no observer reaches the run."""

import sys

import pytest

from handloom.errors import PluginError
from handloom.host import Found, Host


def _found(kind, target, distribution="lab", family="sensors"):
    return Found(family, kind, target, distribution, "1.0")


def test_loading_a_kind_imports_its_module_only(site):
    (site.folder / "wanted.py").write_text(site.sensor)
    (site.folder / "other.py").write_text(site.sensor)
    host = Host([_found("arm", "wanted"), _found("wheel", "other")])
    loaded = host.load("sensors", "arm")
    assert loaded.component.summary == "Reads nothing"
    assert loaded.found == _found("arm", "wanted")
    assert "wanted" in sys.modules
    assert "other" not in sys.modules


def test_a_kind_is_asked_once_and_kept(site):
    (site.folder / "wanted.py").write_text(site.sensor)
    host = Host([_found("arm", "wanted")])
    assert host.load("sensors", "arm") is host.load("sensors", "arm")


def test_a_module_never_answers_for_the_kind_of_another(site):
    (site.folder / "greedy.py").write_text(site.sensor)
    (site.folder / "silent.py").write_text(
        "from handloom.api import hookimpl\n@hookimpl\ndef sensor(kind):\n    return None\n"
    )
    host = Host([_found("arm", "greedy"), _found("wheel", "silent")])
    host.load("sensors", "arm")
    with pytest.raises(PluginError, match="does not know the kind 'wheel'"):
        host.load("sensors", "wheel")


def test_kinds_are_sorted_and_of_one_family():
    host = Host([_found("b", "m"), _found("a", "m"), _found("c", "m", family="models")])
    assert host.kinds("sensors") == ("a", "b")
    assert host.kinds("robots") == ()


def test_an_unknown_family_names_the_nearest():
    with pytest.raises(PluginError, match="no plugin family 'sensor'; did you mean 'sensors'"):
        Host([]).kinds("sensor")


def test_an_unknown_kind_names_the_nearest():
    with pytest.raises(PluginError, match="the kind 'gopr0'; did you mean 'gopro'"):
        Host([_found("gopro", "m")]).load("sensors", "gopr0")


def test_a_kind_of_another_family_is_pointed_out():
    with pytest.raises(PluginError, match="kind 'gopro'; there is one of sensors"):
        Host([_found("gopro", "m")]).load("models", "gopro")


def test_a_family_without_any_plugin_says_what_to_install():
    with pytest.raises(PluginError, match="pip install handloom-models"):
        Host([]).load("models", "diffusion")


def test_a_name_clash_stops_that_kind_only_and_says_how_to_choose(site):
    (site.folder / "first.py").write_text(site.sensor)
    (site.folder / "second.py").write_text(site.sensor)
    host = Host(
        [_found("arm", "first", "lab-a"), _found("arm", "second", "lab-b"), _found("wheel", "first", "lab-a")]
    )
    with pytest.raises(PluginError, match=r'lab-a 1\.0 and lab-b 1\.0; choose with kind = "lab-a:arm"'):
        host.load("sensors", "arm")
    assert host.load("sensors", "wheel").found.target == "first"
    assert host.load("sensors", "lab-b:arm").found.target == "second"
    assert host.load("sensors", "Lab_A:arm").found.target == "first"


FAILURES = {
    "missing module": ("import no_such_thing", "No module named 'no_such_thing'.*does not declare"),
    "own module gone": (None, "names a module it does not contain.*pip install --force-reinstall lab"),
    "sys.exit": ("import sys; sys.exit(4)", r"sys\.exit\(4\), which a plugin must not do.*pip uninstall lab"),
    "syntax error": ("def broken(:", r"SyntaxError: .*broken\.py, line 1.*pip install --upgrade lab"),
    "any error": ("1 / 0", "ZeroDivisionError: division by zero"),
    "no hook": ("", "implements no hook `sensor`"),
    "unmarked hook": ("def sensor(kind): ...", "function `sensor` that is not marked: put `@hookimpl`"),
    "misspelt argument": (
        "from handloom.api import hookimpl\n@hookimpl\ndef sensor(kid): ...",
        "its hook `sensor` takes 'kid'; the arguments are: kind",
    ),
    "unknown hook": (
        "from handloom.api import hookimpl\n@hookimpl\ndef senser(kind): ...",
        "no hook 'senser'; did you mean 'sensor'",
    ),
    "unknown hook by specname": (
        "from handloom.api import hookimpl\n@hookimpl(specname='senser')\ndef mine(kind): ...",
        "no hook 'senser'; did you mean 'sensor'",
    ),
    "failing hook": (
        "from handloom.api import hookimpl\n@hookimpl\ndef sensor(kind): raise OSError('no bus')",
        "fails in its hook: OSError: no bus",
    ),
    "wrong class": (
        "from handloom.api import hookimpl\n@hookimpl\ndef sensor(kind): return dict",
        r"class dict must derive from handloom\.api\.Sensor",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), FAILURES.values(), ids=FAILURES)
def test_a_broken_plugin_is_named_with_distribution_and_cause(site, text, sentence):
    if text is not None:
        (site.folder / "broken.py").write_text(text)
    with pytest.raises(PluginError, match=f"(?s){sentence}") as caught:
        Host([_found("arm", "broken")]).load("sensors", "arm")
    assert "Plugin 'arm' of sensors (lab 1.0, module broken)" in str(caught.value)


@pytest.mark.parametrize(
    ("requirement", "fix"),
    [
        ("usb-thing>=2; extra == 'usb'", r"pip install 'lab-a\[usb\]'"),
        ("usb-thing>=2", "pip install 'usb-thing>=2'"),
    ],
)
def test_a_missing_module_that_is_declared_says_what_to_install(site, requirement, fix):
    site.install(
        "lab-a",
        "handloom.sensors",
        {"arm": "lab_a"},
        {"lab_a": "import usb_thing"},
        metadata=f"Requires-Dist: {requirement}\nProvides-Extra: usb\n",
    )
    with pytest.raises(PluginError, match=fix):
        Host().load("sensors", "arm")


def test_a_module_that_a_core_extra_brings_names_that_extra(site, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    (site.folder / "wanted.py").write_text("import av")
    with pytest.raises(PluginError, match=r"pip install 'handloom\[video\]'"):
        Host([_found("arm", "wanted")]).load("sensors", "arm")


OBSERVER = """
from handloom.api import hookimpl
{sensor}
heard = []
@hookimpl
def episode_started(episode):
    heard.append(episode)
    {then}
"""


def _observers(site, **then):
    for name, text in then.items():
        (site.folder / f"{name}.py").write_text(OBSERVER.format(sensor=site.sensor, then=text))
    reports = []
    host = Host([_found(name, name) for name in then], report=reports.append)
    for name in then:
        host.load("sensors", name)
    return host, reports


def test_a_failing_observer_is_reported_once_and_dropped_while_others_hear_on(site):
    host, reports = _observers(site, bad="raise SystemExit(3)", good="pass")
    for episode in ("1", "2"):
        host.notify("episode_started", episode=episode)
    assert reports == ["Observer bad failed in episode_started and is dropped: SystemExit: 3."]
    assert sys.modules["bad"].heard == ["1"]
    assert sys.modules["good"].heard == ["1", "2"]
    assert host.observers == ("good",)


def test_a_module_that_was_not_loaded_hears_nothing(site):
    (site.folder / "good.py").write_text(OBSERVER.format(sensor=site.sensor, then="pass"))
    host = Host([_found("good", "good")])
    host.notify("episode_started", episode="1")
    assert host.observers == ()
    assert "good" not in sys.modules


def test_an_interruption_is_not_swallowed_by_the_observer_it_hits(site):
    host, _ = _observers(site, bad="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        host.notify("episode_started", episode="1")


def test_an_unknown_observer_hook_names_the_nearest(site):
    with pytest.raises(PluginError, match="'episode_start'; did you mean 'episode_started'"):
        Host([]).notify("episode_start", episode="1")


def test_a_caller_who_forgets_an_argument_is_told_before_any_observer_is_blamed(site):
    host, _ = _observers(site, good="pass")
    with pytest.raises(TypeError):
        host.notify("episode_started")
    assert host.observers == ("good",)
