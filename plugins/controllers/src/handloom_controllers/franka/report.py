"""What the arm's process tells its owner beside the states: how far it is, why it refuses, how it ended."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import attrs

from handloom_controllers.franka.settings import FrankaConfig

REPORT = "franka.json"


@attrs.frozen(kw_only=True)
class End:
    """How the arm's process ended.

    Attributes:
        at_rest: Whether the arm was at rest in its last state.
        speed_rad_per_s: Of its fastest joint there.
        reflexes: Names of what stopped it, the arm's own and those of this process.
        cycles: Of torque control.
        held: Of these, in which no torques came in time, so that those before were held.
        lost: States of the arm that did not come.
        limited: Cycles in which a torque was held back by its rate.
        slowest_us: Longest time from a state to its torques.
        scheduling: One sentence on what the process was granted.
    """

    at_rest: bool
    speed_rad_per_s: float
    reflexes: tuple[str, ...]
    cycles: int
    held: int
    lost: int
    limited: int
    slowest_us: float
    scheduling: str

    def sentence(self) -> str:
        """Say how well time was kept; "" where nothing was late."""
        if not (self.held or self.lost):
            return ""
        return (
            f"In {self.cycles} cycles of the arm, torques were late in {self.held} and those before were held; "
            f"{self.lost} states did not come; the slowest cycle took {self.slowest_us:.0f} µs. {self.scheduling}"
        )


@attrs.frozen(kw_only=True)
class Report:
    """The content of the report.

    Attributes:
        stage: What the process is doing.
        sentence: Why it gave up; "" while it has not.
        end: How it ended; None before that.
    """

    stage: str = "starting"
    sentence: str = ""
    end: End | None = None

    def write(self, path: Path) -> None:
        """Write it as a whole file or none."""
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_text(json.dumps(attrs.asdict(self)))
        beside.replace(path)

    @classmethod
    def read(cls, path: Path) -> Report:
        """Read one; that of a process that has not said anything yet where there is none."""
        try:
            found: dict[str, Any] = json.loads(path.read_text())
        except FileNotFoundError:
            return cls()
        end = found.pop("end")
        if end is not None:
            end = End(**{**end, "reflexes": tuple(end["reflexes"])})
        return cls(**found, end=end)

    def why(self, config: FrankaConfig) -> str:
        """Say why the arm gave no state; "" where this does not know."""
        if self.sentence or self.stage != "connecting":
            return self.sentence
        return (
            f"{config.address} does not answer as a Franka arm within {config.connect_s:g} s. Look whether it is "
            "the address of the control box, whether the box is on and FCI is activated in Desk, and whether "
            "another program is connected."
        )
