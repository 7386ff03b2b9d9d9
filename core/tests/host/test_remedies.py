"""A plugin of ours that is missing is named with what to install."""

import tomllib
from pathlib import Path

import pytest

from handloom.errors import PluginError
from handloom.host import Host
from handloom.host.first_party import DISTRIBUTIONS, KINDS, OURS

PLUGINS = Path(__file__).parents[3] / "plugins"


def test_a_kind_of_ours_that_is_not_installed_says_what_brings_it():
    with pytest.raises(PluginError, match=r"the kind 'mcap'; run: pip install 'handloom-exporters\[foxglove\]'"):
        Host([]).load("exporters", "mcap")


def _entry_points():
    for path in sorted(PLUGINS.glob("*/pyproject.toml")):
        project = tomllib.loads(path.read_text())["project"]
        for group, entries in project.get("entry-points", {}).items():
            for kind in entries:
                yield group.removeprefix("handloom."), kind, project["name"]


@pytest.mark.skipif(not PLUGINS.is_dir(), reason="needs our plugins beside the core")
def test_every_kind_of_ours_can_be_looked_up():
    found = {(family, kind): name for family, kind, name in _entry_points()}
    told = {key: KINDS.get(key, "").partition("[")[0] for key in found}
    assert told == found, "add what is missing to handloom.host.first_party.KINDS"


@pytest.mark.skipif(not PLUGINS.is_dir(), reason="needs our plugins beside the core")
def test_each_family_of_ours_has_its_distribution():
    names = {tomllib.loads(path.read_text())["project"]["name"] for path in PLUGINS.glob("*/pyproject.toml")}
    assert set(DISTRIBUTIONS.values()) <= names


@pytest.mark.skipif(not PLUGINS.is_dir(), reason="needs our plugins beside the core")
def test_all_distributions_of_ours_are_known():
    names = {tomllib.loads(path.read_text())["project"]["name"] for path in PLUGINS.glob("*/pyproject.toml")}
    assert names == set(OURS)
