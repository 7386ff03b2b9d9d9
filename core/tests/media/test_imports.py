"""Importing the media package costs nothing: PyAV is loaded when a file is opened."""

from __future__ import annotations

import subprocess
import sys


def test_pyav_is_not_loaded_by_an_import():
    script = "import sys, handloom.media; raise SystemExit('av' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
