"""The telemetry file: one plain `.npy` of records that grows while the arm moves, and is whole after a kill."""

from __future__ import annotations

import io
import os
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from handloom.errors import RecordingError
from handloom_controllers.native.structs import STRUCTS

Records = npt.NDArray[np.void]

DTYPE = STRUCTS["hl_telemetry"]
"""What a record holds; see docs/control.md."""


class TelemetryWriter:
    """Appends records to a `.npy` file, whose header says after every call how many there are.

    `open`, `append` as often as wanted, `close`; what was appended stays readable whatever happens then.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        self._count = 0

    def open(self) -> None:
        """Begin an empty file; whoever reads the one before keeps it.

        Raises:
            RecordingError: Another motion is writing the file, or the system does not take it.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # A new file in its place: one that is emptied would end whoever has it mapped.
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with closing(_held(self.path)):
            try:
                self._file = beside.open("wb")
                _hold(self._file, self.path)
                self._file.write(_header(0))
                self._file.flush()
                beside.replace(self.path)
            except OSError as error:
                self.close()
                beside.unlink(missing_ok=True)
                raise RecordingError(f"{self.path}: no telemetry can be written ({error.strerror}).") from error

    def append(self, records: Records) -> None:
        """Add records.

        Raises:
            RecordingError: The system does not take them, as on a full disk; what was there before stays readable.
        """
        if self._file is None or not len(records):
            return
        try:
            self._write(self._file, records)
        except OSError as error:
            told = f"{self.path}: the telemetry can't be written any more ({error.strerror})."
            raise RecordingError(f"{told} The first {self._count} records are whole.") from error

    def _write(self, file: BinaryIO, records: Records) -> None:
        file.write(records.tobytes())
        file.flush()
        file.seek(0)
        file.write(_header(self._count + len(records)))
        file.flush()
        file.seek(0, io.SEEK_END)
        self._count += len(records)

    def close(self) -> None:
        """Let go of the file; harmless when it is not open."""
        file, self._file = self._file, None
        if file:
            with suppress(OSError):  # of what could not be appended, and was told then
                file.close()

    def __enter__(self) -> TelemetryWriter:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _held(path: Path) -> BinaryIO:
    """Return the file of a path, made where it is not there, held by nobody else."""
    while True:
        file = path.open("ab")
        try:
            _hold(file, path)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except BaseException:
            file.close()
            raise
        file.close()  # somebody has put another one in its place meanwhile


def _hold(file: BinaryIO, path: Path) -> None:
    """Keep other motions from writing a file until it is closed, or this process gone."""
    if sys.platform == "win32":  # which lets nobody replace a file that is open
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        told = f"{path}: another motion is writing it; wait for its end, or give this one a `folder` of its own."
        raise RecordingError(told) from None


def _header(count: int) -> bytes:
    """Return a header of always the same length, so that it can be written over."""
    buffer = io.BytesIO()
    fields: dict[str, Any] = {"descr": npy.dtype_to_descr(DTYPE), "fortran_order": False, "shape": (count,)}
    npy.write_array_header_1_0(buffer, fields)
    return buffer.getvalue()


def read_telemetry(path: Path) -> Records:
    """Return the records of a telemetry file, mapped and not loaded.

    Raises:
        RecordingError: It is not there, or holds something else.
    """
    try:
        # Not numpy.load, which takes other kinds of files as well.
        records: Records = npy.open_memmap(path, mode="r")
    except (OSError, EOFError, ValueError) as error:
        raise RecordingError(f"{path} can't be read as telemetry: {error}.") from error
    if records.dtype != DTYPE or records.ndim != 1:
        found = f"{records.dtype} in a shape of {records.shape}"
        raise RecordingError(f"{path} holds {found:.200}, not the telemetry of this version's loop.")
    return records
