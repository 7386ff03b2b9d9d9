"""Whether poses are those of one tool centre point: its place on the tool as a digest that travels with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import FrameError
from handloom.streams import Stream

TCP = "tcp"
"""Name of the body of a TCP pose stream."""

TCP_DIGEST = "tcp_digest"
"""Attribute of a TCP pose stream that holds the digest of T_camera_tcp."""

_DECIMALS = 9
"""A nanometre: finer than any rig is written, coarser than what composing transforms rounds off."""


def tcp_digest(T_camera_tcp: npt.ArrayLike) -> str:
    """Return the digest of where the TCP is on the tool, the same however the transform was put together.

    Args:
        T_camera_tcp: (7,) metres and unit quaternion x y z w; a quaternion and its negative count as one.

    Returns:
        sha256 in hex of the numbers, rounded to 9 decimals, as canonical JSON.

    Raises:
        FrameError: It is not a transform.
    """
    values = np.asarray(T_camera_tcp, dtype=np.float64)
    if values.shape != (7,) or not np.isfinite(values).all() or abs(np.linalg.norm(values[3:]) - 1.0) > 1e-6:
        raise FrameError(f"T_camera_tcp must be x y z and a unit quaternion x y z w; found {values.tolist()}.")
    rounded = [round(value, _DECIMALS) + 0.0 for value in values.tolist()]  # + 0.0 turns -0.0 into 0.0
    largest = max(rounded[:2:-1], key=abs)  # from w down: of two equals, w decides
    if largest < 0.0:
        rounded[3:] = [0.0 - value for value in rounded[3:]]
    text = json.dumps({"rotation_xyzw": rounded[3:], "translation_m": rounded[:3]}, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def require_same_tcp(streams: Mapping[str, Stream], *, body: str = TCP) -> str:
    """Return the digest that all pose streams share, for an exporter that is about to put them side by side.

    Args:
        streams: By full name ("slam_tcp.pose"), at least one.
        body: The body the poses must be of.

    Raises:
        FrameError: One is no pose of that body, carries no digest, or another digest than the first.
    """
    digests: dict[str, str] = {}
    for name, stream in sorted(streams.items()):
        _require_tcp(name, stream, body)
        digests[name] = _digest_of(name, stream.attributes)
    if not digests:
        raise FrameError("There is no pose stream whose tool centre point could be looked at.")
    first = next(iter(digests))
    for name, digest in digests.items():
        if digest != digests[first]:
            raise FrameError(
                f"'{first}' and '{name}' are poses of two different tool centre points: digests "
                f"{digests[first][:12]} and {digest[:12]} of T_camera_tcp. Use one rig, with one "
                "T_camera_tcp, for both."
            )
    return digests[first]


def _require_tcp(name: str, stream: Stream, body: str) -> None:
    if stream.type.kind != "pose":
        raise FrameError(f"'{name}' is {stream.type}; expected a pose of '{body}'.")
    if stream.type.body != body:
        raise FrameError(
            f"'{name}' is the pose of '{stream.type.body}'; expected that of '{body}'. Put a step of kind 'tcp' "
            "between them."
        )


def _digest_of(name: str, attributes: Mapping[str, Any]) -> str:
    digest = attributes.get(TCP_DIGEST)
    if not isinstance(digest, str) or not digest:
        raise FrameError(
            f"'{name}' does not say where its tool centre point is: the attribute '{TCP_DIGEST}' is missing. "
            "A step of kind 'tcp' writes it."
        )
    return digest
