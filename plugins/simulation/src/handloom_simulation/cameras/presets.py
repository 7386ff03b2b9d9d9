"""Calibrated cameras by name, and the same ones at other sizes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

import attrs
import numpy as np

from handloom.geometry import CameraModel, KannalaBrandt, Pinhole

Camera = TypeVar("Camera", bound=CameraModel)


def fisheye(width: int, height: int, diagonal_deg: float) -> KannalaBrandt:
    """Return an equidistant-like fisheye that sees an angle along the whole diagonal of its picture.

    Its coefficients are those of a mildly compressing lens: 2 % less radius at 90 degrees.
    """
    k1, k2 = -0.006, -0.0008
    half = np.deg2rad(0.5 * diagonal_deg)
    reach = half * (1.0 + k1 * half**2 + k2 * half**4)
    focal = float(0.5 * np.hypot(width, height) / reach)
    return KannalaBrandt(
        width=width, height=height, fx=focal, fy=focal, cx=0.5 * (width - 1), cy=0.5 * (height - 1), k1=k1, k2=k2
    )


UMI_GOPRO = KannalaBrandt(
    width=2704,
    height=2028,
    fx=796.854,
    fy=796.854,
    cx=1354.43,
    cy=1011.48,
    k1=-0.02196,
    k2=-0.01896,
    k3=0.00169,
    k4=-0.000168,
)
"""A GoPro with its wide lens at 2.7K 4:3.  Source: UMI's public calibration file; it holds up to 104 degrees."""

POLYUMI_GOPRO = KannalaBrandt(
    width=1352,
    height=1014,
    fx=421.47,
    fy=421.47,
    cx=674.61,
    cy=504.08,
    k1=0.02893,
    k2=-0.12456,
    k3=0.12351,
    k4=-0.04367,
)
"""A GoPro at half of 2.7K 4:3.  Source: PolyUMI's intrinsics file."""

FISHEYE_155 = fisheye(2704, 2028, 155.0)
"""A wrist camera that sees 155 degrees along the diagonal."""

FISHEYE_200 = attrs.evolve(fisheye(2028, 2028, 200.0), fx=580.0, fy=580.0)
"""A wrist camera whose image circle, 200 degrees across, fits into its picture."""

TOP_CAMERA = Pinhole(width=1920, height=1200, fx=1400.0, fy=1400.0, cx=959.5, cy=599.5)
"""The camera over the table: 69 x 46 degrees, 50 fps."""

PRESETS: Mapping[str, CameraModel] = MappingProxyType(
    {
        "fisheye_155": FISHEYE_155,
        "fisheye_200": FISHEYE_200,
        "polyumi_gopro": POLYUMI_GOPRO,
        "top_camera": TOP_CAMERA,
        "umi_gopro": UMI_GOPRO,
    }
)
"""The cameras by name."""

CIRCLES_DEG: Mapping[str, float] = MappingProxyType({"fisheye_200": 100.0})
"""Largest angle to the optical axis that a lens shows, where its model holds further than its image circle."""


def scaled(camera: Camera, width: int) -> Camera:
    """Return the camera of the same picture resized to a width, its height rounded to an even number of rows."""
    height = 2 * round(0.5 * camera.height * width / camera.width)
    return camera.scaled(width, max(2, height))


def cropped(camera: Camera, width: int, height: int) -> Camera:
    """Return the camera of the middle of the picture: 2704 x 1520 of 2704 x 2028 is what 2.7K60 video shows.

    Margins are equal, or larger by one pixel at the right and the bottom.
    """
    left, top = (camera.width - width) // 2, (camera.height - height) // 2
    return attrs.evolve(camera, width=width, height=height, cx=camera.cx - left, cy=camera.cy - top)
