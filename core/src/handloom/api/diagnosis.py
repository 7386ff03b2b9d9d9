"""One thing that was found out about a machine or an installation, and how bad it is."""

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
