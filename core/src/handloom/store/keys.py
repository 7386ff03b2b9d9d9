"""Which step of which episode: the key of a transaction, and the group it owns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

import attrs

from handloom.errors import StoreError

RECORD = "record"
"""Name of the node beside the arrays that holds `commit.json` and `failed.json`."""

_RESERVED = {"annotations", "episodes", "media", RECORD, "zarr.json"}
_ILLEGAL = set('<>:"/\\|?*')
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
_LONGEST = 200  # bytes; file systems stop at 255

Kind = Literal["sensor", "step"]


def check_name(name: str, what: str) -> str:
    """Return a name that every file system and zarr accept as one path component, or refuse it.

    Args:
        name: Episode, step, device or stream.
        what: Which of them, for the message.

    Raises:
        StoreError: The name can't be used; the message says why and what can.
    """
    reason = _fault_of(name)
    if reason:
        raise StoreError(
            f"{what} name {name!r} {reason}; letters of any script, digits, spaces, '-', '_' and '.' are fine."
        )
    return name


def _fault_of(name: str) -> str:
    if not name.strip():
        return "is empty"
    if name[0] == "." or name.startswith("__"):
        return "starts with '.' or '__', which the store keeps for itself"
    if name[-1] in ". ":
        return "ends with a dot or a space, which Windows drops"
    wrong = sorted(
        {c for c in name if c in _ILLEGAL or ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF or ord(c) == 127}
    )
    if wrong:
        return f"holds {', '.join(map(repr, wrong))}, not allowed in file names everywhere"
    if name.casefold() in _RESERVED:
        return "is one the store uses itself"
    if name.split(".")[0].strip().casefold() in _DEVICES:
        return "is a device on Windows"
    return f"is longer than {_LONGEST} bytes" if len(name.encode()) > _LONGEST else ""


@attrs.frozen(order=True)
class StepKey:
    """One step instance: a sensor or step, of an episode or of the whole scene.

    Attributes:
        step: Name of the sensor or step in the pipeline.
        episode: Episode id; "" for a step of the whole scene.
        kind_of: "sensor" owns `episodes/<episode>/<step>`, "step" owns `…/annotations/<step>`.
    """

    step: str
    episode: str = ""
    kind_of: Kind = "step"

    def __attrs_post_init__(self) -> None:
        check_name(self.step, "Step")
        if self.episode:
            check_name(self.episode, "Episode")
        if self.kind_of not in get_args(Kind):
            raise StoreError(f"A step key is of kind 'sensor' or 'step'; found {self.kind_of!r}.")
        if self.kind_of == "sensor" and not self.episode:
            raise StoreError(f"Sensor '{self.step}' needs an episode: recordings belong to one.")

    @property
    def path(self) -> str:
        """The group the step owns, relative to the scene."""
        inside = self.step if self.kind_of == "sensor" else f"annotations/{self.step}"
        return f"episodes/{self.episode}/{inside}" if self.episode else inside

    @classmethod
    def of_path(cls, path: str) -> StepKey:
        """Return the key that owns a group path.

        Raises:
            StoreError: No step can own this path.
        """
        match PurePosixPath(path).parts:
            case ("annotations", step):
                return cls(step)
            case ("episodes", episode, "annotations", step):
                return cls(step, episode)
            case ("episodes", episode, step):
                return cls(step, episode, "sensor")
        raise StoreError(
            f"'{path}' is not the group of a step; expected episodes/<episode>/<device>, "
            f"episodes/<episode>/annotations/<step> or annotations/<step>."
        )

    def to_json(self) -> dict[str, str]:
        """Return the key as plain JSON values."""
        return attrs.asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> StepKey:
        """Read what `to_json` wrote."""
        return cls(values["step"], values["episode"], values["kind_of"])

    def __str__(self) -> str:
        return f"'{self.step}' of episode '{self.episode}'" if self.episode else f"'{self.step}' of the scene"
