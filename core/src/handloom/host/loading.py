"""Import one plugin module under guard, register it with pluggy, and ask it for the class of a kind."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

import pluggy

from handloom.api import hookspecs
from handloom.errors import PluginError, did_you_mean
from handloom.host.contract import problem_of
from handloom.host.discovery import Found
from handloom.host.remedies import after_failed_import


def open_module(found: Found) -> pluggy.PluginManager:
    """Import a plugin's module and check its hooks against the specifications.

    Each module gets a manager of its own, so that no module answers for the kinds of another.

    Raises:
        PluginError: The module can't be imported, or a hook is misspelt.
    """
    module = _import(found)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(module, name=found.target)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise PluginError(
            f"{found.describe()} breaks the hook contract: {_hook_problem(error, manager)}"
        ) from error
    return manager


def ask(found: Found, manager: pluggy.PluginManager) -> Any:
    """Ask a module for what is behind a kind, and check the answer.

    Raises:
        PluginError: It does not answer, or the answer breaks the family's contract.
    """
    hook = _hook_of(found)
    caller = getattr(manager.hook, hook)
    if not caller.get_hookimpls():
        raise PluginError(f"{found.describe()} {_no_hook(found, hook)}")
    answer = _call(found, caller)
    if answer is None:
        raise PluginError(
            f"{found.describe()} answers None: its hook `{hook}` does not know the kind '{found.kind}', "
            f"which its own entry point names."
        )
    problem = problem_of(found.family, answer)
    if problem:
        raise PluginError(f"{found.describe()} breaks the contract of {found.family}: {problem}")
    return answer


def listens(manager: pluggy.PluginManager) -> bool:
    """Say whether a module implements an observer hook."""
    return any(getattr(manager.hook, hook).get_hookimpls() for hook in hookspecs.OBSERVERS)


def _import(found: Found) -> ModuleType:
    if ":" in found.target:
        raise PluginError(
            f"{found.describe()} names an object; an entry point of handloom.{found.family} must name a module."
        )
    try:
        return importlib.import_module(found.target)
    except KeyboardInterrupt:
        raise
    except (
        BaseException
    ) as error:  # a plugin may fail in any way, SystemExit included, and must not take others along
        raise PluginError(f"{found.describe()} can't be imported: {after_failed_import(found, error)}") from error


def _call(found: Found, caller: Any) -> Any:
    try:
        return caller(kind=found.kind)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(f"{found.describe()} fails in its hook: {after_failed_import(found, error)}") from error


def _hook_of(found: Found) -> str:
    if found.family not in hookspecs.FAMILIES:
        meant = did_you_mean(found.family, hookspecs.FAMILIES)
        raise PluginError(f"{found.describe()} is in group handloom.{found.family}, which is unknown{meant}")
    return hookspecs.FAMILIES[found.family]


def _no_hook(found: Found, hook: str) -> str:
    module = importlib.import_module(found.target)
    if callable(getattr(module, hook, None)):
        return f"has a function `{hook}` that is not marked: put `@hookimpl` of handloom.api before it."
    return f"implements no hook `{hook}`; write `@hookimpl def {hook}(kind)` that returns the class."


def _hook_problem(error: pluggy.PluginValidationError, manager: pluggy.PluginManager) -> str:
    """Say it in words that name the hook and the nearest right name; pluggy's own where those do not fit."""
    known = (*hookspecs.FAMILIES.values(), *hookspecs.OBSERVERS)
    for name, implementation in inspect.getmembers(error.plugin, inspect.isfunction):
        options = manager.parse_hookimpl_opts(error.plugin, name)
        if options is None:
            continue
        hook = options["specname"] or name
        if hook not in known:
            return f"there is no hook '{hook}'{did_you_mean(hook, known)}"
        specified = list(inspect.signature(getattr(hookspecs, hook)).parameters)
        for argument in inspect.signature(implementation).parameters:
            if argument not in specified:
                return f"its hook `{hook}` takes '{argument}'; the arguments are: {', '.join(specified)}."
    return "; ".join(line.strip().rstrip(".") for line in str(error).splitlines() if line.strip()) + "."
