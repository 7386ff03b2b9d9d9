"""Every error Handloom raises on purpose: where, what was found, what was expected, what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class HandloomError(Exception):
    """Base of every error that is meant for the reader; the message is a whole sentence."""


class ConfigError(HandloomError):
    """Raised once for all the mistakes of a configuration.

    Attributes:
        problems: One sentence for each mistake, in the order of the file.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class PluginError(HandloomError):
    """Raised when a plugin is missing, broken or ambiguous; names its distribution and the fix."""


class StreamError(HandloomError):
    """Raised when samples do not have the type, length or order that their stream declares."""


class ClockError(HandloomError):
    """Raised when stamps of different clocks meet without a map between them."""


class FrameError(HandloomError):
    """Raised when no known transform joins two coordinate frames, or a transform is not one."""


class StoreError(HandloomError):
    """Raised when a store can't be opened, written or trusted."""


class DiskFullError(StoreError):
    """Raised when the disk has no room for a result; what was committed before is untouched."""


class MediaError(HandloomError):
    """Raised when a video or audio file can't be read as what it claims to be."""


class RecordingError(HandloomError):
    """Raised when a recorded file can't be turned into streams."""


class NoTelemetryError(RecordingError):
    """Raised when a video carries no telemetry track: not from a GoPro, or re-encoded since."""


class StepError(HandloomError):
    """Raised by a step that can't do its work on this episode, with the reason."""


class WireError(HandloomError):
    """Raised when a message from the network is not what the contract allows."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """End a sentence about an unknown word: with the nearest known one, a short list of them, or a full stop."""
    names = sorted(set(known))
    near = nearest(word, names)
    if near != ".":
        return near
    if names and len(names) <= 12:
        return f"; known: {', '.join(names)}."
    return "."


def nearest(word: object, known: Iterable[str]) -> str:
    """End a sentence that has listed the known words already: with the one nearest to a word, or a full stop."""
    near = get_close_matches(str(word), sorted(set(known)), n=1)
    return f"; did you mean '{near[0]}'?" if near else "."
