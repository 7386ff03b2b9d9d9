"""What `handloom doctor` tells of the controllers: how their library is called, and what keeps time here."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from handloom.api import Diagnosis, hookimpl
from handloom.errors import HandloomError

FIFO_PRIORITY = 80
_LOCK_ALL = 1 | 4  # MCL_CURRENT | MCL_ONFAULT of sys/mman.h: asks for the permission, fetches nothing
_LIMITS = "/etc/security/limits.conf"


@hookimpl
def diagnosis(kind: str) -> Callable[[], Iterable[Diagnosis]]:
    """Answer for `controllers`."""
    return diagnose


def diagnose() -> Iterable[Diagnosis]:
    """Look at the compiled library of the controllers, and at what the system permits to a real-time loop."""
    yield _library()
    if sys.platform.startswith("linux"):
        yield _scheduler()
        yield _memory()
        yield _kernel()


def _library() -> Diagnosis:
    from handloom_controllers.native import NoNativeLibraryError, library
    from handloom_controllers.native.location import is_stale

    try:
        loaded = library()
    except NoNativeLibraryError as error:
        return Diagnosis("warning", "real-time library", f"{error} Until then only what is not real-time runs.")
    except HandloomError as error:
        return Diagnosis("problem", "real-time library", str(error))
    if is_stale(loaded.path):
        stale = "was compiled from other sources than those beside it; install handloom-controllers again."
        return Diagnosis("warning", "real-time library", f"{loaded.path} {stale}")
    return Diagnosis("ok", "real-time library", f"{loaded.path.name}. {loaded.why}")


def _scheduler() -> Diagnosis:
    """Ask for SCHED_FIFO, and give it back: asking is the only sure test."""
    before, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(FIFO_PRIORITY))
    except OSError as error:
        missing = f"is not permitted ({error.strerror}): the loop will be late whenever the machine is busy"
        return Diagnosis("warning", "SCHED_FIFO", f"Priority {FIFO_PRIORITY} {missing}. {_permit('rtprio 99')}")
    os.sched_setscheduler(0, before, parameters)
    return Diagnosis("ok", "SCHED_FIFO", f"Priority {FIFO_PRIORITY} is permitted.")


def _memory() -> Diagnosis:
    """Ask for locked memory, and give it back."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.mlockall(_LOCK_ALL):
        reason = os.strerror(ctypes.get_errno())
        missing = f"Locking memory is not permitted ({reason}): the loop may wait for the disk."
        return Diagnosis("warning", "mlockall", f"{missing} {_permit('memlock unlimited')}")
    system.munlockall()
    return Diagnosis("ok", "mlockall", "Locking memory is permitted.")


def _permit(limit: str) -> str:
    user = os.environ.get("USER") or "YOUR_NAME"
    return f"Add the line `{user} - {limit}` to {_LIMITS} and log in again."


def _kernel(place: Path = Path("/sys/kernel/realtime")) -> Diagnosis:
    """Tell whether the kernel bounds how late a loop can be."""
    try:
        bounded = place.read_text().strip() == "1"
    except OSError:
        bounded = False
    if bounded:
        return Diagnosis("ok", "kernel", "PREEMPT_RT: how late the loop can be is bounded.")
    hint = "it keeps 1 kHz well, with rare late cycles; for a real arm choose one with PREEMPT_RT"
    return Diagnosis("ok", "kernel", f"An ordinary one: {hint} (Debian: `apt install linux-image-rt-amd64`).")
