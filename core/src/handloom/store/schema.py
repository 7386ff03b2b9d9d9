"""The version of a scene's layout, and how older ones are brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from handloom.errors import StoreError
from handloom.store.disk import Disk

SCHEMA = 1
"""Layout this version writes."""

Migration = Callable[[Path, Disk], None]
"""Changes a scene from one schema to the next, the root attribute aside; may be interrupted and run again."""

MIGRATIONS: Mapping[int, Migration] = MappingProxyType({})
"""By the schema they start from; empty as long as there is one schema."""


def check_schema(scene: Path, found: object, *, newest: int = SCHEMA) -> int:
    """Return the schema of a scene when this version knows it.

    Raises:
        StoreError: It is newer, or no schema at all.
    """
    if type(found) is not int or found < 1:
        raise StoreError(f"{scene} is a zarr group but not a Handloom scene: it has no `handloom_schema`.")
    if found > newest:
        raise StoreError(
            f"{scene} has store schema {found}, and this Handloom reads up to {newest}. "
            f"Upgrade: pip install --upgrade handloom."
        )
    return found


def migrations_from(
    schema: int, *, newest: int = SCHEMA, table: Mapping[int, Migration] = MIGRATIONS
) -> tuple[Migration, ...]:
    """Return the migrations that lead from a schema to the newest, in order.

    Raises:
        StoreError: One is missing.
    """
    missing = [step for step in range(schema, newest) if step not in table]
    if missing:
        raise StoreError(
            f"No migration leads on from store schema {missing[0]}; use an older Handloom to read it."
        )
    return tuple(table[step] for step in range(schema, newest))
