"""A recorded path is followed through the control interface as well as without it."""

import json
from pathlib import Path

import pytest

from handloom_controllers.control.pipeline import load_control
from handloom_controllers.control.running import run_motion

pytestmark = pytest.mark.real_time

pytest_plugins = ("handloom.testing.fixtures",)

EXAMPLE = Path(__file__).parents[4] / "examples" / "pipelines" / "sim-track.toml"

PIPELINE = """
include = [{example}]

[robots.arm]
{robot}

[control]
folder = "out"
plots = false
mcap = false
{control}

[control.reference]
speed = {speed}
"""


@pytest.fixture
def followed(tmp_path, only_these_plugins):
    """Follow the example's path on a robot; return what became of it."""
    host = only_these_plugins(
        robots={
            "franka": "handloom_controllers.franka.robot",
            "mujoco_fr3": "handloom_simulation.arm.robots",
        },
        controllers={"impedance": "handloom_controllers.impedance"},
    )

    def follow(robot, *, speed=0.5, control="paced = false"):
        file = tmp_path / "track.toml"
        file.write_text(
            PIPELINE.format(example=json.dumps(str(EXAMPLE)), robot=robot, speed=speed, control=control)
        )
        made = run_motion(load_control(file, host), folder=tmp_path, progress=lambda _: None)
        return made.outcome

    return follow


def interface(peer, lock_step="true"):
    return f'kind = "franka"\naddress = "{peer.config.address}"\nrealtime = "ignore"\nlock_step = {lock_step}'


@pytest.mark.slow
def test_the_wipe_is_followed_as_in_the_simulation(fci, wheel, followed):
    peer = fci()
    through = followed(interface(peer))
    without = followed('kind = "mujoco_fr3"')
    assert through.well
    assert through.reflexes == ()
    assert peer.interface.motions[0].lost == 0
    assert peer.interface.motions[0].answer == 0
    assert through.path.rms_mm == pytest.approx(without.path.rms_mm, abs=0.02)
    assert through.path.rms_mm < 3
    assert through.path.rms_deg == pytest.approx(without.path.rms_deg, abs=0.02)


def test_a_reflex_of_the_arm_ends_the_run_with_its_name(fci, wheel, followed, monkeypatch):
    from handloom_controllers.control.printing import end

    peer = fci()
    ask = peer.interface.go_on

    def go_on(command):
        ask(command)
        if peer.interface.motions and peer.interface.motions[-1].cycles == 800:
            peer.raise_reflex("cartesian_reflex")

    monkeypatch.setattr(peer.interface, "go_on", go_on)
    made = followed(interface(peer), speed=2.0)
    assert not made.well
    assert end(made) == "the robot stopped by itself (cartesian_reflex)"


def test_paced_by_the_clock_it_follows_too(fci, wheel, followed):
    """The arm's millisecond is longer here than a real one whenever the machine is busy; so this claims little."""
    peer = fci()
    made = followed(interface(peer), speed=2.0, control="paced = true")
    assert made.stop == "asked"
    assert made.reflexes == ()
    assert peer.interface.motions[0].reflexes == ()
