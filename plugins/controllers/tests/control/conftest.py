"""What the tests of the command share: a pipeline in a folder, and parts that need no library."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent))  # the fakes are modules, as plugins are; behind all others

PIPELINE = """
[robots.arm]
kind = "fake_arm"

[controllers.law]
kind = "fake_law"

[control]
folder = "out"
paced = false

[control.reference]
file = "path.txt"
lead_in_s = 0.2

[control.loop]
rate_hz = 200.0
hold_s = 0.3
telemetry_every = 2
"""


@pytest.fixture
def parts():
    import fake_parts

    return fake_parts


@pytest.fixture
def made_up():
    from made_up import made_up

    return made_up


@pytest.fixture
def pipeline(tmp_path):
    """Return a control pipeline that is right, beside a path of two seconds."""
    seconds = np.arange(0, 2.001, 0.05)
    rows = [f"{t:.3f} {0.05 * np.sin(2 * t):.6f} 0.1 {0.02 * t:.6f} 0 0 0 1" for t in seconds]
    (tmp_path / "path.txt").write_text("# t x y z qx qy qz qw\n" + "\n".join(rows) + "\n")
    file = tmp_path / "track.toml"
    file.write_text(PIPELINE)
    return file
