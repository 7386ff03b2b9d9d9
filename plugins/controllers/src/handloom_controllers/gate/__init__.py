"""The safety gate: what stands between any source of joint targets and the arm."""

from handloom_controllers.gate.gate import Gate, GateAnswer
from handloom_controllers.gate.jaw import WidthAnswer
from handloom_controllers.gate.settings import GateSettings

__all__ = ["Gate", "GateAnswer", "GateSettings", "WidthAnswer"]
