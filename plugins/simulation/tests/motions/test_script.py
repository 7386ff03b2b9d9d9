import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.geometry import pose, quaternion
from handloom_simulation.gripper import MOUNTED
from handloom_simulation.motions.script import Stance, Track, gripper_poses
from handloom_simulation.motions.tremor import tremor
from handloom_simulation.motions.writer import ScriptWriter

finite = st.floats(-1.0, 1.0)


@given(st.lists(st.tuples(st.floats(0.5, 2.0), finite, finite), min_size=3, max_size=6))
@settings(deadline=None, max_examples=20)
def test_a_track_meets_its_points_with_their_velocities_and_no_jump_of_acceleration(rows):
    lengths, values, velocities = map(np.array, zip(*rows, strict=True))
    times = np.cumsum(lengths)
    track = Track(times_s=times, values=values[:, None], velocities=velocities[:, None])
    np.testing.assert_allclose(track.at(times)[:, 0], values, atol=1e-12)
    h = 1e-4
    for knot, velocity in zip(times[1:-1], velocities[1:-1], strict=True):
        before, at, after = track.at(knot + np.array([-h, 0.0, h]))[:, 0]
        assert abs((after - before) / (2.0 * h) - velocity) < 1e-3
        assert abs((after - 2.0 * at + before) / h**2) < 0.2


def test_between_two_rests_the_peak_speed_is_that_of_minimum_jerk():
    track = Track(times_s=np.array([0.0, 2.0]), values=np.array([[0.0], [1.0]]), velocities=np.zeros((2, 1)))
    speed = np.gradient(track.at(np.linspace(0.0, 2.0, 2001))[:, 0], 1e-3)
    np.testing.assert_allclose(speed.max(), 1.875 / 2.0, rtol=1e-4)


def test_a_point_that_is_passed_is_not_overshot():
    writer = ScriptWriter(Stance(tcp_m=(0.0, 0.0, 0.2)), 0.08, speed_m_per_s=0.3)
    writer.go([0.3, 0.0, 0.2], through=True)
    writer.go([0.3, 0.0, 0.05])
    script = writer.script()
    path = script.tool.at(np.linspace(0.0, script.duration_s, 2000))
    assert path[:, 0].max() < 0.3 + 1e-9
    assert path[:, 2].min() > 0.05 - 1e-9


def test_a_hurried_script_takes_less_time_but_rests_as_long():
    scripts = []
    for pace in (1.0, 2.0):
        writer = ScriptWriter(Stance(tcp_m=(0.0, 0.0, 0.2)), 0.08, speed_m_per_s=0.3, pace=pace)
        writer.wait(1.0)
        writer.go([0.3, 0.0, 0.2])
        scripts.append(writer.script())
    np.testing.assert_allclose(scripts[0].duration_s - 1.0, 2.0 * (scripts[1].duration_s - 1.0))


def test_at_zero_angles_the_gripper_looks_away_and_level():
    T_world_gripper = gripper_poses(Stance(tcp_m=(0.1, 0.2, 0.3), pitch_rad=0.0).as_row()[None])[0]
    axes = quaternion.rotate(T_world_gripper[3:], np.eye(3))
    np.testing.assert_allclose(axes, [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(pose.transform_points(T_world_gripper, MOUNTED["tcp"][:3]), [0.1, 0.2, 0.3])


def test_pitch_points_the_fingers_down_and_yaw_turns_to_the_left():
    down, left = (
        quaternion.rotate(gripper_poses(stance.as_row()[None])[0, 3:], np.array([0.0, 0.0, 1.0]))
        for stance in (
            Stance(tcp_m=(0.0, 0.0, 0.0), pitch_rad=0.5),
            Stance(tcp_m=(0.0, 0.0, 0.0), pitch_rad=0.0, yaw_rad=0.5),
        )
    )
    np.testing.assert_allclose(down, [0.0, np.cos(0.5), -np.sin(0.5)], atol=1e-12)
    np.testing.assert_allclose(left, [-np.sin(0.5), np.cos(0.5), 0.0], atol=1e-12)


def test_tremor_has_the_strength_it_says_and_nothing_above_its_band():
    noise = tremor(np.arange(0.0, 60.0, 0.005), 3, np.random.default_rng(0))
    np.testing.assert_allclose(noise.std(axis=0), 1.0, rtol=0.3)
    spectrum = np.abs(np.fft.rfft(noise * np.hanning(len(noise))[:, None], axis=0)) ** 2
    frequencies = np.fft.rfftfreq(len(noise), 0.005)
    assert spectrum[frequencies > 11.0].sum() < 1e-6 * spectrum.sum()
