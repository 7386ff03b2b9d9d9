"""The default renderer: rays through the exact camera model, on the CPU, without OpenGL."""

from handloom_simulation.render.renderer import Renderer
from handloom_simulation.render.settings import RenderSettings

__all__ = ["RenderSettings", "Renderer"]
