"""What the tests of the compiled library share: the library by each backend, skipped only where there is none."""

import pytest

from handloom_controllers.native import Library, NoNativeLibraryError, library
from handloom_controllers.native.location import is_stale

BACKENDS = ("cppyy", "ctypes")


def loaded(backend: str) -> Library:
    """Load the library, or skip the test and say why; a stale one, or one of another build, fails the test."""
    try:
        found = library(backend)
    except NoNativeLibraryError as missing:
        pytest.skip(str(missing))
    if is_stale(found.path):
        pytest.fail(f"{found.path} was compiled from other sources than those here: compile it again.")
    return found


@pytest.fixture(scope="session", params=BACKENDS)
def native(request: pytest.FixtureRequest) -> Library:
    """Return the library once by each backend: for what must hold with both."""
    return loaded(request.param)


@pytest.fixture(scope="session")
def native_once() -> Library:
    """Return the library by the backend that a user gets: for what is the library's own affair."""
    return loaded("auto")
