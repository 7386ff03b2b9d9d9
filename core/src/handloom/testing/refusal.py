"""Run something that has to fail with a sentence, and progress that has to rise."""

from __future__ import annotations

from collections.abc import Callable

from handloom.errors import HandloomError


def sentence_from(action: Callable[[], object]) -> str:
    """Run an action that must refuse; return the message.

    Raises:
        AssertionError: It did not raise a HandloomError, or the message is not a sentence.
    """
    try:
        action()
    except HandloomError as error:
        message = str(error)
    except Exception as error:
        raise AssertionError(f"raised {error!r}; expected a HandloomError with a sentence") from error
    else:
        raise AssertionError("did not refuse; expected a HandloomError with a sentence")
    assert message.rstrip().endswith((".", "!", "?")), f"the message is not a whole sentence: {message!r}"
    return message


class Rising:
    """A progress function that notes what it is told."""

    def __init__(self) -> None:
        self.shares: list[float] = []

    def __call__(self, share: float) -> None:
        """Note the share."""
        self.shares.append(share)

    def check(self) -> None:
        """Refuse shares outside 0 to 1, or that fall."""
        assert all(0 <= share <= 1 for share in self.shares), f"progress leaves 0 to 1: {self.shares}"
        assert self.shares == sorted(self.shares), f"progress falls: {self.shares}"


def no_progress(share: float) -> None:
    """Listen to nothing."""
