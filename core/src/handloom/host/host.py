"""The host: imports the one plugin that is asked for, keeps what it answered, and tells the observers."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from handloom.errors import PluginError, did_you_mean
from handloom.host.discovery import Found, discover, normalized
from handloom.host.remedies import unknown_kind

if TYPE_CHECKING:
    import pluggy

    from handloom.host.check import Finding


class Loaded(NamedTuple):
    """A plugin that was imported, asked and checked.

    Attributes:
        component: The component class; for the families `commands` and `diagnoses` a function.
        found: Where it comes from.
    """

    component: Any
    found: Found


class Host:
    """Gives out component classes by family and kind.

    Args:
        found: The plugins to choose from; the installed ones when left out.
        report: Told one sentence for each observer that failed and was dropped; logs a warning when left out.
    """

    def __init__(
        self, found: Iterable[Found] | None = None, *, report: Callable[[str], None] | None = None
    ) -> None:
        self.found = discover() if found is None else tuple(sorted(found))
        self._report = report or logging.getLogger("handloom").warning
        self._modules: dict[str, pluggy.PluginManager] = {}
        self._loaded: dict[Found, Loaded] = {}
        self._dropped: set[str] = set()

    def kinds(self, family: str) -> tuple[str, ...]:
        """List the kinds of a family that are installed, sorted.

        Raises:
            PluginError: There is no such family.
        """
        _check_family(family)
        return tuple(sorted({plugin.kind for plugin in self.found if plugin.family == family}))

    def find(self, family: str, kind: str) -> Found:
        """Find a plugin without importing it.

        Args:
            family: "sensors", "steps", …
            kind: Name of the kind, or "DISTRIBUTION:KIND" to choose between two of the same name.

        Raises:
            PluginError: No such family or kind, or two distributions bring it.
        """
        _check_family(family)
        matches = [plugin for plugin in self.found if plugin.family == family and _is(plugin, kind)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise PluginError(clash(matches))
        raise PluginError(unknown_kind(family, kind, self.found))

    def load(self, family: str, kind: str) -> Loaded:
        """Import the module behind a kind, and no other, and check what it answers.

        Args:
            family: "sensors", "steps", …
            kind: Name of the kind, or "DISTRIBUTION:KIND".

        Raises:
            PluginError: The plugin is missing, ambiguous or broken; names its distribution and the fix.
        """
        found = self.find(family, kind)
        if found not in self._loaded:
            self._loaded[found] = Loaded(self._answer(found), found)
        return self._loaded[found]

    @property
    def observers(self) -> tuple[str, ...]:
        """The loaded modules that listen and were not dropped, sorted."""
        from handloom.host.loading import listens

        return tuple(
            name
            for name, manager in sorted(self._modules.items())
            if name not in self._dropped and listens(manager)
        )

    def notify(self, hook: str, /, **arguments: Any) -> None:
        """Tell the observers; one that fails is reported once and never called again.

        Args:
            hook: One of `handloom.api.OBSERVERS`.
            arguments: Those of the hook, all of them.

        Raises:
            PluginError: No observer hook has that name.
            TypeError: The arguments are not those of the hook.
        """
        _check_call(hook, arguments)
        for name in self.observers:
            try:
                getattr(self._modules[name].hook, hook)(**arguments)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  an observer may fail in any way, never with the run
                self._dropped.add(name)
                self._report(f"Observer {name} failed in {hook} and is dropped: {type(error).__name__}: {error}.")

    def check(self, progress: Callable[[float], None] | None = None) -> tuple[Finding, ...]:
        """Import every plugin in processes of their own and say of each whether it keeps the contract."""
        from handloom.host.check import check

        return check(self.found, progress)

    def _answer(self, found: Found) -> Any:
        from handloom.host import loading

        if found.target not in self._modules:
            self._modules[found.target] = loading.open_module(found)
        return loading.ask(found, self._modules[found.target])


def clash(plugins: Iterable[Found]) -> str:
    """Say that several distributions bring the same kind, and how to choose."""
    sides = sorted(plugins, key=lambda plugin: plugin.distribution)
    kind, family = sides[0].kind, sides[0].family
    brought = " and ".join(f"{side.distribution} {side.version}" for side in sides)
    choices = " or ".join(f'kind = "{side.distribution}:{kind}"' for side in sides)
    return f"Kind '{kind}' of {family} is brought by {brought}; choose with {choices}."


def _is(plugin: Found, kind: str) -> bool:
    distribution, colon, name = kind.rpartition(":")
    return plugin.kind == name and (not colon or normalized(plugin.distribution) == normalized(distribution))


def _check_family(family: str) -> None:
    from handloom.api.hookspecs import FAMILIES

    if family not in FAMILIES:
        raise PluginError(f"There is no plugin family '{family}'{did_you_mean(family, FAMILIES)}")


def _check_call(hook: str, arguments: dict[str, Any]) -> None:
    from handloom.api import hookspecs

    if hook not in hookspecs.OBSERVERS:
        raise PluginError(f"There is no observer hook '{hook}'{did_you_mean(hook, hookspecs.OBSERVERS)}")
    inspect.signature(getattr(hookspecs, hook)).bind(**arguments)
