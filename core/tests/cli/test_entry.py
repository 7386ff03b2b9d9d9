"""The way in: light, forgiving of broken plugins, and with an exit code for every end."""

import importlib
import json
import subprocess
import sys

import pytest

from handloom.cli import main
from handloom.cli.commands import BUILT_IN
from handloom.errors import ConfigError, HandloomError

HEAVY = ("numpy", "pluggy", "attr", "attrs", "cattrs", "zarr", "rich", "av")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_and_version_import_nothing_heavy_and_no_plugin(site, arguments):
    site.install("lab-a", "handloom.commands", {"sweep": "lab_a"}, {"lab_a": "raise SystemExit(1)"})
    code = (
        "import json, sys\n"
        "from handloom.cli import main\n"
        f"ended = main({arguments!r})\n"
        "print(json.dumps([ended, sorted({name.partition('.')[0] for name in sys.modules})]))"
    )
    ended, modules = json.loads(site.python("-c", code).stdout.splitlines()[-1])
    assert ended == 0
    assert not {*HEAVY, "lab_a"} & set(modules)


def test_module_and_script_are_the_same_program(site):
    assert site.handloom("--version").stdout == "handloom 0.1.0\n"


@pytest.mark.parametrize("name", ["run", "plan", "config", "plugins", "doctor", "new"])
def test_a_built_in_command_is_a_module_with_arguments_and_run(name):
    module = importlib.import_module(BUILT_IN[name].module)
    assert callable(module.add_arguments)
    assert callable(module.run)


def test_every_help_line_is_one_line_without_full_stop():
    assert all(command.help and "\n" not in command.help for command in BUILT_IN.values())
    assert not any(command.help.endswith(".") for command in BUILT_IN.values())


def test_an_unknown_command_names_the_nearest(capsys):
    assert main(["plugin"]) == 2
    assert capsys.readouterr().err == (
        "There is no command 'plugin'; did you mean 'plugins'? See: handloom --help\n"
    )


def test_a_command_of_ours_that_is_not_installed_says_what_brings_it(capsys, monkeypatch):
    monkeypatch.setattr("handloom.cli.entry.plugin_commands", dict)
    assert main(["simulate"]) == 2
    assert "no command 'simulate'; run: pip install 'handloom-simulation'. See" in capsys.readouterr().err


def test_wrong_arguments_end_with_2(capsys):
    assert main(["plugins", "--chekc"]) == 2
    assert "--chekc" in capsys.readouterr().err


def test_help_of_a_command_ends_with_0(capsys):
    assert main(["plugins", "--help"]) == 0
    assert "--check" in capsys.readouterr().out


def _command(monkeypatch, error):
    module = importlib.import_module("handloom.cli.plugins")

    def run(arguments):
        if error is not None:
            raise error
        return 1

    monkeypatch.setattr(module, "run", run)
    return main(["plugins"])


def test_a_command_that_ran_and_failed_ends_with_1(monkeypatch):
    assert _command(monkeypatch, None) == 1


@pytest.mark.parametrize(
    ("error", "printed"),
    [
        (HandloomError("Nothing is there."), "Nothing is there.\n"),
        (ConfigError(["a.toml: one.", "a.toml: two."]), "a.toml: one.\na.toml: two.\n"),
    ],
)
def test_a_mistake_in_what_was_asked_is_a_sentence_and_ends_with_2(monkeypatch, capsys, error, printed):
    assert _command(monkeypatch, error) == 2
    assert capsys.readouterr().err == printed


def test_an_interruption_ends_with_130(monkeypatch):
    assert _command(monkeypatch, KeyboardInterrupt()) == 130


def test_a_mistake_in_the_program_keeps_the_traceback_and_says_where_to_report(monkeypatch, capsys):
    assert _command(monkeypatch, ZeroDivisionError("by zero")) == 3
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "ZeroDivisionError: by zero" in err
    assert "This is a mistake in handloom 0.1.0" in err


def test_a_mistake_in_a_plugin_is_reported_to_its_authors(site):
    site.install(
        "lab-a",
        "handloom.commands",
        {"sweep": "lab_a"},
        {
            "lab_a": "from handloom.api import hookimpl\n"
            "def sweep(arguments):\n    return 1 // len(arguments)\n"
            "@hookimpl\ndef command(kind):\n    return sweep\n"
        },
        metadata="Project-URL: Issues, https://example.org/lab-a/issues\n",
    )
    assert site.handloom("sweep", "a", "b").returncode == 0
    ended = site.handloom("sweep")
    assert ended.returncode == 3
    assert "mistake in lab-a 1.0" in ended.stderr
    assert "https://example.org/lab-a/issues" in ended.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGPIPE and no head")
def test_a_reader_that_leaves_early_is_no_error(site):
    code = "from handloom.cli.guard import exit_code; raise SystemExit(exit_code(lambda: print('x') or 0))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


def test_what_the_system_refuses_is_a_sentence_and_no_mistake_of_ours(tmp_path, capsys):
    assert main(["inspect", str(tmp_path / ("x" * 300))]) == 2
    error = capsys.readouterr().err
    assert error.endswith("File name too long.\n") or "can't be read" in error
    pipeline = tmp_path / "p.toml"
    pipeline.write_text(f'scene.store = "{"x" * 300}"\n')
    assert main(["plan", str(pipeline), "--status"]) == 2
    assert "Traceback" not in capsys.readouterr().err
