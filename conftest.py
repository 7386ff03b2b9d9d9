"""What the tests of every distribution share: the recordings that other people made."""

import os
from pathlib import Path

import pytest

NAMED_BY = "HANDLOOM_TEST_DATA"


def find_shared_data(named: str | None, root: Path) -> Path | None:
    """Return the folder of real files: the named one, else `../shared/data` beside the project; None without one.

    Raises:
        FileNotFoundError: A folder was named and is not there: a typing error must not skip tests.
    """
    if named:
        if not Path(named).is_dir():
            raise FileNotFoundError(f"{NAMED_BY} names {named}, which is no folder; mend or unset it.")
        return Path(named)
    beside = root.parent / "shared" / "data"
    return beside if beside.is_dir() else None


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real files that are not kept in this repository; skip the test where it is absent."""
    folder = find_shared_data(os.environ.get(NAMED_BY), Path(__file__).resolve().parent)
    if folder is None:
        pytest.skip(
            f"needs real recordings: put them at ../shared/data beside the project, or name them in {NAMED_BY}"
        )
    return folder
