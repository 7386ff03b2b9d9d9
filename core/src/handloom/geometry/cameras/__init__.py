"""Camera models: points to pixels and pixels to rays, with the truth about where they hold."""

from handloom.geometry.cameras.double_sphere import DoubleSphere
from handloom.geometry.cameras.kannala_brandt import KannalaBrandt
from handloom.geometry.cameras.model import CameraModel
from handloom.geometry.cameras.pinhole import Pinhole
from handloom.geometry.cameras.table import camera_from_table

__all__ = ["CameraModel", "DoubleSphere", "KannalaBrandt", "Pinhole", "camera_from_table"]
