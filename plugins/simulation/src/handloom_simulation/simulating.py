"""Turns an order for recordings into demonstrations and settings, and has them written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import attrs
import cattrs

from handloom.api import Progress
from handloom.errors import ConfigError, did_you_mean
from handloom.streams import Trajectory, layout_named, read_trajectory
from handloom_simulation.cameras import PRESETS
from handloom_simulation.filming import Filming
from handloom_simulation.lab_file import LabFile
from handloom_simulation.motions import MOTIONS, TakeSettings, replay_take
from handloom_simulation.order_limits import beyond_limits
from handloom_simulation.recordings import (
    Demonstration,
    Quirks,
    Recorded,
    SceneSettings,
    write_polyumi_scene,
    write_umi_session,
)

Kind = Literal["polyumi", "umi", "demo"]


@attrs.frozen(kw_only=True)
class Order:
    """What recordings are wanted.

    Attributes:
        kind: Whose; "demo" is a small PolyUMI scene with everything in it.
        motions: What is done, in turn; () for pick_and_place.
        episodes: How many demonstrations; None for one of each motion.
        seconds: How long each lasts; None as it comes.
        chirps_s: When the sync chirp is played, s since a take's beginning; () for once, half a second
            after it, or for the demo twice.
        seed: Of motions, clocks and noise.
        mapping: Whether a walk that maps the scene comes first.
        calibration: Whether the jaw is opened and closed fully before the demonstrations.
        lens: Of the wrist camera.
        width: Of its pictures.
        rate: Its frames a second.
        finger_width: Of the finger camera's pictures.
        quirks: "EPISODE:NAME=VALUE", sessions counted from 0.
        without: Devices left out: "optitrack", "vr", "slam", "servo", "finger".
        task: What people wrote of the task.
        workers: Processes that render.
        file: Settings of lab, motion, camera and devices; a path to replay, which then is what is done.
    """

    kind: Kind = "polyumi"
    motions: tuple[str, ...] = ()
    episodes: int | None = None
    seconds: float | None = None
    chirps_s: tuple[float, ...] = ()
    seed: int = 0
    mapping: bool = False
    calibration: bool = False
    lens: str = "umi_gopro"
    width: int = 676
    rate: Fraction = Fraction(60000, 1001)
    finger_width: int = 1152
    quirks: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    task: str = ""
    workers: int = 2
    file: LabFile = attrs.field(factory=LabFile)


_REPLAY = "replay"

DEMO_MOTIONS = ("pick_and_place", "stack", "wipe")
_DEMO_SECONDS = 5.0
_DEMO_FINGER_WIDTH = 576
_CHIRPS_S = (0.5,)
_DEMO_CHIRPS_S = (0.4, 3.9)
"""Two, so that the drift of the clocks is measured and not assumed."""
_CALIBRATION_S = 5.6
"""The jaw has then been at both ends twice."""


def write(folder: Path, order: Order, progress: Progress | None = None) -> Recorded:
    """Act out, film and write what was ordered.

    Raises:
        ConfigError: The order names something that is not there, or asks for too little time.
    """
    order = _filled_in(order)
    path = _path(order)
    demonstrations = _demonstrations(order, path)
    writer = write_umi_session if order.kind == "umi" else write_polyumi_scene
    return writer(folder, demonstrations, _settings(order), progress)


def report(recorded: Recorded, order: Order) -> str:
    """Say what was written and where, for people."""
    what = "files" if order.kind == "umi" else "sessions"
    count = len(recorded.sessions)
    lines = [f"Wrote {count} {what if count != 1 else what[:-1]} to {recorded.scene}:"]
    lines += [f"  {path.name}" for path in recorded.sessions]
    if recorded.optitrack:
        lines.append(f"  {recorded.optitrack.name}  (OptiTrack, all sessions)")
    return "\n".join([*lines, f"The truth, which no step reads, is in {recorded.truth}"])


def _filled_in(order: Order) -> Order:
    """Return the order with what it left open, checked."""
    if order.kind == "demo":
        order = attrs.evolve(
            order,
            motions=order.motions or DEMO_MOTIONS,
            seconds=_DEMO_SECONDS if order.seconds is None else order.seconds,
            finger_width=min(order.finger_width, _DEMO_FINGER_WIDTH),
            chirps_s=order.chirps_s or _DEMO_CHIRPS_S,
        )
    problems = _beside_replay(order)
    order = attrs.evolve(order, motions=order.motions or ("pick_and_place",), chirps_s=order.chirps_s or _CHIRPS_S)
    problems += [
        f"--motion: there is no motion '{motion}'{did_you_mean(motion, sorted(MOTIONS))}"
        for motion in order.motions
        if motion not in MOTIONS
    ]
    if order.lens not in PRESETS:
        problems.append(f"--lens: there is no lens '{order.lens}'{did_you_mean(order.lens, sorted(PRESETS))}")
    problems += beyond_limits(attrs.asdict(order, recurse=False))
    if not (order.mapping or order.calibration or order.episodes is None or order.episodes):
        problems.append("--episodes: found 0; expected 1 at least, or --mapping or --calibration beside it.")
    if problems:
        raise ConfigError(problems)
    return order


def _beside_replay(order: Order) -> list[str]:
    """Return a sentence for each motion that was ordered beside a path to replay."""
    if order.file.replay is None or not order.motions:
        return []
    asked = "the demo has motions of its own" if order.kind == "demo" else f"--motion: found {order.motions[0]}"
    return [f"{asked}, and {order.file.replay.file.name} is to be replayed; expected one of both."]


def _path(order: Order) -> Trajectory | None:
    """Read the path that is to be replayed.

    Raises:
        StreamError: Its format is not known.
        RecordingError: It can't be read.
    """
    replay = order.file.replay
    return read_trajectory(replay.file, layout_named(replay.format, replay.columns)) if replay else None


def _demonstrations(order: Order, path: Trajectory | None) -> tuple[Demonstration, ...]:
    filming = Filming(
        lens=order.lens,
        width=order.width,
        finger_width=order.finger_width,
        lab=order.file.lab,
        render=order.file.wrist,
    )
    motions = _motions(order)
    quirks = quirks_of(order.quirks, len(motions))
    return tuple(
        _demonstration(filming, order, motion, order.seed * 100 + index, quirks[index], path)
        for index, motion in enumerate(motions)
    )


def _motions(order: Order) -> list[str]:
    """Return what is done in each session."""
    kinds = (_REPLAY,) if order.file.replay else order.motions
    count = order.episodes if order.episodes is not None else len(kinds)
    motions = [kinds[index % len(kinds)] for index in range(count)]
    return [*["mapping"] * order.mapping, *["gripper_calibration"] * order.calibration, *motions]


def _demonstration(
    filming: Filming, order: Order, motion: str, seed: int, quirks: Quirks, path: Trajectory | None
) -> Demonstration:
    take = attrs.evolve(order.file.take, duration_s=_duration_s(motion, order), chirps_s=order.chirps_s)
    if motion == _REPLAY and path is not None:
        return _replayed(filming, order, seed, quirks, path, take)
    return filming.demonstration(
        motion,
        seed=seed,
        take=take,
        type_="MAPPING" if motion == "mapping" else "EPISODE",
        quirks=quirks,
        stop_s=_CALIBRATION_S if motion == "gripper_calibration" and order.kind != "polyumi" else None,
    )


def _replayed(
    filming: Filming, order: Order, seed: int, quirks: Quirks, path: Trajectory, take: TakeSettings
) -> Demonstration:
    replay = order.file.replay
    assert replay is not None
    acted = replay_take(
        path,
        settings=take,
        seed=seed,
        T_world_origin=replay.T_world_origin,
        T_body_gripper=replay.T_body_gripper,
        width_m=replay.width_m,
    )
    return filming.of_take(acted, quirks=quirks, stop_s=order.seconds, notes=f"replay of {path.name}")


def _duration_s(motion: str, order: Order) -> float | None:
    """Return how long a motion is to last; UMI knows the mapping by its size, so it is not hurried."""
    as_it_comes = motion == "gripper_calibration" or (motion == "mapping" and order.kind == "umi")
    return None if as_it_comes else order.seconds


def _settings(order: Order) -> SceneSettings:
    standard, left_out = order.file.recording, set(order.without)
    return attrs.evolve(
        standard,
        seed=order.seed,
        encoding=attrs.evolve(standard.encoding, rate=order.rate),
        workers=order.workers,
        task=order.task or standard.task,
        finger_rate_hz=0.0 if "finger" in left_out else standard.finger_rate_hz,
        optitrack=None if "optitrack" in left_out else standard.optitrack,
        vr=None if "vr" in left_out else standard.vr,
        slam=None if "slam" in left_out else standard.slam,
        servo=None if "servo" in left_out else standard.servo,
    )


def quirks_of(texts: Sequence[str], sessions: int) -> tuple[Quirks, ...]:
    """Return the quirks of each session.

    Args:
        texts: "EPISODE:NAME" or "EPISODE:NAME=VALUE", a value being JSON or else a word.
        sessions: How many there are.

    Raises:
        ConfigError: A text is none of these, or names a session or quirk that is not there.
    """
    given: list[dict[str, Any]] = [{} for _ in range(sessions)]
    known = [field.name for field in attrs.fields(Quirks)]
    problems = []
    for text in texts:
        where, _, what = text.partition(":")
        name, told, value = what.partition("=")
        if not (where.isdecimal() and int(where) < sessions):
            problems.append(f"--quirk {text}: there is no session '{where}'; expected 0 to {sessions - 1}.")
        elif name not in known:
            problems.append(f"--quirk {text}: there is no quirk '{name}'{did_you_mean(name, known)}")
        elif not _fits({name: _value(value) if told else True}):
            problems.append(
                f"--quirk {text}: this value does not fit; `Quirks` in the simulation's API says which."
            )
        elif name == "gopro_of" and _value(value) not in set(range(sessions)) - {int(where)}:
            problems.append(f"--quirk {text}: there is no other session '{value}' whose file could lie there.")
        else:
            given[int(where)][name] = _value(value) if told else True
    if problems:
        raise ConfigError(problems)
    return tuple(cattrs.structure(each, Quirks) for each in given)


def _value(text: str) -> Any:
    """Return what JSON makes of a text, or the text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _fits(quirk: Mapping[str, Any]) -> bool:
    try:
        values = attrs.astuple(cattrs.structure(quirk, Quirks), recurse=False)
    except cattrs.BaseValidationError:
        return False
    return all(math.isfinite(value) for value in values if isinstance(value, float))
