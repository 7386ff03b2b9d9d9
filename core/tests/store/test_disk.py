import errno
import os

import pytest

from handloom.store import Disk, disk


def _no_link(*_):
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def test_a_medium_is_copied_where_the_file_system_has_no_links(film, tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "_clone", lambda source, target: False)
    monkeypatch.setattr(os, "link", _no_link)
    assert Disk().place(film, tmp_path / "x") == "copy"
    assert (tmp_path / "x").read_bytes() == film.read_bytes()
    assert not (tmp_path / "x").samefile(film)


def test_a_link_to_a_recording_is_followed(film, tmp_path):
    link = tmp_path / "link.mp4"
    link.symlink_to(film)
    Disk().place(link, tmp_path / "x")
    assert not (tmp_path / "x").is_symlink()
    assert (tmp_path / "x").read_bytes() == film.read_bytes()


def test_a_failed_clone_leaves_no_file(film, tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "_FICLONE", 0)
    assert not disk._clone(film, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_file_is_never_written_over(tmp_path):
    Disk().write(tmp_path / "x", b"a")
    with pytest.raises(FileExistsError):
        Disk().write(tmp_path / "x", b"b")


def test_removing_what_is_not_there_does_nothing_and_links_are_not_followed(film, tmp_path):
    Disk().remove_tree(tmp_path / "nothing")
    tree = tmp_path / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "deep" / "link").symlink_to(film.parent, target_is_directory=True)
    Disk().remove_tree(tree)
    assert film.exists()
    assert not tree.exists()


def test_a_full_disk_says_what_was_needed_and_other_errors_where():
    full = disk.explain(OSError(errno.ENOSPC, "No space left"), "writing 'a'", needed=3_000_000)
    assert str(full).startswith("Disk full: writing 'a' needed at least 3.0 MB; nothing of the step was kept")
    other = disk.explain(PermissionError(errno.EACCES, "Permission denied", "x"), "writing 'a'")
    assert "Permission denied (x)" in str(other)
