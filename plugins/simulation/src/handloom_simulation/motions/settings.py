"""Settings of a take: how quickly, how steadily, with what in the way."""

from __future__ import annotations

from typing import Literal

import attrs

from handloom_simulation.scene.occluders import BY, COVERED


@attrs.frozen(kw_only=True)
class Occlusion:
    """Something comes between a camera and a tag for a while.

    Attributes:
        covers: The tag on that finger, or the table's marker.
        by: "hand": a thumb lies on the finger's tag, a forearm over the marker; "object": a slip of paper hangs
            before the tag, a parcel stands on the marker.
        start_s: When the tag is fully covered.
        end_s: When it begins to be free again.
    """

    covers: Literal["finger_left", "finger_right", "table_marker"] = attrs.field(
        validator=attrs.validators.in_(COVERED)
    )
    by: Literal["hand", "object"] = attrs.field(default="hand", validator=attrs.validators.in_(BY))
    start_s: float = attrs.field(validator=attrs.validators.ge(0.0))
    end_s: float

    def __attrs_post_init__(self) -> None:
        if self.end_s <= self.start_s:
            raise ValueError(f"An occlusion must end after it starts; found {self.start_s} s to {self.end_s} s.")


@attrs.frozen(kw_only=True)
class TakeSettings:
    """Settings of a take.

    Attributes:
        duration_s: How long it is to last; its free moves are hurried or slowed to fit. None: as it comes.
        speed_m_per_s: Mean speed of a free move; the peak is 1.875 times that.
        rest_s: How long the hand rests at the start and at the end.
        tremor_m: RMS of the hand's tremor along each axis.
        tremor_rad: RMS of its tremor about each axis.
        chirps_s: When the sync chirp is played.
        occlusions: What is covered, and when.
    """

    duration_s: float | None = attrs.field(
        default=None, validator=attrs.validators.optional(attrs.validators.gt(0.0))
    )
    speed_m_per_s: float = attrs.field(default=0.28, validator=attrs.validators.gt(0.0))
    rest_s: float = attrs.field(default=1.1, validator=attrs.validators.gt(0.0))
    tremor_m: float = attrs.field(default=0.0004, validator=attrs.validators.ge(0.0))
    tremor_rad: float = attrs.field(default=0.003, validator=attrs.validators.ge(0.0))
    chirps_s: tuple[float, ...] = (0.5,)
    occlusions: tuple[Occlusion, ...] = ()
