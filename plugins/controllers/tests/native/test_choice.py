"""The backend is the one that was asked for, else the best that runs, and the sentence says which and why."""

import pytest

from handloom.errors import HandloomError
from handloom_controllers.native import NativeLibraryError, NoNativeLibraryError, location
from handloom_controllers.native import loading as module


@pytest.fixture(autouse=True)
def _nothing_is_asked_for(monkeypatch):
    monkeypatch.delenv(module.BACKEND, raising=False)
    monkeypatch.setattr(module, "why_not_cppyy", lambda: None)


def test_cppyy_is_taken_where_it_runs():
    assert module.choose() == ("cppyy", "It is called through cppyy, which runs here.")


def test_the_environment_chooses_where_the_caller_does_not(monkeypatch):
    monkeypatch.setenv(module.BACKEND, "ctypes")
    backend, why = module.choose()
    assert backend == "ctypes"
    assert module.BACKEND in why
    assert module.choose("cppyy")[0] == "cppyy"


def test_without_cppyy_it_is_ctypes_and_the_reason_is_told(monkeypatch):
    monkeypatch.setattr(module, "why_not_cppyy", lambda: "there is no compiler")
    backend, why = module.choose()
    assert backend == "ctypes"
    assert why.endswith("because there is no compiler.")


def test_cppyy_that_was_asked_for_and_does_not_run_is_no_silent_ctypes(monkeypatch):
    monkeypatch.setattr(module, "why_not_cppyy", lambda: "there is no compiler")
    with pytest.raises(NoNativeLibraryError, match="asks for the backend cppyy, but there is no compiler"):
        module.choose("cppyy")
    monkeypatch.setenv(module.BACKEND, "cppyy")
    with pytest.raises(NativeLibraryError, match="HANDLOOM_RT_BACKEND asks for the backend cppyy") as told:
        module.choose()
    assert not isinstance(told.value, NoNativeLibraryError)  # with which a law would do without


def test_a_backend_that_nobody_knows_is_refused(monkeypatch):
    monkeypatch.setenv(module.BACKEND, "rust")
    with pytest.raises(HandloomError, match=r"no backend 'rust' \(HANDLOOM_RT_BACKEND asks"):
        module.choose()


def test_a_library_that_is_named_and_not_there_is_no_silent_other_one(monkeypatch, tmp_path):
    monkeypatch.setenv(location.OVERRIDE, str(tmp_path / "none.so"))
    with pytest.raises(NativeLibraryError, match=r"names .*none\.so, which is no file") as told:
        location.library_path()
    assert not isinstance(told.value, NoNativeLibraryError)  # with which a law would do without
