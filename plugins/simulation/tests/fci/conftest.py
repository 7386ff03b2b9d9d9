"""A simulated control interface of its own for each test, and the unmodified pylibfranka that connects to it."""

import itertools
import os

import pytest

from handloom.errors import HandloomError

pytest.importorskip("handloom_controllers", reason="the simulated arm needs handloom-controllers")

PLACES = itertools.count()


@pytest.fixture(scope="session")
def compiled():
    """Skip what needs the real-time library, or a compiler for the simulated arm, where there is none."""
    from handloom_controllers.native import NoNativeLibraryError, library
    from handloom_simulation.arm.compiling import find_compiler

    if find_compiler(os.environ) is None:
        pytest.skip("the simulated arm is compiled on first use, and there is no C++ compiler")
    try:
        library()
    except NoNativeLibraryError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def fci(compiled):
    """Open interfaces, each on a loopback address that nobody else has."""
    from handloom_simulation.fci.server import FciConfig, SimulatedFci

    opened = []

    def make(**settings):
        for _ in range(100):
            place = os.getpid() * 101 + next(PLACES) * 7919
            address = f"127.{1 + place % 250}.{1 + place // 250 % 250}.{1 + place // 62500 % 250}"
            interface = SimulatedFci(FciConfig(address=address, **settings))
            try:
                interface.open()
            except HandloomError:
                continue
            opened.append(interface)
            return interface
        raise AssertionError("no loopback address is free")

    yield make
    for interface in opened:
        interface.close()


@pytest.fixture(scope="session")
def wheel():
    """Skip what needs the maker's wheel where it can't be installed."""
    return pytest.importorskip(
        "pylibfranka",
        reason="pylibfranka is not installed: there are wheels for Linux and Python 3.11 and 3.12 only",
    )


@pytest.fixture
def franka(fci, wheel):
    """Give an interface and the robot that connects to it; neither is in real time."""
    from handloom_controllers.franka.robot import FrankaRobot
    from handloom_controllers.franka.settings import FrankaConfig

    robots = []

    def make(*, settings=None, **interface):
        peer = fci(**interface)
        told = {"realtime": "ignore", "lock_step": True, **(settings or {})}
        robot = FrankaRobot(FrankaConfig(address=peer.config.address, **told))
        robots.append(robot)
        return peer, robot

    yield make
    for robot in robots:
        robot.close()
