"""The file under an MCAP writer, which keeps what the system refused: the SDK would print it and go on."""

from __future__ import annotations

import os
from typing import BinaryIO


class Sink:
    """What foxglove writes to; after the first refusal it takes everything and writes nothing.

    It counts where it would stand, since the SDK ends the process when a position makes no sense.

    Attributes:
        refused: The first error of the system; None as long as all went well. Whoever writes must look at it.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._position = 0
        self._end = 0
        self.refused: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write."""
        if not self.refused:
            try:
                self._file.write(data)
            except OSError as error:
                self.refused = error
        self._position += len(data)
        self._end = max(self._end, self._position)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move; a file with a buffer writes it then."""
        if not self.refused:
            try:
                self._file.seek(offset, whence)
            except OSError as error:
                self.refused = error
        self._position = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._end}[whence]
        return self._position

    def flush(self) -> None:
        """Hand everything to the system."""
        if not self.refused:
            try:
                self._file.flush()
            except OSError as error:
                self.refused = error

    def check(self) -> None:
        """Raise what the system refused, if it did."""
        if self.refused:
            raise self.refused
