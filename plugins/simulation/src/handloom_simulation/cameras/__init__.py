"""Cameras of the lab: the calibrations and lenses that its recordings are rendered with."""

from handloom_simulation.cameras.presets import (
    CIRCLES_DEG,
    FISHEYE_155,
    FISHEYE_200,
    POLYUMI_GOPRO,
    PRESETS,
    TOP_CAMERA,
    UMI_GOPRO,
    cropped,
    scaled,
)

__all__ = [
    "CIRCLES_DEG",
    "FISHEYE_155",
    "FISHEYE_200",
    "POLYUMI_GOPRO",
    "PRESETS",
    "TOP_CAMERA",
    "UMI_GOPRO",
    "cropped",
    "scaled",
]
