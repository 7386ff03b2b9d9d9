"""What a series of kills came to."""

from __future__ import annotations

import attrs


@attrs.define
class Tally:
    """Counts of a series.

    Attributes:
        tries: Runs that were disturbed.
        struck: Of these, how many were really cut short: the rest had ended before.
        bad: For each run that left a bad store or resumed to other bytes, what is wrong.
    """

    tries: int = 0
    struck: int = 0
    bad: list[str] = attrs.field(factory=list)

    def enter(self, name: str, problems: list[str], *, struck: bool) -> None:
        """Count one run."""
        self.tries += 1
        self.struck += struck
        if problems:
            self.bad.append(f"{name}: {'; '.join(problems)}")
