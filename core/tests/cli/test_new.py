"""A written distribution passes its own contract as it is, and is never half written or written over another."""

import json
import tomllib

import pytest

from handloom.cli import main
from handloom.cli.scaffold import distribution, names_from
from handloom.errors import HandloomError
from handloom.host import Found

FAMILIES = ("sensors", "pose_sources", "models", "controllers", "robots", "exporters", "steps")


def _write(folder, family, name, *options):
    assert main(["new", "plugin", family, name, "--folder", str(folder), *options]) == 0
    return folder / name


@pytest.mark.slow
def test_written_distributions_pass_their_own_contracts_on_the_first_run(site, tmp_path, monkeypatch):
    folders = [_write(tmp_path, family, f"lab-{family.replace('_', '-')}") for family in FAMILIES]
    folders.append(_write(tmp_path, "steps", "lab-frames", "--frames"))
    for folder in folders:
        monkeypatch.syspath_prepend(str(folder / "src"))
    # One run for all, for the sake of time; alone each takes the import mode from its own pyproject.toml.
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    ended = site.python("-W", "error", "-m", "pytest", *options, *map(str, folders), cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout
    assert "skipped" not in ended.stdout


def test_written_plugins_are_found_by_their_entry_points_and_keep_the_contract(site, tmp_path):
    for family in FAMILIES:
        folder = _write(tmp_path, family, f"lab-{family.replace('_', '-')}")
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        package = project["name"].replace("-", "_")
        site.install(project["name"], f"handloom.{family}", project["entry-points"][f"handloom.{family}"], {})
        (folder / "src" / package).rename(site.folder / package)
    findings = json.loads(site.handloom("plugins", "--check", "--json").stdout)
    mine = [finding for finding in findings if finding["distribution"].startswith("lab-")]
    assert sorted(finding["family"] for finding in mine) == sorted(FAMILIES)
    assert [finding["problem"] for finding in mine] == [""] * len(FAMILIES)


def test_no_placeholder_is_left_over(tmp_path):
    folder = _write(tmp_path, "sensors", "lab-encoder")
    texts = [path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(texts) == 6
    assert not any("$" in text for text in texts)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Lab", "can't be the name of a plugin"),
        ("2lab", "can't be the name of a plugin"),
        ("lab--x", "can't be the name of a plugin"),
        ("../lab", "can't be the name of a plugin"),
        ("l" * 61, "can't be the name of a plugin"),
        ("class", "taken by Python itself"),
        ("json", "taken by Python itself"),
        ("numpy", "taken by a package that is installed"),
        ("handloom-sensors", "taken by Handloom's own"),
    ],
)
def test_a_bad_or_taken_name_is_refused_with_a_sentence(tmp_path, capsys, name, sentence):
    assert main(["new", "plugin", "sensors", name, "--folder", str(tmp_path)]) == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_kind_that_is_taken_in_the_family_is_refused():
    found = [Found("sensors", "lab_encoder", "other", "lab-other", "1.0")]
    with pytest.raises(HandloomError, match=r"taken by a plugin of lab-other 1\.0"):
        names_from("lab-encoder", "sensors", found)
    assert names_from("lab-encoder", "models", found).component == "LabEncoder"


def test_an_unknown_family_names_the_nearest(tmp_path, capsys):
    assert main(["new", "plugin", "sensor", "lab-x", "--folder", str(tmp_path)]) == 2
    assert "did you mean 'sensors'?" in capsys.readouterr().err


def test_frames_without_steps_is_refused(tmp_path, capsys):
    assert main(["new", "plugin", "models", "lab-x", "--frames", "--folder", str(tmp_path)]) == 2
    assert "--frames goes with the family steps only" in capsys.readouterr().err


def test_an_existing_folder_is_left_as_it_is(tmp_path, capsys):
    (tmp_path / "lab-x").mkdir()
    assert main(["new", "plugin", "sensors", "lab-x", "--folder", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert list((tmp_path / "lab-x").iterdir()) == []


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(distribution.Path, "write_text", full)
    assert main(["new", "plugin", "sensors", "lab-x", "--folder", str(tmp_path)]) == 2
    assert "can't be written: No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
