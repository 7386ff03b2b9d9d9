"""Real recordings are found or plainly absent; a wrong name is never taken for an absence."""

from pathlib import Path

import pytest

from conftest import find_shared_data


def test_the_named_folder_wins(tmp_path: Path) -> None:
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "mine").mkdir()
    assert find_shared_data(str(tmp_path / "mine"), tmp_path / "project") == tmp_path / "mine"


def test_the_folder_beside_the_project_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert find_shared_data(None, tmp_path / "project") == tmp_path / "shared" / "data"


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert find_shared_data(None, tmp_path / "project") is None


def test_a_named_folder_that_is_absent_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="HANDLOOM_TEST_DATA"):
        find_shared_data(str(tmp_path / "nowhere"), tmp_path)
