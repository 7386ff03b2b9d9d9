"""Which plugins are there is read from metadata, whatever state the distributions are in."""

import sys

from handloom.host import Found, discover, unreadable


def _mine(found):
    return [plugin for plugin in found if plugin.distribution.startswith("lab-")]


def test_plugins_are_found_sorted_without_importing_them(site):
    site.install("lab-b", "handloom.sensors", {"wheel": "lab_b", "arm": "lab_b"}, {"lab_b": "raise SystemExit"})
    site.install("lab-a", "handloom.models", {"guess": "lab_a"}, {"lab_a": site.sensor}, version="2.5")
    assert _mine(discover()) == [
        Found("models", "guess", "lab_a", "lab-a", "2.5"),
        Found("sensors", "arm", "lab_b", "lab-b", "1.0"),
        Found("sensors", "wheel", "lab_b", "lab-b", "1.0"),
    ]
    assert not {"lab_a", "lab_b"} & set(sys.modules)


def test_entry_points_of_other_programs_are_not_ours(site):
    site.install("lab-a", "pytest11", {"handloom.": "lab_a"}, {})
    assert _mine(discover()) == []


def test_extras_of_an_entry_point_are_no_part_of_the_module_name(site):
    site.install("lab-a", "handloom.sensors", {"arm": "lab_a [usb]"}, {})
    assert [plugin.target for plugin in _mine(discover())] == ["lab_a"]


def test_broken_metadata_of_one_distribution_does_not_hide_the_others(site):
    site.install("lab-a", "handloom.sensors", {"arm": "lab_a"}, {})
    site.install("lab-b", "handloom.sensors", {"wheel": "lab_b"}, {})
    site.install("lab-c", "handloom.sensors", {"finger": "lab_c"}, {})
    (site.folder / "lab_b-1.0.dist-info" / "entry_points.txt").write_bytes(b"[handloom.sensors]\n\xff\xfe = x\n")
    (site.folder / "lab_c-1.0.dist-info" / "METADATA").unlink()
    assert [plugin.kind for plugin in _mine(discover())] == ["arm"]
    assert [item.distribution for item in unreadable()] == ["lab_b-1.0.dist-info", "lab_c-1.0.dist-info"]
    assert "UnicodeDecodeError" in unreadable()[0].problem


def test_the_first_copy_of_a_distribution_on_the_path_hides_the_later_one(site, tmp_path, monkeypatch):
    site.install("lab-a", "handloom.sensors", {"arm": "old"}, {})
    newer = tmp_path / "newer"
    site.folder = newer
    site.install("Lab_A", "handloom.sensors", {"arm": "new"}, {}, version="2.0")
    monkeypatch.syspath_prepend(str(newer))
    assert [plugin.target for plugin in discover() if plugin.kind == "arm"] == ["new"]
