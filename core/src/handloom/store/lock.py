"""The lock of a scene: one process writes, and its death frees the lock."""

from __future__ import annotations

import os
import sys
import weakref
from pathlib import Path

from handloom.errors import StoreError

if sys.platform == "win32":
    import msvcrt

    _BEYOND = 1 << 30  # locked byte; the process id before it stays readable

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        # flock, not lockf: a lockf lock is lost as soon as anything in this process closes the file.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class SceneLock:
    """An exclusive lock on a file that holds the owner's process id and nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            StoreError: Somebody holds it, or the file can't be opened; the message says who or why.
        """
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(f"{self._path} can't be locked for writing: {error.strerror}.") from error
        if not _try_lock(descriptor):
            holder = os.pread(descriptor, 32, 0) if hasattr(os, "pread") else os.read(descriptor, 32)
            os.close(descriptor)
            who = holder.decode(errors="replace").strip() or "unknown"
            raise StoreError(
                f"{self._path.parent.parent} is being written by process {who}; wait, or open with mode 'r'."
            )
        self._keep(descriptor)

    def release(self) -> None:
        """Give the lock back; nothing happens when it isn't held."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _keep(self, descriptor: int) -> None:
        self._descriptor = descriptor
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        if hasattr(os, "register_at_fork"):
            # A worker that outlives a killed runner would keep the lock through the descriptor it inherits.
            mine = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _release(mine))


def _release(lock: weakref.ref[SceneLock]) -> None:
    held = lock()
    if held is not None:
        held.release()
