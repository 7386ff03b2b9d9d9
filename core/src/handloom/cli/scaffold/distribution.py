"""The files of a new distribution, filled in from templates and put in place all at once."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from string import Template

import handloom
from handloom.cli.scaffold.names import Names
from handloom.errors import HandloomError

SUMMARIES: Mapping[str, str] = {
    "sensors": "values over time from a text file",
    "pose_sources": "the tool's pose from the pose of something fixed to it",
    "models": "a policy that stays where the tool is",
    "controllers": "straight lines from waypoint to waypoint, no faster than allowed",
    "robots": "an arm of two joints in a plane that goes where it is told",
    "exporters": "poses as a table of comma-separated values",
    "steps": "the speed of a body from its poses",
    "frame_steps": "the brightness of each frame of a video",
}
"""What the component in each template does; the keys are the folders in `templates`."""


def write_distribution(names: Names, family: str, hook: str, *, template: str, folder: Path) -> Path:
    """Write a distribution into a new folder named after it.

    Args:
        names: What it is called.
        family: The family of its one plugin.
        hook: The hook that answers for the plugin; also the name of its module.
        template: One of `SUMMARIES`.
        folder: Where to make the new folder.

    Returns:
        The new folder.

    Raises:
        HandloomError: The folder is there already, or nothing can be written.
    """
    target = folder / names.distribution
    if target.exists():
        raise HandloomError(f"{target} is there already; name another --folder, or move it away.")
    words = {
        **names._asdict(),
        "family": family,
        "hook": hook,
        "summary": SUMMARIES[template],
        "version": handloom.__version__,
    }
    files = _files(names.package, hook, template)
    try:
        _put(target, {path: _filled(source, words) for path, source in files.items()})
    except OSError as error:
        raise HandloomError(f"{target} can't be written: {error.strerror or error}.") from error
    return target


def _files(package: str, hook: str, template: str) -> dict[str, str]:
    return {
        "pyproject.toml": "pyproject.toml.template",
        "README.md": "README.md.template",
        f"src/{package}/__init__.py": "__init__.py.template",
        f"src/{package}/py.typed": "py.typed.template",
        f"src/{package}/{hook}.py": f"{template}/component.py.template",
        f"tests/test_{package}.py": f"{template}/test.py.template",
    }


def _filled(source: str, words: Mapping[str, str]) -> str:
    text = resources.files("handloom.cli").joinpath("templates", *source.split("/")).read_text(encoding="utf-8")
    return Template(text).substitute(words)


def _put(target: Path, texts: Mapping[str, str]) -> None:
    """Write beside the target and rename, so that an interruption leaves no half of a distribution."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for path, text in texts.items():
            file = half / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        half.chmod(0o755)  # mkdtemp makes it private
        half.rename(target)
    finally:
        shutil.rmtree(half, ignore_errors=True)
