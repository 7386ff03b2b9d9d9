"""The fixed parts of a scene directory: written when the scene is made and not touched again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handloom.errors import StoreError
from handloom.store.arrays import folder_json, group_json
from handloom.store.disk import Disk
from handloom.store.keys import RECORD
from handloom.store.schema import SCHEMA
from handloom.store.staging import MEDIA, STAGING
from handloom.store.transaction import new_name

ROOT = "zarr.json"
_GROUPS = ("annotations", "episodes")
_FOLDERS = {
    MEDIA: "recorded media files, named by the head of their sha256",
    RECORD: "the lock of the scene",
}


def write_layout(scene: Path, rig: str, disk: Disk) -> None:
    """Make an empty scene in a directory that has at most the start of one; the root's metadata come last."""
    for where, text in parts().items():
        _write_part(scene, where, text, disk)
    write_root(scene, {"handloom_schema": SCHEMA, "rig": rig}, disk)


def parts() -> dict[str, bytes]:
    """Return the content of every fixed file but the root's metadata, by its path in the scene."""
    groups = {f"{name}/{ROOT}": group_json({}, "A group") for name in _GROUPS}
    return groups | {f"{name}/{ROOT}": folder_json(holds) for name, holds in _FOLDERS.items()}


def mend_layout(scene: Path, disk: Disk) -> tuple[str, ...]:
    """Write the fixed files again that are gone or have changed, and say which."""
    wrong = {where: text for where, text in parts().items() if not _holds(scene / where, text)}
    for where, text in wrong.items():
        _write_part(scene, where, text, disk)
    return tuple(f"Wrote {where} again, which was gone or had changed." for where in wrong)


def _holds(path: Path, text: bytes) -> bool:
    return path.is_file() and path.read_bytes() == text


def _write_part(scene: Path, where: str, text: bytes, disk: Disk) -> None:
    path = scene / where
    if not path.parent.is_dir():
        disk.make_directory(path.parent)
    replace_file(path, text, scene, disk)
    disk.sync(path.parent)


def write_root(scene: Path, attributes: Mapping[str, Any], disk: Disk) -> None:
    """Write the attributes of the scene."""
    replace_file(scene / ROOT, group_json(dict(attributes), "The scene's attributes"), scene, disk)


def replace_file(path: Path, data: bytes, scene: Path, disk: Disk) -> None:
    """Put a file in place of another in one instant."""
    temporary = scene / new_name(STAGING)
    disk.write(temporary, data)
    disk.sync(temporary)
    disk.rename(temporary, path)
    disk.sync(path.parent)


def read_root(scene: Path) -> dict[str, Any]:
    """Return the attributes of the scene.

    Raises:
        StoreError: The directory is not a scene.
    """
    try:
        values = json.loads((scene / ROOT).read_bytes())
        attributes: dict[str, Any] = dict(values["attributes"])
    except FileNotFoundError as error:
        what = f"is not a scene: it has no {ROOT}" if scene.is_dir() else "is not there"
        raise StoreError(f"{scene} {what}; a scene is the folder that `handloom run` names last.") from error
    except NotADirectoryError as error:
        raise StoreError(f"{scene} is a file; a scene is the folder that `handloom run` names last.") from error
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(f"{scene} can't be read as a scene: {scene / ROOT}: {error}.") from error
    return attributes


def check_free(scene: Path) -> None:
    """Refuse to make a scene in a directory that holds anything but the start of one.

    Raises:
        StoreError: There are other files.
    """
    allowed = {*_GROUPS, *_FOLDERS}
    foreign = [p.name for p in sorted(scene.iterdir()) if p.name not in allowed and not p.name.startswith(STAGING)]
    if foreign:
        raise StoreError(
            f"{scene} holds other files ({', '.join(foreign[:3])}); make a scene in a new or empty directory."
        )
