"""The described hardware: frames, cameras and clocks of a lab, known before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from handloom.time import ClockMap


@attrs.frozen(kw_only=True)
class Rig:
    """What the configuration says of the hardware.

    Attributes:
        name: The rig's name.
        clock_maps: Known maps between the clocks of two devices.
        frames: Static transforms, see `handloom.geometry.FrameTree`.
        cameras: Calibrated camera models by device name.
    """

    name: str = ""
    clock_maps: tuple[ClockMap, ...] = ()
    frames: Any = None
    cameras: Mapping[str, Any] = attrs.field(factory=dict)

    def to_table(self) -> dict[str, Any]:
        return {}


def rig_from_table(table: Mapping[str, Any]) -> Rig:
    return Rig()
