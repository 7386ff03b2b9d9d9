"""Files that exporters write: under a temporary name until whole, under their own name only then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handloom.store import Disk, FileHashes

PREFIX = ".partial-"


def partial_path(final: Path, exporter: str, token: str) -> Path:
    """Return the temporary name beside the final one."""
    return final.with_name(f"{PREFIX}{exporter}-{token}-{final.name}")


def finish_file(partial: Path, final: Path) -> dict[str, Any]:
    """Describe a finished file, for the ledger."""
    file = FileHashes().of(partial)
    return {"file": final.name, "bytes": file.size, "sha256": file.sha256}


def place(partial: Path, final: Path, disk: Disk) -> None:
    """Give a finished file its name, in one step that a crash can't split."""
    disk.sync(partial)
    disk.rename(partial, final)
    disk.sync(final.parent)


def sweep(folder: Path, exporter: str) -> list[str]:
    """Remove what an interrupted export left; return a sentence for each file."""
    removed = []
    for leftover in sorted(folder.glob(f"{PREFIX}{exporter}-*")) if folder.is_dir() else []:
        leftover.unlink()
        removed.append(f"Removed {leftover.name}, left by an export that was interrupted.")
    return removed


def is_in_place(final: Path, attributes: Mapping[str, Any]) -> bool:
    """Say whether the exported file is still there, by its size."""
    described = attributes.get("export", {})
    return final.is_file() and final.stat().st_size == described.get("bytes")
