"""Where the tool centre point is on an arm, from the frames of a rig: the arm's half of the step `tcp`."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import TCP_DIGEST, Law, Rig, tcp_digest
from handloom.config import Block, Document, read_rig
from handloom.errors import FrameError
from handloom_controllers.control.settings import ToolSettings

Float64Array = npt.NDArray[np.float64]

TOOL = "T_flange_tcp"
"""Setting by which a law is told where its tool is."""


@attrs.frozen(kw_only=True, eq=False)
class RigTool:
    """The tool of an arm as a rig has it: T_flange_tcp = T_flange_camera * T_camera_tcp.

    Attributes:
        rig: The rig's name.
        camera: Frame of the camera, on the arm as on the handheld gripper.
        T_flange_tcp: (7,) metres and quaternion x y z w.
        T_camera_tcp: (7,) likewise.
    """

    rig: str
    camera: str
    T_flange_tcp: Float64Array
    T_camera_tcp: Float64Array

    @property
    def digest(self) -> str:
        """Digest of T_camera_tcp, as the poses of the step `tcp` carry it."""
        return tcp_digest(self.T_camera_tcp)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "rig": self.rig,
            "camera": self.camera,
            "T_flange_tcp": self.T_flange_tcp.tolist(),
            "T_camera_tcp": self.T_camera_tcp.tolist(),
            TCP_DIGEST: self.digest,
        }


def rig_tool(rig: Rig, settings: ToolSettings) -> RigTool:
    """Find the tool in the frames of a rig.

    Raises:
        FrameError: The rig does not join flange, camera and tool centre point.
    """
    return RigTool(
        rig=rig.name,
        camera=settings.camera,
        T_flange_tcp=_fixed(rig, settings.flange, settings.tcp, "to know the point that the arm moves"),
        T_camera_tcp=_fixed(rig, settings.camera, settings.tcp, "to tell where the TCP is on the tool"),
    )


def read_tool(document: Document, settings: ToolSettings | None, problems: list[str]) -> RigTool | None:
    """Find the tool in the rig of a control pipeline; None where it is not asked for or not there.

    Args:
        document: Where it was written.
        settings: Its `[control.tool]`; None where there is none.
        problems: Gets a sentence for each mistake.
    """
    key = ("control", "tool")
    if "rig" not in document.tables:
        if settings:
            told = "there is no [rig]; expected one whose frames lead from the flange to the camera and the TCP."
            problems.append(document.problem(key, told))
        return None
    before = len(problems)
    rig = read_rig(document, problems)
    if settings is None or len(problems) > before:
        return None
    try:
        return rig_tool(rig, settings)
    except FrameError as error:
        problems.append(document.problem(key, str(error)))
        return None


def tool_fault(document: Document, block: Block, law: type[Law], tool: RigTool | None) -> str:
    """Say why a law can't have the tool of the rig, or would miss it; "" where nothing is wrong.

    Args:
        document: Where the pipeline was written.
        block: The law as written.
        law: Its class.
        tool: The tool of the rig; None where it was not asked for, or is wrong.
    """
    takes, given = TOOL in attrs.fields_dict(law.Config), TOOL in block.table
    if tool and not takes:
        return f"this law has no setting {TOOL}, so it can't have the tool of [control.tool]; take it out."
    if tool and given:
        return f"{TOOL} is given here, and by [control.tool] from the rig; expected one of both."
    if takes and not given and "rig" in document.tables and "tool" not in document.tables.get("control", {}):
        return (
            f"there is a [rig], and nothing says where the tool is in it: add [control.tool] with the frames "
            f"`flange`, `camera` and `tcp`, or give {TOOL} here."
        )
    return ""


def _fixed(rig: Rig, a: str, b: str, why: str) -> Float64Array:
    try:
        return rig.frames.transform(a, b)
    except FrameError as error:
        raise FrameError(f"T_{a}_{b} is needed {why}. {error} Frames are declared in [rig.frames].") from error
