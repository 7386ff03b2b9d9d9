"""What is raised when the compiled library can't be used here."""

from __future__ import annotations

from handloom.errors import HandloomError


class NativeLibraryError(HandloomError):
    """Raised when the compiled library can't be used here; says why and what to do."""


class NoNativeLibraryError(NativeLibraryError):
    """Raised when there is no compiled library, or not the backend that a caller asked for.

    Then one may do without. What was named and is broken is no such thing: that is told.
    """
