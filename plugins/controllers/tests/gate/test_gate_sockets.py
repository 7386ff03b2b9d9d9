"""The gate opens no socket: the kernel would end the process, whatever language asks."""

from __future__ import annotations

import ast
import platform
import subprocess
import sys
from pathlib import Path

import pytest

import handloom_controllers.gate as package

_WITHOUT_SOCKETS = '''
import ctypes, struct, sys

def forbid_sockets():
    """Let the kernel end this process at its first call of socket(2): a seccomp filter of four instructions."""
    code = [
        (0x20, 0, 0, 0),            # the number of the system call
        (0x15, 0, 1, 41),           # socket on x86-64
        (0x06, 0, 0, 0x80000000),   # end the process
        (0x06, 0, 0, 0x7FFF0000),   # allow
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
    header = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0):
        sys.exit(77)
'''

_GATE = """
import numpy as np
from handloom_controllers.arms import fr3
from handloom_controllers.gate import Gate, GateSettings
arm = fr3()
gate = Gate(GateSettings(), arm)
gate.reset(arm.home)
rng = np.random.default_rng(0)
for tick in range(1, 60):
    gate.step(arm.home + rng.normal(size=7) * 0.1 if tick % 7 else None, tick * 10_000_000)
gate.step(np.full(7, np.nan), 10**12)
"""

_WAY_POINTS = """
import ruckig
solver, given, out = ruckig.Ruckig(2, 0.01, 4), ruckig.InputParameter(2), ruckig.OutputParameter(2, 4)
given.current_position, given.target_position = [0.0, 0.0], [1.0, 1.0]
given.max_velocity, given.max_acceleration, given.max_jerk = [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]
given.intermediate_positions = [[0.2, 0.4]]
try:
    solver.update(given, out)
except ruckig.RuckigError:
    pass
"""

_PYTHON = "import socket; socket.socket()"


def _ends_with(tmp_path: Path, code: str) -> int:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("the filter knows the system calls of Linux on x86-64 only")
    script = tmp_path / "watched.py"
    script.write_text(f"{_WITHOUT_SOCKETS}\nforbid_sockets()\n{code}")
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, timeout=120, check=False)
    if ended.returncode == 77:
        pytest.skip("this machine permits no seccomp filter")
    return ended.returncode


def test_the_filter_catches_a_socket_of_python(tmp_path: Path) -> None:
    assert _ends_with(tmp_path, _PYTHON) < 0


def test_the_filter_catches_the_cloud_call_of_ruckig(tmp_path: Path) -> None:
    """pantor/ruckig#112: way-points make the community build call a service, from C++."""
    assert _ends_with(tmp_path, _WAY_POINTS) < 0


def test_a_gate_at_work_opens_no_socket(tmp_path: Path) -> None:
    assert _ends_with(tmp_path, _GATE) == 0


def test_way_points_are_set_nowhere() -> None:
    for file in sorted(Path(package.__file__).parent.glob("*.py")):
        names = {node.attr for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)}
        assert not {name for name in names if name.startswith(("intermediate_", "filter_inter", "per_section"))}
