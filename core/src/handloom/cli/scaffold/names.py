"""The names of a new plugin, all made from the one that was given, and refused where they are taken."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from collections.abc import Iterable
from importlib import metadata
from typing import NamedTuple

from handloom.errors import HandloomError
from handloom.host import Found
from handloom.host.first_party import OURS

_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_LONGEST = 60


class Names(NamedTuple):
    """What a new plugin is called, where.

    Attributes:
        distribution: For pip: "lab-encoder".
        package: For Python, and the kind in a configuration: "lab_encoder".
        component: The class: "LabEncoder".
    """

    distribution: str
    package: str
    component: str


def names_from(name: str, family: str, found: Iterable[Found]) -> Names:
    """Make the names of a plugin.

    Args:
        name: What the user typed.
        family: The plugin's family.
        found: The plugins that are installed.

    Raises:
        HandloomError: The name is no name, or is taken by Python, an installed package or another plugin.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise HandloomError(
            f"'{name}' can't be the name of a plugin: use at most {_LONGEST} small letters and digits in words "
            f"joined by '-', a letter first, as in 'lab-encoder'."
        )
    words = re.split(r"[-_]", name)
    names = Names("-".join(words), "_".join(words), "".join(word.capitalize() for word in words))
    taken = _taken_by(names, family, found)
    if taken:
        raise HandloomError(f"'{name}' is taken by {taken}; choose another name.")
    return names


def _taken_by(names: Names, family: str, found: Iterable[Found]) -> str:
    if keyword.iskeyword(names.package) or names.package in sys.stdlib_module_names:
        return "Python itself"
    if names.distribution in ("handloom", *OURS):
        return "Handloom's own"
    for plugin in found:
        if plugin.family == family and plugin.kind == names.package:
            return f"a plugin of {plugin.distribution} {plugin.version}"
    if _is_installed(names):
        return "a package that is installed"
    return ""


def _is_installed(names: Names) -> bool:
    try:
        metadata.distribution(names.distribution)
    except metadata.PackageNotFoundError:
        spec = importlib.util.find_spec(names.package)
        # A folder without __init__.py that happens to be on the path is found too, and takes no name.
        return spec is not None and spec.origin is not None
    return True
