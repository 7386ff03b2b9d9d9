"""Whether the arm's tool is the one that a motion was made with: said before the arm moves, or refused."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from handloom.api import TCP_DIGEST
from handloom.errors import HandloomError
from handloom.geometry import quaternion
from handloom.streams import layout_named
from handloom_controllers.control.pipeline import ControlPipeline
from handloom_controllers.control.tcp_claims import (
    Float64Array,
    TcpClaim,
    claim_of_dataset,
    claim_of_file,
)
from handloom_controllers.control.tool import RigTool

_BARE = (
    "Nothing ties the arm's tool to the TCP of a dataset: the law has a T_flange_tcp of its own, not one from a "
    "rig ([rig] and [control.tool])."
)


@attrs.frozen(kw_only=True, eq=False)
class Tie:
    """What is known of the arm's tool and of the one behind the motion, none of which contradicts the other.

    Attributes:
        sentence: All of it in words.
        tool: The arm's tool; None where it is not from a rig.
        claims: What the sources of the motion say.
    """

    sentence: str
    tool: RigTool | None = None
    claims: tuple[TcpClaim, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        tied = {claim.source: claim.digest for claim in self.claims}
        return {
            "said": self.sentence,
            "from_rig": self.tool.to_json() if self.tool else None,
            f"{TCP_DIGEST}_by_source": tied,
        }


def tied(pipeline: ControlPipeline, more: Sequence[TcpClaim] = ()) -> Tie:
    """Hold the arm's tool against what every source of the motion says of its own.

    Args:
        pipeline: The pipeline; nothing of it is opened but its dataset and its file of poses.
        more: What else says so: whatever answers with chunks.

    Raises:
        HandloomError: A source was made with another tool, or can't be read.
    """
    claims = (*_claims(pipeline), *more)
    tool = pipeline.tool
    if tool is None:
        return Tie(sentence=" ".join([_BARE, *map(_unproved, claims)]), claims=claims)
    for claim in claims:
        if claim.digest != tool.digest:
            raise HandloomError(_two_tools(tool, claim))
    return Tie(sentence=_said(pipeline, tool, claims), tool=tool, claims=claims)


def _claims(pipeline: ControlPipeline) -> Iterator[TcpClaim]:
    settings = pipeline.tool_settings
    if settings and settings.tcp_digest:
        yield TcpClaim(source="control.tool.tcp_digest", digest=settings.tcp_digest)
    if settings and settings.dataset:
        yield claim_of_dataset(settings.dataset, settings.dataset_pose)
    motion = pipeline.motion
    if motion:
        claim = claim_of_file(motion.file, layout_named(motion.format, motion.columns).comment)
        if claim:
            yield claim


def _said(pipeline: ControlPipeline, tool: RigTool, claims: Sequence[TcpClaim]) -> str:
    here = f"The arm's tool is that of the rig '{tool.rig}': T_{tool.camera}_tcp has the digest {tool.digest}"
    if claims:
        return f"{here}, as in {' and '.join(claim.source for claim in claims)}."
    if pipeline.motion is None:
        return f"{here}; there is no motion to hold it against."
    return (
        f"{here}. {pipeline.motion.file.name} does not say which tool it was made with, so nothing ties the two: "
        f"set control.tool.dataset or control.tool.tcp_digest."
    )


def _unproved(claim: TcpClaim) -> str:
    made = f"{claim.source} was made with a tool of digest {claim.digest}"
    return f"{made}; whether the arm's is the same can't be told."


def _two_tools(tool: RigTool, claim: TcpClaim) -> str:
    there = ""
    if claim.T_camera_tcp is not None:
        camera = claim.camera or "the camera"
        apart = _apart(tool.T_camera_tcp, claim.T_camera_tcp)
        there = f" {claim.source} has it at {_mm(claim.T_camera_tcp)} in {_named(camera)}, {apart}."
    return (
        f"The arm's tool is another one than that of {claim.source}: the digest of T_{tool.camera}_tcp is "
        f"{tool.digest} on the arm, by the rig '{tool.rig}', and {claim.digest} there. The arm's rig has the TCP "
        f"at {_mm(tool.T_camera_tcp)} in {_named(tool.camera)}.{there} The arm was not moved. Include the rig "
        f"file that the recordings were made with and add only where the camera is on the flange; or, if the arm "
        f"really has another tool, record with that one."
    )


def _named(camera: str) -> str:
    return camera if camera == "the camera" else f"'{camera}'"


def _mm(T_camera_tcp: Float64Array) -> str:
    return f"[{', '.join(f'{value:.6g}' for value in (1e3 * T_camera_tcp[:3]).tolist())}] mm"


def _apart(first: Float64Array, second: Float64Array) -> str:
    distance_mm = 1e3 * float(np.linalg.norm(first[:3] - second[:3]))
    angle_deg = math.degrees(float(quaternion.angle_between(first[3:], second[3:])))
    return f"{distance_mm:.3g} mm and {angle_deg:.3g} degrees away"
