"""What the figures were measured on, and the ffmpeg they are measured against."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path


def ffmpeg() -> str:
    """Return the ffmpeg to run: the one on the PATH, else the one that imageio-ffmpeg brings."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    from imageio_ffmpeg import get_ffmpeg_exe

    return str(get_ffmpeg_exe())


def run_ffmpeg(*arguments: str) -> None:
    """Run ffmpeg quietly.

    Raises:
        RuntimeError: It failed; the message holds its own words.
    """
    command = [ffmpeg(), "-nostdin", "-hide_banner", "-loglevel", "error", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ffmpeg {' '.join(arguments)} failed: {done.stderr.strip()}")


def machine() -> dict[str, str]:
    """Return the processor, its cores and the versions that the figures depend on."""
    return {
        "cpu": _cpu_model(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "av", "zarr")},
        "ffmpeg": _ffmpeg_version(),
    }


def _cpu_model() -> str:
    told = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", told.read_text(), re.MULTILINE) if told.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def _ffmpeg_version() -> str:
    words = subprocess.run([ffmpeg(), "-version"], capture_output=True, text=True, check=True).stdout.split()
    return words[2]
