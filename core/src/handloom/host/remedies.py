"""What to do about a plugin that is missing or can't be imported, as a command to type where there is one."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from handloom.errors import did_you_mean
from handloom.host.discovery import Found, normalized
from handloom.host.first_party import DISTRIBUTIONS, KINDS
from handloom.host.requirements import Requirement, requirements

_PROJECT_OF_MODULE: Mapping[str, str] = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "usb": "pyusb",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""Modules whose project has an unlike name."""


def after_failed_import(found: Found, error: BaseException) -> str:
    """Say what went wrong in its own words, and what to do."""
    if isinstance(error, SystemExit):
        return (
            f"it ends the program with sys.exit({error.code!r}), which a plugin must not do. "
            f"Run: pip install --upgrade {found.distribution}, or pip uninstall {found.distribution}."
        )
    words = f"{type(error).__name__}: {error}".rstrip(".")
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"{words}. {_for_missing_module(found, error.name)}"
    if isinstance(error, SyntaxError):
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f"{words}. Mend that line, or, if it is not for Python {python}, {_upgrade(found)}"
    return f"{words}. Perhaps it is made for another version of what it uses; {_upgrade(found)}"


def unknown_kind(family: str, kind: str, known: tuple[Found, ...]) -> str:
    """Say that a kind is not installed, and what to install or to write instead."""
    kinds = [plugin.kind for plugin in known if plugin.family == family]
    lead = f"No installed plugin of {family} has the kind '{kind}'"
    name = kind.rpartition(":")[2]
    if (family, name) in KINDS:
        return f"{lead}; run: pip install '{KINDS[family, name]}'."
    elsewhere = sorted({plugin.family for plugin in known if plugin.kind == kind})
    if elsewhere:
        return f"{lead}; there is one of {' and of '.join(elsewhere)}."
    if not kinds:
        ours = f"; run: pip install {DISTRIBUTIONS[family]}" if family in DISTRIBUTIONS else ""
        return f"{lead}, and none of any other kind{ours}."
    return f"{lead}{did_you_mean(kind, kinds)}"


def _upgrade(found: Found) -> str:
    return f"run: pip install --upgrade {found.distribution}."


def _for_missing_module(found: Found, module: str) -> str:
    if found.target == module or found.target.startswith(f"{module}."):
        return (
            f"{found.distribution} names a module it does not contain; "
            f"run: pip install --force-reinstall {found.distribution}."
        )
    top = module.partition(".")[0]
    for distribution in (found.distribution, "handloom"):
        for requirement in requirements(distribution):
            if _provides(requirement, top):
                return f"Run: pip install '{_what_to_install(distribution, requirement)}'."
    return (
        f"{found.distribution} does not declare what brings the module `{top}`; install that, "
        f"and tell the author of {found.distribution}."
    )


def _what_to_install(distribution: str, requirement: Requirement) -> str:
    return f"{distribution}[{requirement.extra}]" if requirement.extra else requirement.text


def _provides(requirement: Requirement, module: str) -> bool:
    """Guess by name, as what is not installed can't be asked: `foxglove` is in foxglove-sdk, `zmq` in pyzmq."""
    project = normalized(requirement.project)
    wanted = normalized(_PROJECT_OF_MODULE.get(module, module))
    return wanted == project or wanted in project.split("-") or project.startswith(f"{wanted}-")
