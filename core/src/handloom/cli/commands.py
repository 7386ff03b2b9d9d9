"""The commands there are: ours from a table, those of plugins from metadata; listing them imports nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from handloom.host import Found, discover


class BuiltIn(NamedTuple):
    """A command of ours.

    Attributes:
        help: One line for the list of commands.
        module: The module with `add_arguments(parser)` and `run(arguments) -> int`.
    """

    help: str
    module: str


BUILT_IN: Mapping[str, BuiltIn] = {
    "run": BuiltIn("Run a pipeline over its recordings", "handloom.cli.run"),
    "plan": BuiltIn("Show what a pipeline would do, and what is stale", "handloom.cli.plan"),
    "config": BuiltIn("Show a configuration with the origin of every value", "handloom.cli.config"),
    "inspect": BuiltIn("Show what a store holds", "handloom.cli.inspect"),
    "verify": BuiltIn("Check every digest of a store", "handloom.cli.verify"),
    "plugins": BuiltIn("List the installed plugins, and check them", "handloom.cli.plugins"),
    "doctor": BuiltIn("Look at this machine and installation, and say what is missing", "handloom.cli.doctor"),
    "new": BuiltIn("Write a new plugin distribution that passes its contract tests", "handloom.cli.new"),
}
"""By the name on the command line, in the order a newcomer meets them."""


def plugin_commands() -> dict[str, Found]:
    """List the commands that plugins bring, by what is typed; "DISTRIBUTION:KIND" where the bare name is taken."""
    found = [plugin for plugin in discover() if plugin.family == "commands"]
    claims = Counter([*(plugin.kind for plugin in found), *BUILT_IN])
    return {_typed(plugin, claims[plugin.kind]): plugin for plugin in found}


def _typed(plugin: Found, claims: int) -> str:
    return plugin.kind if claims == 1 else f"{plugin.distribution}:{plugin.kind}"
