"""What all tests share: recordings, hypothesis' examples, skipping where the real-time library is not there."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

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


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Let hypothesis try the same examples in every run; `--hypothesis-profile=default` looks for new ones."""
    settings.register_profile("same", derandomize=True)
    settings.load_profile("same")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try a test of real time up to twice anew: that the machine stood still for 20 ms is no fault of the loop."""
    for item in items:
        if item.get_closest_marker("real_time"):
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real files that are not kept in this repository; skip the test where it is absent."""
    folder = find_shared_data(os.environ.get(NAMED_BY), Path(__file__).resolve().parent)
    if folder is None:
        pytest.skip(
            f"needs real recordings: put them at ../shared/data beside the project, or name them in {NAMED_BY}"
        )
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a test whose fixture met the real-time library's absence."""
    return (yield from _skipping_without_library())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a test that met the real-time library's absence."""
    return (yield from _skipping_without_library())


def _skipping_without_library() -> Generator[None, object, object]:
    try:
        return (yield)
    except Exception as error:
        if type(error).__name__ == "NoNativeLibraryError" and _library_is_absent():
            pytest.skip(str(error))
        raise


def _library_is_absent() -> bool:
    """Tell whether the controllers were installed without their library: a test that has it may not be skipped."""
    from handloom_controllers.native import NoNativeLibraryError
    from handloom_controllers.native.location import library_path

    try:
        library_path()
    except NoNativeLibraryError:
        return True
    return False
