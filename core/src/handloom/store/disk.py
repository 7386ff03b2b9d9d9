"""The only place that changes files: every write, sync, rename and removal of the store goes through a Disk."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from handloom.errors import DiskFullError, StoreError

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_WAITERS = 8  # on a busy ext4, 34 files of 10 MB: 357 ms one by one, 90 ms with 4, 74 ms with 16
_FICLONE = 0x40049409  # Source: ioctl_ficlone(2)


class Disk:
    """Durable file operations; a test passes a subclass whose `before` counts, kills or raises."""

    def before(self, operation: str, path: Path) -> None:
        """Do nothing; called before each single operation that changes the disk."""

    def make_directory(self, path: Path) -> None:
        """Make one directory, whose parent exists."""
        self.before("mkdir", path)
        path.mkdir()

    def write(self, path: Path, data: bytes | memoryview) -> None:
        """Write a new file; it is durable after `sync`."""
        self.before("write", path)
        with path.open("xb") as file:
            file.write(data)

    def sync(self, path: Path) -> None:
        """Wait until a file, or the names in a directory, are on the medium."""
        self.before("sync", path)
        self.flush(path)

    def sync_tree(self, root: Path) -> None:
        """Sync every file and then every directory below and including `root`."""
        files: list[Path] = []
        folders: list[Path] = []
        for folder, _, names in os.walk(root, topdown=False):
            files += [Path(folder, name) for name in sorted(names)]
            folders.append(Path(folder))
        # The file system commits its journal once for all that wait for it together.
        with ThreadPoolExecutor(_WAITERS) as pool:
            for paths in (files, folders):
                for path in paths:
                    self.before("sync", path)
                list(pool.map(self.flush, paths))

    def flush(self, path: Path) -> None:
        """Do what `sync` waits for; called from several threads."""
        if sys.platform == "win32" and path.is_dir():
            return  # Windows has no handle to a directory that could be flushed
        flags = os.O_RDWR if sys.platform == "win32" else os.O_RDONLY
        descriptor = os.open(path, flags)
        try:
            _flush(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """Move a file over another, or a directory to a free name, in one instant."""
        self.before("rename", target)
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Remove one file."""
        self.before("remove", path)
        path.unlink()

    def remove_tree(self, root: Path) -> None:
        """Remove a directory with all that is in it, or a file; nothing happens when it isn't there."""
        if root.is_file() or root.is_symlink():
            self.remove(root)
            return
        for folder, folders, files in os.walk(root, topdown=False):
            for name in sorted(files):
                self.remove(Path(folder, name))
            for name in sorted(folders):
                self._remove_directory(Path(folder, name))
        if root.exists():
            self._remove_directory(root)

    def _remove_directory(self, path: Path) -> None:
        self.before("rmdir", path)
        if path.is_symlink():
            path.unlink()
        else:
            path.rmdir()

    def place(self, source: Path, target: Path) -> str:
        """Give a file a second name without reading it where the file system allows, else copy it.

        Returns:
            "clone", "link" or "copy": what was done.
        """
        self.before("place", target)
        if _clone(source, target):
            return "clone"
        try:
            os.link(source.resolve(), target)  # the file, not a symbolic link to it
        except OSError as error:
            if is_disk_full(error):
                raise
            shutil.copyfile(source, target)  # another file system, or one without links
            return "copy"
        return "link"


def _flush(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # plain fsync leaves the data in the drive's cache
    else:
        os.fsync(descriptor)


def _clone(source: Path, target: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    with source.open("rb") as old, target.open("xb") as new:
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError:
            cloned = False
        else:
            cloned = True
    if not cloned:
        target.unlink()
    return cloned


def is_disk_full(error: BaseException) -> bool:
    """Say whether an error means that there is no room left, so that nothing else can work either."""
    return isinstance(error, DiskFullError) or (isinstance(error, OSError) and error.errno in _FULL)


def explain(error: OSError, doing: str, *, needed: int = 0) -> StoreError:
    """Turn a failure of the operating system into a sentence for the reader.

    Args:
        error: What the system said.
        doing: What was attempted, as a clause: "writing step 'camera' of episode '1'".
        needed: Bytes the step needs, 0 when unknown.
    """
    where = error.filename or ""
    if not is_disk_full(error):
        return StoreError(f"While {doing}: {error.strerror or error} ({where}); earlier results are untouched.")
    need = f" needed at least {needed / 1e6:.1f} MB" if needed else " more room was needed"
    return DiskFullError(
        f"Disk full: {doing}{need}; nothing of the step was kept, earlier results are untouched. "
        f"Free space and run again."
    )
