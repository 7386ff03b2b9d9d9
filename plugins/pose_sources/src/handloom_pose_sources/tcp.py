"""The step `tcp`: poses of whatever a tracker follows, re-expressed at the tool centre point."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import (
    TCP,
    TCP_DIGEST,
    InputPort,
    Inputs,
    OutputPort,
    Outputs,
    Ports,
    Progress,
    Step,
    hookimpl,
    tcp_digest,
)
from handloom.errors import FrameError, StepError
from handloom.geometry import FrameTree, pose
from handloom.streams import POSE, Samples

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class TcpConfig:
    """Which point of the tool, seen from which frame.

    Attributes:
        body: Frame `b` of the input's poses `T_a_b`, a frame of the rig; "" takes what the stream declares.
        tcp: Frame of the rig at the midpoint between the finger tips; the output's body.
        camera: Frame of the rig that tells the place of the TCP on the tool: the digest that the poses carry is
            that of T_camera_tcp, so that handheld and arm can be compared; "" takes the body.
        world: Frame that the output's poses are in; from another one the rig's fixed transforms must lead there.
    """

    body: str = ""
    tcp: str = TCP
    camera: str = ""
    world: str = "map"


class TcpPoses(Step):
    """Computes T_world_tcp = T_world_body * T_body_tcp, row by row; a lost row stays lost."""

    Config = TcpConfig
    summary = "Poses re-expressed at the midpoint between the finger tips, through the frames of the rig"
    lookahead = "none"

    @classmethod
    def ports(cls, config: TcpConfig) -> Ports:
        """Take the poses of one body and give those of the TCP, on the same clock."""
        type_ = attrs.evolve(POSE, frame=config.world, body=config.tcp)
        return Ports(
            inputs={"pose": InputPort(kinds="pose", body=config.body or None)},
            outputs={"pose": OutputPort(type=type_, clock_of="pose")},
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Re-express every row.

        Raises:
            StepError: The rig does not join the frames, or the stream has another body than the settings say.
        """
        progress(0.0)
        given = inputs.samples("pose")
        made = _re_expressed(given, inputs.rig.frames, self.config)
        progress(1.0)
        return Outputs(streams={"pose": made}, attributes=dict(made.attributes))


def _re_expressed(given: Samples, frames: FrameTree, config: TcpConfig) -> Samples:
    body, camera = given.type.body, config.camera or given.type.body
    if config.body and body != config.body:
        raise StepError(f"The poses are those of '{body}'; expected those of '{config.body}', as `body` says.")
    T_body_tcp = _fixed(frames, body, config.tcp, f"to turn poses of '{body}' into those of '{config.tcp}'")
    T_camera_tcp = _fixed(frames, camera, config.tcp, "to tell where the TCP is on the tool")
    T_world_frame = _between_worlds(frames, config.world, given.type.frame)
    return attrs.evolve(
        given,
        type=attrs.evolve(given.type, frame=config.world, body=config.tcp),
        data=pose.compose(pose.compose(T_world_frame, given.data), T_body_tcp),
        attributes={
            **given.attributes,
            **_told(T_body_tcp, T_camera_tcp, T_world_frame),
            "body": body,
            "camera": camera,
            "frame": given.type.frame,
        },
    )


def _told(T_body_tcp: Float64Array, T_camera_tcp: Float64Array, T_world_frame: Float64Array) -> dict[str, Any]:
    return {
        "T_body_tcp": T_body_tcp.tolist(),
        "T_camera_tcp": T_camera_tcp.tolist(),
        "T_world_frame": T_world_frame.tolist(),
        TCP_DIGEST: tcp_digest(T_camera_tcp),
    }


def _between_worlds(frames: FrameTree, world: str, frame: str) -> Float64Array:
    if world == frame:
        return pose.IDENTITY
    return _fixed(
        frames, world, frame, f"to turn poses in '{frame}' into poses in '{world}'; or set world = \"{frame}\""
    )


def _fixed(frames: FrameTree, a: str, b: str, why: str) -> Float64Array:
    """Return T_a_b of the rig; a frame on its own needs no rig."""
    if a == b:
        return pose.IDENTITY
    try:
        return frames.transform(a, b)
    except FrameError as error:
        raise StepError(f"T_{a}_{b} is needed {why}. {error} Frames are declared in [rig.frames].") from error


@hookimpl
def step(kind: str) -> type[Step]:
    """Answer for `tcp`."""
    return TcpPoses
