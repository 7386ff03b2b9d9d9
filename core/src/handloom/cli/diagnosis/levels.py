"""Makes findings of each level."""

from __future__ import annotations

from handloom.api.diagnosis import Diagnosis, Level

__all__ = ["Diagnosis", "Level", "ok", "problem", "warning"]


def ok(subject: str, sentence: str) -> Diagnosis:
    """Make a finding that is as it should be."""
    return Diagnosis("ok", subject, sentence)


def warning(subject: str, sentence: str) -> Diagnosis:
    """Make a finding that some work will miss."""
    return Diagnosis("warning", subject, sentence)


def problem(subject: str, sentence: str) -> Diagnosis:
    """Make a finding of what does not work now."""
    return Diagnosis("problem", subject, sentence)
