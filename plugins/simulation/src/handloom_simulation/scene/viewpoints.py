"""Where cameras that don't move with the gripper stand."""

from __future__ import annotations

from handloom_simulation.scene.placing import facing

T_WORLD_TOP_CAMERA = facing((0.0, 0.02, 1.35), right=(1.0, 0.0, 0.0), down=(0.0, -1.0, 0.0))
"""The camera over the table looks straight down; the person stands at the picture's lower side."""

T_WORLD_TOP_CAMERA.setflags(write=False)
