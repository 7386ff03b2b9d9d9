"""The lab: what is on the table, how it is touched (MuJoCo) and how it looks."""

from handloom_simulation.scene.lab import lab_world
from handloom_simulation.scene.settings import LabSettings
from handloom_simulation.scene.viewpoints import T_WORLD_TOP_CAMERA

__all__ = ["T_WORLD_TOP_CAMERA", "LabSettings", "lab_world"]
