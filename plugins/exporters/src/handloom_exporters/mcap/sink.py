"""The file under an MCAP writer, which remembers what the system refused: the SDK prints it and goes on."""

from __future__ import annotations

from typing import BinaryIO


class Sink:
    """What foxglove writes to.

    Attributes:
        refused: The first error of the system; None as long as all went well.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.refused: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write."""
        try:
            return self._file.write(data)
        except OSError as error:
            self.refused = self.refused or error
            raise

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move; a file with a buffer writes it then."""
        try:
            return self._file.seek(offset, whence)
        except OSError as error:
            self.refused = self.refused or error
            raise

    def flush(self) -> None:
        """Hand everything to the system."""
        try:
            self._file.flush()
        except OSError as error:
            self.refused = self.refused or error
            raise
