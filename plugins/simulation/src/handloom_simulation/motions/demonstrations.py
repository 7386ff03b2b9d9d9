"""The scripted demonstrations with objects: reach, pick and place, wipe, stack, insert and throw."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from handloom_simulation.motions.grasping import OPEN_M, carry, grasp, release, yaw_of
from handloom_simulation.motions.writer import ScriptWriter
from handloom_simulation.scene.fixtures import BIN_CENTRE_M, BIN_HEIGHT_M, GOAL_CENTRE_M, SOCKET_CENTRE_M
from handloom_simulation.scene.objects import THINGS

FloatArray = npt.NDArray[np.float64]
Poses = Mapping[str, FloatArray]

GRAVITY_M_PER_S2 = 9.81
"""What a thrown ball falls with. Source: MuJoCo's default, which the lab keeps."""

_RELEASE_M = np.array([0.25, -0.02, 0.30])
"""Where a throw lets go."""

_FLIGHT_S = 0.34
"""From there to the bin."""

_SWING_S = 0.34
"""How long the arm gathers speed for a throw, and as long to come to rest."""


def reach(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Go to one of the things, hover over it with the jaw moving, and come back."""
    name = str(rng.choice(["cube", "ball", "sponge", "peg"]))
    over = np.add(start[name][:3], [0.0, -0.01, 0.11])
    writer.go(0.5 * np.add(writer.stance.tcp_m, over) + np.array([0.0, 0.0, 0.05]), through=True)
    writer.go(over, yaw_rad=yaw_of(start[name]), pitch_rad=0.95)
    writer.jaw(0.045, 0.6)
    writer.jaw(OPEN_M, 0.5)
    writer.go(np.add(over, [0.05, 0.05, 0.06]), through=True)


def pick_and_place(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Put the cube on the goal."""
    at = grasp(writer, "cube", start["cube"])
    goal = [*GOAL_CENTRE_M, at[2] + 0.001]
    carry(writer, goal, yaw_rad=rng.uniform(-0.2, 0.2), height_m=rng.uniform(0.10, 0.14))
    release(writer)


def stack(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Put one block on the other."""
    at = grasp(writer, "block_top", start["block_top"])
    below = start["block_bottom"]
    goal = [below[0], below[1], at[2] + 2.0 * THINGS["block_bottom"].half_height_m + 0.001]
    carry(writer, goal, yaw_rad=yaw_of(below), height_m=rng.uniform(0.12, 0.15))
    release(writer)


def insert(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Put the peg into the socket."""
    at = grasp(writer, "peg", start["peg"], above_centre_m=0.02)
    goal = [*SOCKET_CENTRE_M, at[2] + 0.002]
    carry(writer, goal, yaw_rad=rng.uniform(-0.1, 0.1), height_m=at[2] + rng.uniform(0.05, 0.07))
    release(writer)


def wipe(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Take the sponge and wipe to and fro."""
    at = grasp(writer, "sponge", start["sponge"], above_centre_m=0.009)
    pressed = np.add(at, [0.0, 0.0, -0.0020])
    writer.go(pressed)
    length, step = rng.uniform(0.10, 0.12), rng.uniform(0.012, 0.016)
    for stroke in range(4):
        away = length if stroke % 2 == 0 else 0.0
        writer.go(np.add(pressed, [-step * stroke, away, 0.0]), slowly=1.3)
    release(writer)


def throw(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Take the ball and throw it into the bin."""
    grasp(writer, "ball", start["ball"], above_centre_m=0.0)
    let_go = _RELEASE_M + rng.uniform(-0.01, 0.01, 3)
    velocity = throwing_velocity(let_go, _FLIGHT_S)
    yaw = -float(np.arctan2(velocity[0], velocity[1]))
    # Held at the release velocity for a moment, so that it doesn't matter when exactly the pads lose the ball.
    steady_s = 0.05
    before, after = let_go - 0.5 * steady_s * velocity, let_go + 0.5 * steady_s * velocity
    wind_up = before - 0.5 * _SWING_S * velocity
    writer.go(np.add(writer.stance.tcp_m, [0.0, 0.0, 0.06]), slowly=1.4, through=True)
    writer.go(wind_up, yaw_rad=yaw, pitch_rad=0.75)
    writer.rest(0.2)
    writer.jaw(OPEN_M, 0.08, delay_s=_SWING_S, wait=False)
    writer.swing(before, _SWING_S, velocity)
    writer.swing(after, steady_s, velocity)
    writer.swing(after + 0.5 * _SWING_S * velocity, _SWING_S, np.zeros(3))


def throwing_velocity(let_go: FloatArray, flight_s: float) -> FloatArray:
    """Return the velocity, (3,) m/s, that brings a ball from a place into the bin in a time of flight."""
    over_bin = np.array([*BIN_CENTRE_M, BIN_HEIGHT_M - 0.02])
    velocity: FloatArray = (over_bin - let_go) / flight_s
    velocity[2] += 0.5 * GRAVITY_M_PER_S2 * flight_s
    return velocity


MANIPULATED: Mapping[str, tuple[str, ...]] = {
    "reach": (),
    "pick_and_place": ("cube",),
    "stack": ("block_top", "block_bottom"),
    "insert": ("peg",),
    "wipe": ("sponge",),
    "throw": ("ball",),
}
"""Which things each demonstration moves, the first one grasped first; the others stand still."""

DEMONSTRATIONS = {
    "reach": reach,
    "pick_and_place": pick_and_place,
    "stack": stack,
    "insert": insert,
    "wipe": wipe,
    "throw": throw,
}
"""By name: each writes what to do with the things where they start."""
