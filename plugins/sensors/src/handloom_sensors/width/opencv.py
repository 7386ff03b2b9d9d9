"""OpenCV, imported when it is first needed, with a sentence for those who did not install it."""

from __future__ import annotations

from typing import Any

from handloom.errors import PluginError


def opencv() -> Any:
    """Return the module cv2.

    Raises:
        PluginError: It is not installed, or too old to know `ArucoDetector`.
    """
    try:
        import cv2
    except ImportError as error:
        raise PluginError(
            f"Finding tags needs OpenCV, which can't be imported ({error}); "
            "pip install 'handloom-sensors[fiducials]'."
        ) from error
    if not hasattr(cv2, "aruco") or not hasattr(cv2.aruco, "ArucoDetector"):
        raise PluginError(
            f"Finding tags needs OpenCV 4.10 or later with its aruco module; found {cv2.__version__}; "
            "pip install --upgrade 'handloom-sensors[fiducials]'."
        )
    return cv2
