"""One thing the doctor found, and how bad it is."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["ok", "warning", "problem"]


class Diagnosis(NamedTuple):
    """One finding.

    Attributes:
        level: "ok", "warning" for what some work will miss, "problem" for what does not work now.
        subject: What was looked at, in a word or two.
        sentence: What was found, and what to do about it.
    """

    level: Level
    subject: str
    sentence: str


def ok(subject: str, sentence: str) -> Diagnosis:
    """Make a finding that is as it should be."""
    return Diagnosis("ok", subject, sentence)


def warning(subject: str, sentence: str) -> Diagnosis:
    """Make a finding that some work will miss."""
    return Diagnosis("warning", subject, sentence)


def problem(subject: str, sentence: str) -> Diagnosis:
    """Make a finding of what does not work now."""
    return Diagnosis("problem", subject, sentence)
