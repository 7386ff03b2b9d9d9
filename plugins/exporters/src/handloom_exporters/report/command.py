"""Reads the arguments of `handloom report`, writes the page and says where it is."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

from handloom.errors import ConfigError, PluginError
from handloom.store import Scene
from handloom_exporters.report.gathering import gather
from handloom_exporters.report.page import page


def report(arguments: list[str]) -> int:
    """Write the page of a scene.

    Raises:
        ConfigError: The page can't be written where it was asked for.
        StoreError: The directory is not a scene, or what it holds can't be read.
        PluginError: matplotlib is not installed.
    """
    chosen = _parser().parse_args(arguments)
    _require_matplotlib()
    scene = Path(chosen.store).absolute()
    target = chosen.output or scene.parent / f"{scene.name}.html"
    _check_target(target, scene)
    with Scene.open(Path(chosen.store)) as opened:
        text = page(gather(opened, title=scene.name))
    _write(target, text)
    print(f"Wrote {target}, {len(text.encode()) / 1e6:.1f} MB; open it in a browser.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="handloom report",
        description="Write one self-contained HTML page about a scene: trajectories, clock sync, width, verdicts "
        "and a contact sheet of each episode.",
        allow_abbrev=False,
    )
    parser.add_argument("store", metavar="STORE", help="the scene directory")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to write; STORE.html beside the scene by default"
    )
    return parser


def _require_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise PluginError(
            f"The report draws its plots with matplotlib, which is not installed ({error}); "
            f"run: pip install 'handloom-exporters[report]'"
        ) from error


def _check_target(target: Path, scene: Path) -> None:
    """Refuse a place for the page before minutes are spent on drawing it."""
    if not target.name or target.is_dir():
        raise ConfigError(
            [f"--output: {target} is a directory; expected the name of a file, as {target}/report.html."]
        )
    if target.resolve().is_relative_to(scene.resolve()):
        raise ConfigError(
            [f"--output: {target} lies inside the scene, which keeps no other files; choose one beside it."]
        )


def _write(target: Path, text: str) -> None:
    """Write a page in one step, so that nobody ever opens half of one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".partial-{secrets.token_hex(4)}-{target.name}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
