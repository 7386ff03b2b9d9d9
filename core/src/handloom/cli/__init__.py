"""Handloom on the command line.

Each built-in command is a module `handloom.cli.NAME` with `add_arguments(parser)` and `run(arguments) -> int`,
imported when it is used and not before. Exit codes: 0 done, 1 it ran but something failed, 2 a mistake in what was
asked, 3 a mistake in the program, 130 interrupted, 141 whoever read the output left.
"""

from handloom.cli.entry import main

__all__ = ["main"]
