import attrs
import numpy as np

from handloom.geometry import pose
from handloom.time import ClockMap
from handloom_simulation.devices import (
    Sampling,
    SlamSettings,
    optitrack_settings,
    track,
    track_by_slam,
    vr_settings,
)
from handloom_simulation.gripper import MOUNTED, unit_transform

CLOCK = ClockMap(source="sim", target="optitrack", offset_ns=1_234_567_890, drift_ppm=-35.0)


def sampling(take, settings):
    return Sampling.within(
        CLOCK, start_ns=20_000_000, end_ns=int(take.stamps[-1]) - 20_000_000, rate_hz=settings.rate_hz
    )


def test_a_quiet_tracker_sees_the_gripper_through_its_own_frame(take):
    settings = optitrack_settings().quiet()
    made = sampling(take, settings)
    seen = track(take, made, settings=settings, seed=1)
    T_world_body = pose.compose(unit_transform(settings.T_world_tracker), seen.poses)
    T_world_gripper = pose.compose(T_world_body, pose.inverse(unit_transform(MOUNTED["markers"])))
    expected = take.pose_at("gripper", made.instants_ns())
    np.testing.assert_allclose(T_world_gripper[:, :3], expected[:, :3], atol=1e-9)
    assert seen.tracked.all()


def test_up_is_y_for_optitrack():
    up = pose.transform_points(pose.inverse(unit_transform(optitrack_settings().T_world_tracker)), [0.0, 0.0, 1.0])
    origin = pose.transform_points(pose.inverse(unit_transform(optitrack_settings().T_world_tracker)), np.zeros(3))
    np.testing.assert_allclose(up - origin, [0.0, 1.0, 0.0], atol=1e-5)


def test_optitrack_is_good_to_a_tenth_of_a_millimetre_and_vr_to_two(take):
    for settings, low, high in ((optitrack_settings(), 0.5e-4, 2e-4), (vr_settings(), 0.5e-3, 2.5e-3)):
        made = sampling(take, settings)
        truth = track(take, made, settings=attrs.evolve(settings.quiet(), latency_s=settings.latency_s), seed=1)
        seen = track(take, made, settings=settings, seed=1)
        error = (seen.poses - truth.poses)[seen.tracked, :3]
        assert low < np.std(error) < high


def test_a_lost_span_leaves_no_pose(take):
    settings = attrs.evolve(optitrack_settings().quiet(), lost_spans_s=((1.0, 1.5),))
    made = sampling(take, settings)
    seen = track(take, made, settings=settings, seed=1)
    lost = (made.instants_s() >= 1.0) & (made.instants_s() < 1.5)
    np.testing.assert_array_equal(seen.tracked, ~lost)
    assert np.isnan(seen.poses[lost]).all()


def test_slam_begins_at_its_first_keyframe_and_loses_what_it_is_told(take):
    frames = np.arange(30_000_000, 2_900_000_000, 16_683_333)
    settings = attrs.evolve(SlamSettings().quiet(), lost_first_frames=5, lost_spans_s=((1.0, 1.2),))
    found = track_by_slam(take, frames, rate=59.94, settings=settings, seed=1)
    assert found.lost[:5].all()
    assert found.keyframe[5]
    np.testing.assert_allclose(found.poses[5], pose.IDENTITY, atol=1e-12)
    expected = take.pose_at("gripper", frames)[~found.lost]
    recovered = pose.compose(found.T_world_map, found.poses[~found.lost])
    np.testing.assert_allclose(recovered[:, :3], expected[:, :3], atol=1e-12)
    assert np.isnan(found.poses[found.lost]).all()


def test_repeated_rows_repeat_the_row_before(take):
    frames = np.arange(30_000_000, 2_900_000_000, 16_683_333)
    found = track_by_slam(
        take, frames, rate=59.94, settings=attrs.evolve(SlamSettings(), repeated_rows=(60, 12)), seed=1
    )
    assert (found.poses[60:72] == found.poses[59]).all()
    assert (found.poses[72] != found.poses[71]).any()


def test_a_tracker_without_a_sample_tracks_nothing(take):
    settings = optitrack_settings()
    none = Sampling(clock=CLOCK, start_ns=20_000_000, rate_hz=settings.rate_hz, count=0)
    found = track(take, none, settings=settings, seed=1)
    assert found.poses.shape == (0, 7)
    assert len(found.stamps) == len(found.tracked) == 0
