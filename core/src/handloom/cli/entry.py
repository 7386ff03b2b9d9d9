"""The way in: finds the command, reads its arguments, runs it, and turns every end into an exit code."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import handloom
from handloom.cli.commands import BUILT_IN, plugin_commands
from handloom.cli.guard import exit_code
from handloom.cli.table import columns
from handloom.errors import HandloomError, did_you_mean
from handloom.host import Found, Host
from handloom.host.first_party import KINDS


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: What follows `handloom`; taken from the process when left out.

    Returns:
        The exit code; see `handloom.cli`.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name must not end a command; stderr does so already
    return exit_code(lambda: _dispatch(arguments))


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        return _without_command(arguments)
    name, *rest = arguments
    if name in BUILT_IN:
        return _run_built_in(name, rest)
    brought = plugin_commands()
    if name in brought:
        return _run_plugin(brought[name], rest)
    raise HandloomError(f"There is no command '{name}'{_remedy(name, [*BUILT_IN, *brought])} See: handloom --help")


def _remedy(name: str, known: Sequence[str]) -> str:
    if ("commands", name) in KINDS:
        return f"; run: pip install '{KINDS['commands', name]}'."
    return did_you_mean(name, known)


def _without_command(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="handloom",
        usage="handloom COMMAND ...",
        description=(handloom.__doc__ or "").partition("\n")[0],
        epilog=_command_list(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"handloom {handloom.__version__}")
    parser.parse_args(arguments)
    parser.print_help()
    return 0


def _command_list() -> str:
    ours = [(f"  {name}", command.help) for name, command in BUILT_IN.items()]
    brought = [
        (f"  {name}", f"from {plugin.distribution} {plugin.version}") for name, plugin in plugin_commands().items()
    ]
    head = "commands (`handloom COMMAND --help` tells more):"
    if not brought:
        return f"{head}\n{columns(ours)}"
    return f"{head}\n{columns(ours)}\n\ncommands that plugins bring:\n{columns(brought)}"


def _run_built_in(name: str, arguments: list[str]) -> int:
    module = importlib.import_module(BUILT_IN[name].module)
    parser = argparse.ArgumentParser(prog=f"handloom {name}", description=f"{BUILT_IN[name].help}.")
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(arguments)))


def _run_plugin(plugin: Found, arguments: list[str]) -> int:
    command = Host([plugin]).load(plugin.family, plugin.kind).component
    return int(command(arguments) or 0)
