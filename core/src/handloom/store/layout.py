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
    for name in (*_GROUPS, *_FOLDERS):
        folder = scene / name
        if not folder.is_dir():
            disk.make_directory(folder)
        text = folder_json(_FOLDERS[name]) if name in _FOLDERS else group_json({}, "A group")
        replace_file(folder / ROOT, text, scene, disk)
        disk.sync(folder)
    write_root(scene, {"handloom_schema": SCHEMA, "rig": rig}, disk)


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
        attributes: dict[str, Any] = values["attributes"]
    except FileNotFoundError as error:
        raise StoreError(f"{scene} is not a scene: it has no {ROOT}. Make one with create_scene.") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
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
