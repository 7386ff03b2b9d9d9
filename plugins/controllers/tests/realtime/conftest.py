"""What the tests of the loop share: a compiled robot and a compiled law that misbehave on demand."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from handloom.api import Chunk
from handloom_controllers.native import NativeLibraryError, include_dir, library
from handloom_controllers.realtime import LoopSettings, RealTimeLoop

from .point_robot import PointRobot, SpringLaw, chunk_of, load

PARTS = Path(__file__).with_name("parts.cpp")


@pytest.fixture
def chunk() -> Callable[..., Chunk]:
    """Return what makes a chunk of positions along x."""
    return chunk_of


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compile parts.cpp against the public header."""
    try:
        library()
    except NativeLibraryError as missing:
        pytest.skip(str(missing))
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no C++ compiler to build the robot and the law of these tests with")
    built = tmp_path_factory.mktemp("parts") / "libparts.so"
    flags = ["-std=c++17", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", f"-I{include_dir()}"]
    subprocess.run([compiler, *flags, str(PARTS), "-o", str(built)], check=True)
    return load(str(built))


@pytest.fixture
def robot(parts: ctypes.CDLL) -> PointRobot:
    """Return a mass on three sliding joints."""
    return PointRobot(parts)


@pytest.fixture
def law(parts: ctypes.CDLL) -> SpringLaw:
    """Return a spring and a damper between the mass and the reference."""
    return SpringLaw(parts)


@pytest.fixture
def make_loop(robot: PointRobot, law: SpringLaw) -> Iterator[Callable[..., RealTimeLoop]]:
    """Return what opens a loop on the robot and the law with given settings, closed after the test."""
    opened: list[RealTimeLoop] = []

    def make(**settings: Any) -> RealTimeLoop:
        loop = RealTimeLoop(robot, law, LoopSettings(**{"telemetry_every": 1, **settings}))
        opened.append(loop.__enter__())
        return loop

    yield make
    for loop in opened:
        loop.close()
