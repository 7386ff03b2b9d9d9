"""The doctor's word on the controllers: which backend and why, which permission is missing, how to get it."""

import os

import pytest

from handloom.api import Diagnosis
from handloom.errors import HandloomError
from handloom_controllers import diagnosis, native
from handloom_controllers.native import NoNativeLibraryError, location


def refuse(error):
    def refused(*arguments):
        raise error

    return refused


def test_it_says_which_backend_and_why(native_once):
    found = diagnosis._library()
    assert found.level == "ok"
    assert native_once.why in found.sentence


def test_a_stale_library_is_a_warning(native_once, monkeypatch):
    monkeypatch.setattr(location, "is_stale", lambda path: True)
    found = diagnosis._library()
    assert found.level == "warning"
    assert "compiled from other sources" in found.sentence


@pytest.mark.parametrize(
    ("error", "level"), [(NoNativeLibraryError("None is here."), "warning"), (HandloomError("Broken."), "problem")]
)
def test_no_library_is_a_warning_and_a_wrong_one_a_problem(monkeypatch, error, level):
    monkeypatch.setattr(native, "library", refuse(error))
    found = diagnosis._library()
    assert found.level == level
    assert str(error) in found.sentence


def test_without_the_permission_for_fifo_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(os, "sched_setscheduler", refuse(PermissionError(1, "Operation not permitted")))
    monkeypatch.setenv("USER", "lena")
    found = diagnosis._scheduler()
    assert found.level == "warning"
    assert "`lena - rtprio 99` to /etc/security/limits.conf" in found.sentence


def test_asking_for_fifo_leaves_the_scheduler_as_it_was():
    before = os.sched_getscheduler(0)
    assert diagnosis._scheduler().level in {"ok", "warning"}
    assert os.sched_getscheduler(0) == before


def test_without_the_permission_to_lock_memory_it_says_how_to_get_it(monkeypatch):
    class Library:
        def __init__(self, *arguments, **named):
            pass

        def mlockall(self, flags):
            return -1

    monkeypatch.setattr(diagnosis.ctypes, "CDLL", Library)
    found = diagnosis._memory()
    assert found.level == "warning"
    assert "memlock unlimited" in found.sentence


def test_a_kernel_that_bounds_lateness_is_told_from_an_ordinary_one(tmp_path):
    assert "An ordinary one" in diagnosis._kernel(tmp_path / "realtime").sentence
    (tmp_path / "realtime").write_text("1\n")
    assert diagnosis._kernel(tmp_path / "realtime").sentence.startswith("PREEMPT_RT")


def test_every_finding_is_a_sentence():
    assert all(isinstance(found, Diagnosis) and found.sentence.endswith(".") for found in diagnosis.diagnose())
