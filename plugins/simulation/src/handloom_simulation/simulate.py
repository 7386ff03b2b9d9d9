"""The command `handloom simulate`: acts out demonstrations and writes what real devices would have written."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from handloom.api import hookimpl
from handloom.errors import ConfigError

if TYPE_CHECKING:
    from handloom_simulation.lab_file import LabFile

TOP_WIDTH = 1920
"""Of the pictures of the camera over the table, px."""


@hookimpl
def command(kind: str) -> Callable[[list[str]], int] | None:
    """Return the function behind `handloom simulate`."""
    return simulate if kind == "simulate" else None


def simulate(arguments: list[str]) -> int:
    """Write the recordings that were asked for, and say where.

    Raises:
        HandloomError: What was asked for can't be done.
    """
    from handloom.cli.progress import bar
    from handloom_simulation.lab_file import LabFile, read_lab_file
    from handloom_simulation.simulating import Order, report, write

    options = _parser().parse_args(arguments)
    file = read_lab_file(options.settings) if options.settings else LabFile()
    order = Order(
        kind=options.kind,
        motions=tuple(options.motion or ()),
        episodes=options.episodes,
        seconds=options.seconds,
        chirps_s=tuple(options.chirp or ()),
        seed=options.seed,
        mapping=options.mapping,
        calibration=options.calibration,
        lens=options.lens,
        width=options.width,
        rate=_rate(options.rate),
        finger_width=options.finger_width,
        top_width=_top_width(options),
        quirks=tuple(options.quirk or ()),
        without=tuple(options.without or ()),
        task=options.task,
        workers=options.workers,
        file=_with_replay(file, options.replay, options.replay_format),
    )
    with bar("Filming") as progress:
        recorded = write(options.folder, order, progress)
    print(report(recorded, order))
    return 0


def _with_replay(file: LabFile, path: Path | None, format_: str | None) -> LabFile:
    """Return the settings with the path of the command line in the place of theirs.

    Raises:
        ConfigError: There is a format without a path.
    """
    from handloom_simulation.lab_file import Replay

    if path is None and format_ is not None:
        raise ConfigError([f"--replay-format: found '{format_}' without --replay; expected the path beside it."])
    if path is None:
        return file
    return attrs.evolve(file, replay=Replay(file=path, format=format_ or "tum"))


def _top_width(options: argparse.Namespace) -> int | None:
    """Return how wide the camera over the table films; None for no such camera.

    Raises:
        ConfigError: There is a width without the camera.
    """
    width: int | None = options.top_width
    if width is not None and not options.top:
        raise ConfigError([f"--top-width: found {width} without --top; expected the camera beside it."])
    return (TOP_WIDTH if width is None else width) if options.top else None


def _rate(text: str) -> Fraction:
    """Return a frame rate; 59.94 and its like stand for the exact 60000/1001.

    Raises:
        ConfigError: The text is no number.
    """
    try:
        rate = Fraction(text)
    except (ValueError, ZeroDivisionError):
        problem = f"--rate: found '{text}'; expected a number, as 59.94, or a fraction, as 60000/1001."
        raise ConfigError([problem]) from None
    whole = Fraction(round(rate * 1001 / 1000) * 1000, 1001)
    return whole if rate.denominator != 1 and abs(whole - rate) < Fraction(1, 100) else rate


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="handloom simulate",
        description="Act out demonstrations in a rendered lab and write what real devices would have written. The "
        "truth goes to a folder `truth` beside the recordings, which no step reads.",
    )
    parser.add_argument(
        "kind", choices=("polyumi", "umi", "demo"), help="whose recordings; demo is a small PolyUMI scene"
    )
    parser.add_argument("folder", type=Path, help="where to; made when it is not there")
    _add_motions(parser)
    _add_devices(parser)
    parser.add_argument("--task", default="", help="what people wrote of the task")
    parser.add_argument("--workers", type=int, default=2, help="processes that render (2)")
    return parser


def _add_motions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--motion", action="append", help="what is done; several take turns (pick_and_place)")
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="follow the poses of this file instead of a motion"
    )
    parser.add_argument("--replay-format", metavar="FORMAT", help="of that file: tum, euroc, orb_slam3 (tum)")
    parser.add_argument("--episodes", type=int, help="how many demonstrations (one for each motion)")
    parser.add_argument("--seconds", type=float, help="how long each lasts (as it comes)")
    parser.add_argument(
        "--chirp", type=float, action="append", help="when the sync chirp is played, s; often (0.5)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of motions, clocks and noise (0)")
    parser.add_argument("--mapping", action="store_true", help="begin with a walk that maps the scene")
    parser.add_argument("--calibration", action="store_true", help="let the jaw close and open fully first")


def _add_devices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lens", default="umi_gopro", help="wrist camera, by its name among the presets (umi_gopro)"
    )
    parser.add_argument("--width", type=int, default=676, help="of the wrist camera's pictures (676)")
    parser.add_argument("--rate", default="59.94", help="of the wrist camera, frames a second (59.94)")
    parser.add_argument("--finger-width", type=int, default=1152, help="of the finger camera's pictures (1152)")
    parser.add_argument("--top", action="store_true", help="film from over the table too, 50 frames a second")
    parser.add_argument("--top-width", type=int, help="of that camera's pictures (1920)")
    parser.add_argument(
        "--quirk",
        action="append",
        metavar="EPISODE:NAME[=VALUE]",
        help="something odd or broken in one session, counted from 0: 1:no_audio, 2:clock_jump_s=1.7",
    )
    parser.add_argument(
        "--without",
        action="append",
        choices=("optitrack", "vr", "slam", "servo", "finger"),
        help="leave a device out",
    )
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="TOML file of exposure, noise, devices, occlusions and more; see The lab",
    )
