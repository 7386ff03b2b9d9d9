"""What a source of motion says of the tool centre point that its poses are of: a motion file, a dataset."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import TCP_DIGEST, tcp_digest
from handloom.api.rig_table import UNIT_TOLERANCE
from handloom.errors import FrameError, RecordingError

Float64Array = npt.NDArray[np.float64]

TRANSFORM = "T_camera_tcp"
"""How a motion file and a dataset's provenance call the transform behind the digest."""

_DIGEST = re.compile("[0-9a-f]{64}")


@attrs.frozen(kw_only=True, eq=False)
class TcpClaim:
    """Which tool centre point the poses of a source are of.

    Attributes:
        source: Who says so, as a sentence names it.
        digest: Of T_camera_tcp.
        T_camera_tcp: (7,) metres and quaternion x y z w; None where only the digest is known.
        camera: Name of that camera's frame; "" where it is not known.
    """

    source: str
    digest: str
    T_camera_tcp: Float64Array | None = None
    camera: str = ""


def is_digest(text: str) -> bool:
    """Tell whether a text is a digest as `tcp_digest` makes them."""
    return _DIGEST.fullmatch(text) is not None


def header_lines(T_camera_tcp: Float64Array) -> list[str]:
    """Return the comments by which a motion file says which tool centre point its poses are of."""
    numbers = " ".join(repr(value) for value in T_camera_tcp.tolist())
    return [f"# {TCP_DIGEST}: {tcp_digest(T_camera_tcp)}", f"# {TRANSFORM}: {numbers}"]


def claim_of_file(path: Path, comment: str = "#") -> TcpClaim | None:
    """Read what the comments at the head of a motion file say; None where they say nothing.

    Args:
        path: A text file of poses.
        comment: What its comments begin with; "" where it has none.

    Raises:
        RecordingError: The file can't be read, or what stands there is no digest, no transform, or contradicts.
    """
    told = dict(_told(path, comment)) if comment else {}
    if not told:
        return None
    T_camera_tcp, digest = None, told.get(TCP_DIGEST, "")
    if TRANSFORM in told:
        T_camera_tcp = _transform(path.name, told[TRANSFORM].split())
        digest = digest or tcp_digest(T_camera_tcp)
    return _claim(path.name, digest, T_camera_tcp)


def _told(path: Path, comment: str) -> Iterator[tuple[str, str]]:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for line in lines:
                if line.strip() and not line.lstrip().startswith(comment):
                    return
                name, _, value = line.strip().removeprefix(comment).partition(":")
                if name.strip() in (TCP_DIGEST, TRANSFORM):
                    yield name.strip(), value.strip()
    except FileNotFoundError:
        raise RecordingError(f"{path.name}: there is no such file; expected a text file of poses.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f"{path.name}: can't be read: {error}.") from error


def claim_of_dataset(path: Path, pose: str = "") -> TcpClaim:
    """Read the provenance of an exported dataset.

    Args:
        path: The dataset, `.zarr.zip` or a folder, or the `.provenance.json` beside it.
        pose: Which input of poses counts, "robot0_pose"; "" where all have one tool.

    Raises:
        RecordingError: It can't be read, keeps no digest, or several tools of which none was chosen.
    """
    about = _provenance(path)
    digests = about.get(TCP_DIGEST)
    if not isinstance(digests, Mapping) or not digests:
        raise RecordingError(
            f"{path.name}: does not say with which tool its poses were made: '{TCP_DIGEST}' is missing. "
            f"Export it again with the exporter 'umi', or set control.tool.tcp_digest."
        )
    names = sorted(digests)
    if pose and pose not in digests:
        raise RecordingError(f"{path.name}: has no poses '{pose}'; it has {', '.join(names)}.")
    if not pose and len(set(digests.values())) > 1:
        raise RecordingError(
            f"{path.name}: holds several tools: {', '.join(names)}; say which one this arm has with "
            f'control.tool.dataset_pose = "{names[0]}".'
        )
    chosen = pose or names[0]
    found = next(_streams(about, chosen), {})
    T_camera_tcp = _transform(path.name, found[TRANSFORM]) if TRANSFORM in found else None
    return _claim(path.name, digests[chosen], T_camera_tcp, str(found.get("camera", "")))


def _provenance(path: Path) -> Mapping[str, Any]:
    try:
        values = json.loads(_text(path))
    except (OSError, BadZipFile, KeyError, ValueError) as error:
        raise RecordingError(
            f"{path.name}: can't be read as a dataset ({error}); expected a .zarr.zip, or the .provenance.json "
            f"beside it."
        ) from error
    about = values.get("handloom", values) if isinstance(values, Mapping) else values
    return about if isinstance(about, Mapping) else {}


def _text(path: Path) -> str:
    if path.is_dir():
        return (path / ".zattrs").read_text(encoding="utf-8")
    if is_zipfile(path):
        with ZipFile(path) as archive:
            return archive.read(".zattrs").decode("utf-8")
    return path.read_text(encoding="utf-8")


def _streams(about: Mapping[str, Any], pose: str) -> Iterator[Mapping[str, Any]]:
    """Yield what the provenance says of a pose stream, by episode, where it has the transform."""
    episodes = about.get("episodes")
    for episode in episodes.values() if isinstance(episodes, Mapping) else ():
        stream = episode.get("streams", {}).get(pose, {}) if isinstance(episode, Mapping) else {}
        if isinstance(stream, Mapping) and TRANSFORM in stream:
            yield stream


def _transform(name: str, values: Any) -> Float64Array:
    """Return a transform, the rounding of its typed digits taken out of the quaternion as a rig does."""
    try:
        T_camera_tcp = np.array(values, dtype=np.float64)
        norm = np.linalg.norm(T_camera_tcp[3:7])
        if abs(norm - 1.0) < UNIT_TOLERANCE:
            T_camera_tcp[3:7] /= norm
        tcp_digest(T_camera_tcp)
    except (ValueError, TypeError, IndexError, FrameError):
        raise RecordingError(
            f"{name}: {TRANSFORM} is {values}; expected metres x y z and a unit quaternion x y z w."
        ) from None
    return T_camera_tcp


def _claim(source: str, digest: Any, T_camera_tcp: Float64Array | None, camera: str = "") -> TcpClaim:
    if not isinstance(digest, str) or not is_digest(digest):
        raise RecordingError(f"{source}: {TCP_DIGEST} is {digest!r}; expected 64 hexadecimal digits.")
    if T_camera_tcp is not None and tcp_digest(T_camera_tcp) != digest:
        raise RecordingError(
            f"{source}: contradicts itself: {TCP_DIGEST} is {digest}, but its {TRANSFORM} has the digest "
            f"{tcp_digest(T_camera_tcp)}. One of them was edited; take the file as it was written."
        )
    return TcpClaim(source=source, digest=digest, T_camera_tcp=T_camera_tcp, camera=camera)
