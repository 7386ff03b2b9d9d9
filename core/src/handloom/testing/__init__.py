"""What a plugin's author tests with: a contract for each family, a clock to move by hand, and made-up episodes.

Three lines are a test suite:

    class TestMySensor(SensorContract):
        component = MySensor
        def files(self, tmp_path): return (write_a_recording(tmp_path),)
"""

from handloom.testing.component_contract import ComponentContract
from handloom.testing.controller_contract import ControllerContract
from handloom.testing.exporter_contract import ExporterContract
from handloom.testing.fake_clock import DriftingClock, FakeClock
from handloom.testing.law_contract import LawContract
from handloom.testing.memory_inputs import MemoryInputs
from handloom.testing.model_contract import ModelContract
from handloom.testing.robot_contract import RobotContract
from handloom.testing.sensor_contract import SensorContract
from handloom.testing.step_contract import FrameStepContract, PoseSourceContract, StepContract
from handloom.testing.synthetic import SyntheticEpisode, synthetic_episode, synthetic_rig

__all__ = [
    "ComponentContract",
    "ControllerContract",
    "DriftingClock",
    "ExporterContract",
    "FakeClock",
    "FrameStepContract",
    "LawContract",
    "MemoryInputs",
    "ModelContract",
    "PoseSourceContract",
    "RobotContract",
    "SensorContract",
    "StepContract",
    "SyntheticEpisode",
    "synthetic_episode",
    "synthetic_rig",
]
