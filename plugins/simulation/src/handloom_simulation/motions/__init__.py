"""What the hand does: scripted demonstrations in MuJoCo, replayed paths, and cheap synthetic motion."""

from handloom_simulation.motions.kinematic import synthetic_take, untouched_take
from handloom_simulation.motions.replay import replay_take
from handloom_simulation.motions.settings import Occlusion, TakeSettings
from handloom_simulation.motions.take_making import MOTIONS, make_take

__all__ = ["MOTIONS", "Occlusion", "TakeSettings", "make_take", "replay_take", "synthetic_take", "untouched_take"]
