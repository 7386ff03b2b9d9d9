"""The calibrated camera that took a video, refused where its calibration is for pictures of another shape."""

from __future__ import annotations

import attrs

from handloom.api import Rig
from handloom.errors import StepError, did_you_mean
from handloom.geometry import CameraModel

_ASPECT_TOLERANCE = 0.002
"""Sizes rounded to even pixels differ by less; 16:9 and 4:3 modes differ by far more."""


@attrs.frozen(kw_only=True)
class NamedCamera:
    """A camera of the rig.

    Attributes:
        name: Its name in the rig.
        model: Its calibration.
    """

    name: str
    model: CameraModel

    def for_picture(self, width: int, height: int) -> CameraModel:
        """Return the calibration for pictures of a size: the same, or that of the same picture resized.

        Raises:
            StepError: The picture has another shape, so it is a crop that the calibration knows nothing of.
        """
        model = self.model
        if (width, height) == (model.width, model.height):
            return model
        ratio = width / height * model.height / model.width
        if abs(ratio - 1.0) > _ASPECT_TOLERANCE:
            raise StepError(
                f"The camera '{self.name}' is calibrated for pictures of {model.width}x{model.height}; this video "
                f"has {width}x{height}, another crop and no resized picture. Give the calibration of this mode."
            )
        return model.scaled(width, height)


def camera_for(rig: Rig, name: str) -> NamedCamera:
    """Return a camera of the rig by name, or the only one for "".

    Raises:
        StepError: There is none, or several and no name.
    """
    cameras = rig.cameras
    if name:
        if name not in cameras:
            raise StepError(f"The rig has no camera '{name}'{did_you_mean(name, cameras)}")
        return NamedCamera(name=name, model=cameras[name])
    if len(cameras) != 1:
        known = ", ".join(sorted(cameras)) or "none"
        raise StepError(f'A calibrated camera is needed; the rig has {known}. Name one: camera = "NAME".')
    only = next(iter(cameras))
    return NamedCamera(name=only, model=cameras[only])
