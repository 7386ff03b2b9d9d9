"""What is raised when the compiled library can't be used here."""

from __future__ import annotations

from handloom.errors import HandloomError


class NativeLibraryError(HandloomError):
    """Raised when the compiled library can't be used here; says why and what to do."""


class NoNativeLibraryError(NativeLibraryError):
    """Raised when the compiled library, or the backend that was asked for, is not there at all."""
