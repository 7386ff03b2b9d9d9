"""The telemetry file: one plain `.npy` of records that grows while the arm moves, and is whole after a kill."""

from __future__ import annotations

import io
from contextlib import suppress
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
        """Begin an empty file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("wb")
        self._file.write(_header(0))
        self._file.flush()

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
        records: Records = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise RecordingError(f"{path} can't be read as telemetry: {error}.") from error
    if records.dtype != DTYPE:
        raise RecordingError(f"{path} holds {records.dtype}, not the telemetry of this version's loop.")
    return records
