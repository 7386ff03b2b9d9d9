"""Settings of the step `gripper_width`."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt
from attrs.validators import ge, gt, matches_re, optional

from handloom_sensors.width.profiles import TONE_CURVES

IDS_PER_GRIPPER = 6
"""Left finger 6 g, right finger 6 g + 1. Source: UMI, example/calibration/aruco_config.yaml."""


@attrs.frozen(kw_only=True)
class GripperWidthConfig:
    """Settings of the measurement of a gripper's opening by the tags on its fingers.

    Attributes:
        camera: Name of the calibrated camera in the rig; "" takes the only one there is.
        gripper: Number g of the gripper: its left tag has id 6 g, its right one 6 g + 1.
        left_id: Id of the left finger's tag, where it does not follow from the number; -1 follows it.
        right_id: Id of the right finger's tag; -1 follows the number.
        dictionary: Dictionary of the tags, by OpenCV's name.
        tag_size_m: Side of a tag's black square.
        nominal_depth_m: Distance of the tags' plane from the camera along its axis.
        depth_tolerance_m: A tag nearer or farther than this from the nominal depth is not the finger's.
        closed_separation_m: Distance of the tags' centres when the pads touch, from `gripper_range`; without it
            `width` is the distance of the tags itself.
        open_separation_m: Distance at the widest opening; a width beyond it is counted, not cut.
        separation_only: Whether there is no stream `width`, because `calibrated_width` makes it of `separation`
            and the range of the scene.
        method: "rail" fits, over the whole episode, tags that slide on rails and keep their depth and orientation;
            "tags" takes each tag of each frame alone, as UMI does.
        flex_m: How far a finger strays from its rail, one sigma.
        turn_rad: How far a finger turns on its rail, one sigma.
        rail_tolerance_m: A tag farther off its rail than this, and than its own uncertainty explains, is a gap.
        symmetric_jaw: Whether the fingers move as mirror images, so that one tag tells the width. Without it a
            frame with a single tag is a gap.
        symmetry_plane_m: x of the plane between the fingers in the camera's frame; left out, it is learned from
            the frames with both tags.
        max_gap_s: Longest gap that is bridged by a straight line, from the last good frame to the next; 0 bridges
            none.
        readout_s: Time the sensor takes to read a frame from its first to its last row: widths are moved from the
            instant of the tags' rows to the frame's stamp, the instant of the middle row. 0 moves nothing.
        gamma: Tone curve the camera wrote its luma with: "srgb" undoes it before edges are measured, "linear" has
            none.
    """

    camera: str = ""
    gripper: int = attrs.field(default=0, validator=ge(0))
    left_id: int = attrs.field(default=-1, validator=ge(-1))
    right_id: int = attrs.field(default=-1, validator=ge(-1))
    dictionary: str = attrs.field(default="DICT_4X4_50", validator=matches_re(r"DICT_\w+"))
    tag_size_m: float = attrs.field(default=0.016, validator=gt(0.0))
    nominal_depth_m: float = attrs.field(default=0.072, validator=gt(0.0))
    depth_tolerance_m: float = attrs.field(default=0.008, validator=gt(0.0))
    closed_separation_m: float | None = attrs.field(default=None, validator=optional(gt(0.0)))
    open_separation_m: float | None = attrs.field(default=None, validator=optional(gt(0.0)))
    separation_only: bool = False
    method: Literal["rail", "tags"] = "rail"
    flex_m: float = attrs.field(default=0.00005, validator=gt(0.0))
    turn_rad: float = attrs.field(default=0.003, validator=gt(0.0))
    rail_tolerance_m: float = attrs.field(default=0.0015, validator=gt(0.0))
    symmetric_jaw: bool = False
    symmetry_plane_m: float | None = None
    max_gap_s: float = attrs.field(default=0.1, validator=ge(0.0))
    readout_s: float = attrs.field(default=0.0, validator=ge(0.0))
    gamma: Literal["srgb", "linear"] = "srgb"

    def __attrs_post_init__(self) -> None:
        left, right = self.ids
        if left == right:
            raise ValueError(f"left_id and right_id are both {left}; the fingers' tags must differ.")
        closed, widest = self.closed_separation_m, self.open_separation_m
        if self.separation_only and (closed is not None or widest is not None):
            raise ValueError(
                "separation_only is set, and so is an end of the range, which makes a width; leave one out."
            )
        if closed is not None and widest is not None and widest <= closed:
            raise ValueError(
                f"open_separation_m is {widest} and closed_separation_m {closed}; open must be wider."
            )

    @property
    def light(self) -> npt.NDArray[np.float64]:
        """Light (256,) of each luma level."""
        return TONE_CURVES[self.gamma]

    @property
    def ids(self) -> tuple[int, int]:
        """Ids of the left and the right finger's tag."""
        first = IDS_PER_GRIPPER * self.gripper
        left = first if self.left_id < 0 else self.left_id
        return left, first + 1 if self.right_id < 0 else self.right_id
