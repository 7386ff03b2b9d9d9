"""Where everything is, in the camera's frame, at instants spread over the time a frame takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import FrameError, nearest
from handloom.geometry import IDENTITY, pose
from handloom_simulation.take import WORLD, Take

FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]
Int64Array = npt.NDArray[np.int64]

KNOT_S = 0.001
"""Between such instants what a camera sees moves along straight lines: at 5 rad/s they leave the true path by 3e-6
of its distance."""


@attrs.frozen(kw_only=True, eq=False)
class Placed:
    """The world's objects before the camera at evenly spaced instants.

    Attributes:
        start_s: First instant, counted from the frame's stamp.
        step_s: Between instants.
        objects: (K, N, 12) of each object its axes x, y, z in the camera's frame, and its origin along those axes.
        light: (K, N, 3) unit direction of the light in the object's own axes.
    """

    start_s: float
    step_s: float
    objects: Float32Array
    light: Float32Array


def knots(first_s: float, last_s: float) -> tuple[FloatArray, float]:
    """Return instants from first to last, seconds, at most KNOT_S apart, and what lies between two of them."""
    steps = max(1, math.ceil((last_s - first_s) / KNOT_S))
    return np.linspace(first_s, last_s, steps + 1), (last_s - first_s) / steps


def stamps_within(take: Take, stamp_ns: int, instants_s: FloatArray) -> Int64Array:
    """Return int64 ns stamps of instants about a frame's stamp; the scene rests before and after its take."""
    stamps = stamp_ns + np.rint(instants_s * 1e9).astype(np.int64)
    return np.clip(stamps, take.stamps[0], take.stamps[-1])


def poses_during(take: Take, bodies: Sequence[str], stamps: Int64Array) -> dict[str, FloatArray]:
    """Return T_world_body (K, 7) of the named bodies at int64 ns stamps.

    Raises:
        FrameError: The take moves no such body.
    """
    moving = [body for body in dict.fromkeys(bodies) if body != WORLD]
    for body in moving:
        if body not in take.poses:
            near = nearest(body, take.poses)
            raise FrameError(
                f"The world holds parts of the body {body!r}, which the take {take.name!r} does not move{near}"
            )
    first = max(0, int(np.searchsorted(take.stamps, stamps[0], side="right")) - 1)
    end = int(np.searchsorted(take.stamps, stamps[-1], side="left")) + 1
    # Only the part around the frame is looked at: the whole take would be checked anew for every frame.
    part = attrs.evolve(
        take, stamps=take.stamps[first:end], poses={body: take.poses[body][first:end] for body in moving}
    )
    return {body: part.pose_at(body, stamps) for body in moving}


def place(
    *,
    bodies: Sequence[str],
    T_body_object: FloatArray,
    poses: Mapping[str, FloatArray],
    camera: tuple[str, FloatArray],
    light_direction: tuple[float, float, float],
    instants: tuple[FloatArray, float],
) -> Placed:
    """Place all objects before the camera.

    Args:
        bodies: Body of each object.
        T_body_object: (N, 4, 4).
        poses: T_world_body (K, 7) by body, or (7,) of one at rest; the world itself may be left out.
        camera: Body that carries the camera, and (7,) T_body_camera.
        light_direction: Along which light travels in world.
        instants: (K,) seconds from the frame's stamp, and their distance; one will do where nothing moves.
    """
    distinct = list(dict.fromkeys([WORLD, *bodies]))
    count = len(instants[0])
    T_world_body = np.stack([_matrices(poses, body, count) for body in distinct], axis=1)
    T_camera_world = np.linalg.inv(_matrices(poses, camera[0], count) @ pose.to_matrix(camera[1]))
    if (T_world_body == T_world_body[:1]).all() and (T_camera_world == T_camera_world[:1]).all():
        T_world_body, T_camera_world = T_world_body[:1], T_camera_world[:1]
    each = [distinct.index(body) for body in bodies]
    T_world_object = T_world_body[:, each] @ T_body_object
    T_camera_object = T_camera_world[:, None] @ T_world_object
    axes = T_camera_object[..., :3, :3].swapaxes(-1, -2)
    origin = np.einsum("knij,knj->kni", axes, T_camera_object[..., :3, 3])
    light = np.einsum("knji,j->kni", T_world_object[..., :3, :3], _unit(light_direction))
    objects = np.concatenate([axes.reshape(*axes.shape[:2], 9), origin], axis=-1)
    return Placed(
        start_s=float(instants[0][0]),
        step_s=instants[1],
        objects=np.ascontiguousarray(objects, dtype=np.float32),
        light=np.ascontiguousarray(light, dtype=np.float32),
    )


def _matrices(poses: Mapping[str, FloatArray], body: str, count: int) -> FloatArray:
    """Return T_world_body (K, 4, 4)."""
    if body == WORLD:
        return np.broadcast_to(pose.to_matrix(IDENTITY), (count, 4, 4))
    if body not in poses:
        raise FrameError(
            f"Nothing says where the body {body!r} is; poses are given of {', '.join(sorted(poses))}."
        )
    return np.broadcast_to(pose.to_matrix(poses[body]), (count, 4, 4))


def _unit(direction: tuple[float, float, float]) -> FloatArray:
    vector = np.array(direction, dtype=np.float64)
    unit: FloatArray = vector / np.linalg.norm(vector)
    return unit
