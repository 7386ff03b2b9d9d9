"""Settings and ports: what makes no sense is said at once, with what was expected."""

import attrs
import pytest

from handloom.api import Rig, clock_map_type
from handloom.errors import ConfigError
from handloom.streams import POSE, VIDEO
from handloom.time import ClockMap, ClockMaps
from handloom_exporters.umi import UmiConfig, UmiExporter


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"stride": 3, "rate_hz": 20.0}, "both a stride and a rate"),
        ({"latency_s": {"camera1": 0.1}}, "latency_s.camera1: there is no such input; did you mean 'camera0'"),
        ({"masks": {"camera0": (((0.0, 0.0), (1.0, 1.0)),)}}, "at least three corners"),
        ({"finger_crop_px": (1, 2, 3)}, "expected 4 numbers"),
        ({"finger_size_px": (0, 2)}, "expected 2 numbers"),
        ({"microphones": 2, "microphone_channels": (0, 1, 2)}, "one number for each"),
        ({"crop": "square"}, "crop: A crop is"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, sentence):
    with pytest.raises(ConfigError, match=sentence):
        UmiConfig(**settings)


def test_every_counted_thing_has_inputs():
    ports = UmiExporter.ports(UmiConfig(robots=2, cameras=2, microphones=1, fingers=1)).inputs
    robots = ["robot0_pose", "robot0_width", "robot1_pose", "robot1_width"]
    assert list(ports) == [*robots, "camera0", "camera1", "microphone0", "finger0", "verdict", "clock_maps"]
    assert all(port.many for port in ports.values())
    assert not ports["robot0_pose"].fits(attrs.evolve(POSE, body="camera"))


def types(**changes):
    poses = attrs.evolve(POSE, body="tcp", frame="world", clock="tracker")
    return {"camera.video": attrs.evolve(VIDEO, clock="camera"), "tcp.pose": attrs.evolve(poses, **changes)}


def test_a_camera_pose_is_refused_by_the_plan():
    (sentence,) = UmiExporter.check(UmiConfig(), types(body="camera", clock="camera"), Rig())
    assert "'tcp.pose' holds poses of 'camera'; a dataset holds poses of the fingertip midpoint, 'tcp'" in sentence


def test_a_clock_that_nothing_joins_is_refused_by_the_plan():
    (sentence,) = UmiExporter.check(UmiConfig(), types(), Rig())
    assert "'tcp.pose' can't be brought to the frames" in sentence
    known = ClockMap(source="camera", target="tracker", offset_ns=0)
    found = {**types(), "sync.map": clock_map_type("tracker", "camera")}
    assert UmiExporter.check(UmiConfig(), found, Rig(clock_maps=ClockMaps((known,)))) == ()


def test_an_episode_without_a_video_is_no_mistake_of_the_plan():
    assert UmiExporter.check(UmiConfig(), {"tcp.pose": types()["tcp.pose"]}, Rig()) == ()
