"""`handloom new plugin FAMILY NAME`: write a distribution whose plugin passes its contract tests as it is."""

from __future__ import annotations

import argparse
from pathlib import Path

from handloom.cli.scaffold import names_from, write_distribution
from handloom.cli.scaffold.distribution import SUMMARIES
from handloom.errors import HandloomError, did_you_mean
from handloom.host import discover


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", choices=["plugin"], help="what to write")
    parser.add_argument("family", help=f"one of {', '.join(_families())}")
    parser.add_argument("name", help="name of the distribution, as in lab-encoder")
    parser.add_argument("--folder", type=Path, default=Path(), help="where to make the new folder (default: here)")
    parser.add_argument("--frames", action="store_true", help="a step that looks at each frame of a video")


def run(arguments: argparse.Namespace) -> int:
    """Write the distribution and say what to do next.

    Raises:
        HandloomError: The family is unknown, the name is bad or taken, or the folder is there already.
    """
    from handloom.api.hookspecs import FAMILIES

    family, template = _template_of(arguments.family, frames=arguments.frames)
    names = names_from(arguments.name, family, discover())
    target = write_distribution(names, family, FAMILIES[family], template=template, folder=arguments.folder)
    print(
        f"Wrote {target}. Next:\n\n  cd {target}\n  pip install -e '.[test]'\n  pytest\n  handloom plugins --check"
    )
    return 0


def _families() -> list[str]:
    return sorted(set(SUMMARIES) - {"frame_steps"})


def _template_of(family: str, *, frames: bool) -> tuple[str, str]:
    if family not in _families():
        raise HandloomError(f"There is no template for a plugin of '{family}'{did_you_mean(family, _families())}")
    if frames and family != "steps":
        raise HandloomError(f"--frames goes with the family steps only; found {family}.")
    return family, "frame_steps" if frames else family
