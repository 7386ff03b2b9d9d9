"""How grippers behave: stroke, speed, force, latency, and whether a move blocks."""

from __future__ import annotations

import math
from pathlib import Path

import attrs

from handloom.errors import HandloomError, did_you_mean
from handloom_controllers.arms.data_files import data_folder, read_toml

_POSITIVE = ("stroke", "speed", "acceleration", "force", "command_rate_hz", "state_rate_hz")
_NUMBERS = (*_POSITIVE, "latency", "move_cost", "least_move")


@attrs.frozen(kw_only=True)
class GripperModel:
    """What a parallel gripper does with a commanded width.

    Attributes:
        name: "franka_hand".
        stroke_m: Greatest width.
        speed_m_per_s: Of the width, at most.
        acceleration_m_per_s2: Of the width.
        force_n: Of a grasp, at most.
        latency_s: From a command until the width begins to change.
        blocking: Whether it takes no other command until a move is over. Otherwise it follows the newest.
        move_cost_s: How much longer a blocking move takes than its fingers move, latency included.
        least_move_m: A move shorter than this isn't made.
        command_rate_hz: How often it takes a command, at most.
        state_rate_hz: How often it reports its width.
        source: Who says so.
    """

    name: str
    stroke_m: float
    speed_m_per_s: float
    acceleration_m_per_s2: float
    force_n: float
    latency_s: float
    blocking: bool
    move_cost_s: float
    least_move_m: float
    command_rate_hz: float
    state_rate_hz: float
    source: str

    def moving_s(self, distance_m: float, speed_m_per_s: float = math.inf) -> float:
        """Return how long the fingers move: with a flat top where the speed is reached, as a peak where not."""
        distance, speed = abs(distance_m), min(speed_m_per_s, self.speed_m_per_s)
        if distance < speed**2 / self.acceleration_m_per_s2:
            return 2 * math.sqrt(distance / self.acceleration_m_per_s2)
        return distance / speed + speed / self.acceleration_m_per_s2

    def blocked_s(self, distance_m: float, speed_m_per_s: float = math.inf) -> float:
        """Return how long it takes no other command; 0 for one that follows a stream."""
        return self.move_cost_s + self.moving_s(distance_m, speed_m_per_s) if self.blocking else 0.0


def gripper_names() -> tuple[str, ...]:
    """Return the names of the grippers that are shipped."""
    return tuple(sorted(path.stem for path in (data_folder() / "grippers").glob("*.toml")))


def load_gripper(name: str | Path) -> GripperModel:
    """Read a gripper that is shipped ("franka_hand", "fast_hand"), or of a file in the same format.

    Raises:
        HandloomError: There is no such gripper, or its file is not what it should be.
    """
    if isinstance(name, Path) or name.endswith(".toml"):
        return _read(Path(name))
    if name not in gripper_names():
        raise HandloomError(f"No gripper '{name}' is known{did_you_mean(name, gripper_names())}")
    return _read(data_folder() / "grippers" / f"{name}.toml")


def _read(path: Path) -> GripperModel:
    content = read_toml(path)
    for key in _NUMBERS:
        value = content.get(key)
        least = "more than 0" if key in _POSITIVE else "0 or more"
        if not isinstance(value, (int, float)) or not value >= 0 or (key in _POSITIVE and value == 0):
            raise HandloomError(f"{path}: `{key}` is {value!r}; expected a number, {least}.")
    for key, kind in (("name", str), ("source", str), ("blocking", bool)):
        if not isinstance(content.get(key), kind):
            raise HandloomError(f"{path}: `{key}` is {content.get(key)!r}; expected a {kind.__name__}.")
    return GripperModel(
        name=content["name"],
        stroke_m=float(content["stroke"]),
        speed_m_per_s=float(content["speed"]),
        acceleration_m_per_s2=float(content["acceleration"]),
        force_n=float(content["force"]),
        latency_s=float(content["latency"]),
        blocking=content["blocking"],
        move_cost_s=float(content["move_cost"]),
        least_move_m=float(content["least_move"]),
        command_rate_hz=float(content["command_rate_hz"]),
        state_rate_hz=float(content["state_rate_hz"]),
        source=content["source"],
    )
