"""Files that exporters write: under a temporary name until whole, under their own name only then."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from handloom.errors import StepError
from handloom.store import Disk, FileHashes

PREFIX = ".partial-"


def partial_path(final: Path, exporter: str, scene: Path, token: str) -> Path:
    """Return the temporary name beside the final one; it tells whose it is, for scenes may share a folder."""
    return final.with_name(f"{_own(final.parent, exporter, scene)}{token}-{final.name}")


def _own(folder: Path, exporter: str, scene: Path) -> str:
    """Return how the temporary names of a scene's exporter begin; they outlive a move of both folders together."""
    way = Path(os.path.relpath(scene, folder)).as_posix()
    return f"{PREFIX}{exporter}-{sha256(os.fsencode(way)).hexdigest()[:8]}-"


def finish_file(partial: Path, final: Path) -> dict[str, Any]:
    """Describe a finished file, for the ledger."""
    file = FileHashes().of(partial)
    return {"file": final.name, "bytes": file.size, "sha256": file.sha256}


def beside_paths(partial: Path, final: Path, suffix: str, ending: str) -> tuple[Path, Path]:
    """Return the temporary and the final name of a text that goes beside an exported file.

    Args:
        partial: Temporary name of the exported file.
        final: Its final name, which ends with `suffix`.
        suffix: Of the exporter.
        ending: What stands in its place.

    Raises:
        StepError: The ending is none that a name beside the file could have.
    """
    if ending == suffix or not ending.startswith(".") or Path(f"a{ending}").name != f"a{ending}":
        raise StepError(
            f"An exporter names a text beside its file '{ending}'; expected an ending such as '.json'."
        )
    name = final.name.removesuffix(suffix) + ending
    return partial.with_name(partial.name.removesuffix(final.name) + name), final.with_name(name)


def withdraw(final: Path, disk: Disk) -> None:
    """Take away an older file whose texts are about to be replaced: it must not stand beside those of another."""
    if final.is_file():
        disk.remove(final)
        disk.sync(final.parent)


def place(partial: Path, final: Path, disk: Disk) -> None:
    """Give a finished file its name, in one step that a crash can't split."""
    disk.sync(partial)
    disk.rename(partial, final)
    disk.sync(final.parent)


def sweep(folder: Path, exporter: str, scene: Path) -> list[str]:
    """Remove what an interrupted export of a scene left, and nothing that another scene is writing there.

    Returns:
        A sentence for each file.
    """
    removed = []
    for leftover in sorted(folder.glob(f"{_own(folder, exporter, scene)}*")) if folder.is_dir() else []:
        leftover.unlink()
        removed.append(f"Removed {leftover.name}, left by an export that was interrupted.")
    return removed


def is_in_place(final: Path, attributes: Mapping[str, Any]) -> bool:
    """Say whether the exported file and the texts beside it are still there, by their sizes."""
    described = attributes.get("export", {})
    return all(
        _has_size(final.with_name(each["file"]), each) for each in (described, *described.get("beside", ()))
    )


def _has_size(path: Path, described: Mapping[str, Any]) -> bool:
    return path.is_file() and path.stat().st_size == described["bytes"]
