"""Write a new plugin distribution from templates; the work behind `handloom new`."""

from handloom.cli.scaffold.distribution import write_distribution
from handloom.cli.scaffold.names import Names, names_from

__all__ = ["Names", "names_from", "write_distribution"]
