"""A folder is judged by what ingest would do in it, and left as it was."""

import pytest

from handloom.cli.diagnosis import folder as module
from handloom.cli.diagnosis.folder import folder
from handloom.store import Disk


def _keeping(path):
    return next(finding for finding in folder(path) if finding.subject == "keeping")


def test_a_folder_that_links_is_well_and_left_empty(tmp_path):
    assert _keeping(tmp_path).level == "ok"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_neither_clone_nor_link_copies_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(Disk, "place", lambda *_: "copy")
    assert _keeping(tmp_path).level == "warning"
    assert "recordings are copied" in _keeping(tmp_path).sentence


def test_a_missing_folder_is_a_problem(tmp_path):
    assert [finding.level for finding in folder(tmp_path / "none")] == ["problem"]


def test_a_folder_nobody_can_write_is_a_problem(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module.tempfile, "TemporaryDirectory", refuse)
    assert folder(tmp_path)[-1].level == "problem"
    assert "Permission denied" in folder(tmp_path)[-1].sentence


@pytest.mark.parametrize(("free", "level"), [(5 * 10**8, "problem"), (10**10, "warning"), (10**12, "ok")])
def test_room_is_judged_by_an_hour_of_video(tmp_path, free, level):
    assert module._room(tmp_path, free).level == level
