"""Where a result comes from, as the ledger keeps it."""

from __future__ import annotations

from collections.abc import Mapping

from handloom.plan import Node
from handloom.store import Provenance, SourceFile


def provenance_of(node: Node, inputs: Mapping[str, str], sources: tuple[SourceFile, ...] = ()) -> Provenance:
    """Return the provenance of what a component makes.

    Args:
        node: The component.
        inputs: Digest of everything that feeds it, by group path.
        sources: The recorded files it read.
    """
    return Provenance(
        kind=node.block.kind,
        distribution=node.distribution,
        version=node.distribution_version,
        step_version=node.component.version,
        settings=node.settings,
        inputs=inputs,
        sources=sources,
    )
