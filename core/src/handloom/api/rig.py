"""The described hardware: frames, cameras and clocks of a lab, known before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from handloom.errors import FrameError
from handloom.geometry import CameraModel, FrameTree, StaticEdge
from handloom.time import ClockMap, ClockMaps


@attrs.frozen(kw_only=True, eq=False)
class Rig:
    """What the configuration says of the hardware.

    Attributes:
        name: The rig's name.
        clock_maps: Known maps between the clocks of two devices.
        frames: Static transforms between the frames of the hardware.
        cameras: Calibrated camera models by device name.
    """

    name: str = ""
    clock_maps: ClockMaps = attrs.field(factory=ClockMaps)
    frames: FrameTree = attrs.field(factory=FrameTree)
    cameras: Mapping[str, CameraModel] = attrs.field(factory=dict)

    def to_table(self) -> dict[str, Any]:
        """Return the rig as plain JSON values that `rig_from_table` reads back, nothing lost.

        Raises:
            FrameError: A frame moves; only the fixed ones are part of the hardware.
        """
        frames = {child: _frame_table(edge) for child, edge in sorted(self.frames.edges.items())}
        cameras = {name: camera.to_table() for name, camera in sorted(self.cameras.items())}
        clocks: dict[str, list[dict[str, Any]]] = {}
        for known in sorted(self.clock_maps, key=lambda known: (known.source, known.target)):
            clocks.setdefault(known.source, []).append(_clock_table(known))
        return {"rig": {"name": self.name, "frames": frames, "cameras": cameras, "clocks": clocks}}


def _frame_table(edge: object) -> dict[str, Any]:
    if not isinstance(edge, StaticEdge):
        raise FrameError(f"A rig keeps fixed transforms only; found {edge!r}.")
    values = edge.T_parent_child.tolist()
    return {"parent": edge.parent, "translation_m": values[:3], "rotation_xyzw": values[3:]}


def _clock_table(known: ClockMap) -> dict[str, Any]:
    table = known.to_json()
    del table["source"]
    return {"reference": table.pop("target"), **table}
