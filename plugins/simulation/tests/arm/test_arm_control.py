"""The compiled loop and law on the simulated arm: it tracks, it presses no harder than it may, it stays well."""

import math

import numpy as np
import pytest

from handloom.api import Chunk
from handloom.geometry import pose
from handloom_simulation.arm.settings import wall

BALL = {"hand": False, "gripper": "", "probe_radius_m": 0.02, "floor": False}
TOUCHY = {"collision_force_n": math.inf, "collision_torque_nm": math.inf, "collision_joint_torque_nm": (math.inf,)}
TOOL = (0.0, 0.0, 0.1034, 0.0, 0.0, 0.0, 1.0)


pytestmark = pytest.mark.usefixtures("compiled_loop")


class Run:
    """A loop on an arm in simulated time, fed with chunks of positions."""

    def __init__(self, robot, way=None, **gains):
        from handloom_controllers.impedance import Impedance, ImpedanceConfig
        from handloom_controllers.realtime import LoopSettings, RealTimeLoop, WaySettings

        self.robot = robot
        self.start = pose.compose(robot.read().T_base_flange, np.array(TOOL))
        way = way or WaySettings()
        settings = LoopSettings(telemetry_every=1, telemetry_room=1 << 15, hold_s=60.0, way=way)
        self.loop = RealTimeLoop(robot, Impedance(ImpedanceConfig(T_flange_tcp=TOOL, **gains)), settings)
        self.observed = 0

    def __enter__(self):
        self.loop.__enter__()
        return self

    def __exit__(self, *found):
        self.loop.__exit__(*found)

    def go(self, times_s, offsets, cycles, widths=None):
        self.observed += 1
        poses = np.tile(self.start, (len(times_s), 1))
        poses[:, :3] += offsets
        widths = np.full(len(times_s), np.nan) if widths is None else widths
        self.loop.push(
            Chunk(
                stamps=np.round(np.asarray(times_s) * 1e9).astype(np.int64), clock="robot", poses=poses,
                widths_m=widths, frame="base", body="tcp", observed=self.observed,
            )
        )  # fmt: skip
        self.loop.run(cycles)

    def offset(self):
        return pose.compose(self.robot.read().T_base_flange, np.array(TOOL))[:3] - self.start[:3]


@pytest.fixture
def run(open_fr3):
    def make(gains=None, **settings):
        return Run(open_fr3(**{**BALL, **TOUCHY, **settings}), **(gains or {}))

    return make


def test_the_hand_grips_as_hard_and_as_fast_as_the_loop_is_told(open_fr3):
    from handloom_controllers.realtime import WaySettings

    thing = {"gripper": "fast_hand", "in_hand_m": 0.05, "in_hand_n_per_m": 5000.0}
    with Run(open_fr3(**thing), way=WaySettings(gripper_speed_m_per_s=0.02, gripper_force_n=20.0)) as arm:
        arm.go([0.02, 4.0], np.zeros((2, 3)), 4500, widths=np.array([0.0, 0.0]))
        records = arm.loop.telemetry()
        assert arm.robot.read().grip_force_n == pytest.approx(20.0, abs=0.1)
    moving = np.diff(records["width_m"])
    assert moving.min() >= -0.02 * 0.034 - 1e-9  # between two reports


def swing(times_s):
    return np.outer(0.03 * np.sin(2 * np.pi * 0.7 * times_s), [0.0, 1.0, 0.0])


def test_feed_forward_takes_most_of_the_error_away(run):
    errors = []
    for feed_forward in (True, False):
        with run({"feed_forward": feed_forward}) as arm:
            times = np.linspace(0.02, 3.0, 150)
            arm.go(times, swing(times), 2900)
            records = arm.loop.telemetry()
        there = records["T_base_tcp"][:, :3] - arm.start[:3]
        errors.append(np.sqrt(np.mean((there - swing(records["stamp_ns"] * 1e-9)) ** 2)))
    assert errors[0] < 0.4 * errors[1]


@pytest.mark.parametrize("normal", [(-1.0, 0.0, 0.0), (1.0, 1.0, 1.0)])
def test_a_reference_deep_in_a_wall_presses_with_no_more_than_the_bound(run, open_fr3, normal):
    unit = np.array(normal) / np.linalg.norm(normal)
    at = pose.compose(open_fr3(**BALL).read().T_base_flange, np.array(TOOL))[:3] - unit * 0.04
    block = wall(point_m=tuple(at), normal=normal, half_m=(0.1, 0.07, 0.07))
    with run(blocks=(block,)) as arm:
        times = np.linspace(0.1, 3.3, 65)
        arm.go(times, -np.outer(times - 0.1, unit) * 0.1, 4000)
        truth, felt = arm.robot.plant.truth(), arm.robot.read().wrench
    assert 0.85 * 20 < np.linalg.norm(truth.contact_force_n) < 1.15 * 20
    assert truth.contact_peak_n < 2.2 * 20
    assert np.dot(truth.contact_force_n, unit) > 0.99 * np.linalg.norm(truth.contact_force_n)
    assert np.allclose(felt[:3], truth.contact_force_n, atol=0.5)


def test_an_arm_whose_model_errs_sags_by_no_more_than_the_spring_lets_it(run):
    with run(payload_kg=0.5, payload_com_m=(0.0, 0.0, 0.05)) as arm:
        arm.loop.run(1500)
        sag = np.linalg.norm(arm.offset())
        assert 0.5 * 0.5 * 9.81 / 2000 < sag < 1.3 * 0.5 * 9.81 / 2000
    told = {"payload_kg": 0.5, "payload_com_m": (0.0, 0.0, 0.05)}
    with run(told, payload_kg=0.5, payload_com_m=(0.0, 0.0, 0.05)) as arm:
        arm.loop.run(1500)
        assert np.linalg.norm(arm.offset()) < 2e-4


def test_the_same_motion_twice_is_the_same_to_the_last_bit(run):
    ends = []
    for _ in range(2):
        with run() as arm:
            arm.go(np.array([0.1, 0.5]), np.array([[0.0, 0.0, 0.0], [0.02, 0.03, -0.02]]), 600)
            ends.append(arm.robot.read().q)
    assert np.array_equal(*ends)


def test_ten_seconds_of_random_chunks_wake_no_reflex(run):
    rng = np.random.default_rng(5)
    with run(collision_force_n=40.0, model_error=0.05, seed=2) as arm:
        for number in range(20):
            times = 0.5 * number + np.array([0.1, 0.3, 0.5, 0.7])
            arm.go(times, rng.uniform(-0.05, 0.05, (4, 3)), 500)
        assert arm.robot.read().reflexes == ()
        assert arm.loop.status().stop == "none"
