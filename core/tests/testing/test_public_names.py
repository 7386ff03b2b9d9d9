"""What authors of plugins import stays what it is."""

import subprocess
import sys

import handloom.testing


def test_the_public_names_are_these():
    assert sorted(handloom.testing.__all__) == [
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
    assert all(hasattr(handloom.testing, name) for name in handloom.testing.__all__)


def test_the_contracts_need_no_pytest():
    code = "import sys, handloom.testing; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
