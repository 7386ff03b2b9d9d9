"""Differential inverse kinematics by mink: one step a frame, from the joints of the step before."""

from handloom_controllers.differential_ik.following import DifferentialIk, IkAnswer
from handloom_controllers.differential_ik.settings import IkSettings

__all__ = ["DifferentialIk", "IkAnswer", "IkSettings"]
