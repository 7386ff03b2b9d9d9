"""Two sources of one body are brought together to a tenth of a millimetre, or refused with the reason."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.api import Rig
from handloom.errors import StepError
from handloom.geometry import FrameTree, pose, quaternion
from handloom.streams import POSE, Samples
from handloom.testing import MemoryInputs, StepContract
from handloom.time import ClockMap, ClockMaps
from handloom_pose_sources import align, in_world
from handloom_pose_sources.align import Align, AlignConfig
from handloom_pose_sources.in_world import InWorld, InWorldConfig

pytest_plugins = ("handloom.testing.fixtures",)

T_MAP_OPTITRACK = np.array([0.7, -0.5, 0.2, *quaternion.from_rotvec([1.0, -0.8, 0.6])])
T_CAMERA_MARKERS = np.array([-0.049, 0.152, -0.031, 0.5, 0.5, -0.5, 0.5])
TRUE_MAP = ClockMap(
    source="optitrack", target="camera", offset_ns=-3_700_000_000, origin_ns=9_000_000_000, drift_ppm=40.0
)


def _motion(seed, times_s, *, directions=(1, 1, 1), turning=1.0):
    """Return (N, 7) T_map_camera of a hand that moves and turns at random."""
    random = np.random.default_rng(seed)
    frequencies, phases = random.uniform(0.15, 1.5, (2, 6, 6))
    waves = (np.sin(2 * np.pi * (times_s[:, None, None] * frequencies + 3 * phases)) / (1 + frequencies)).sum(
        axis=1
    )
    position = 0.08 * waves[:, :3] * directions + [0.4, 0.1, 0.3]
    return np.concatenate([position, quaternion.from_rotvec(0.25 * turning * waves[:, 3:])], axis=1)


def _noisy(poses, seed, sigma_m):
    random = np.random.default_rng([seed, 7])
    turn = quaternion.from_rotvec(random.normal(size=(len(poses), 3)) * sigma_m * 10)
    shift = random.normal(size=(len(poses), 3)) * sigma_m
    return np.concatenate([poses[:, :3] + shift, quaternion.multiply(poses[:, 3:], turn)], axis=1)


def _samples(times_ns, poses, lost, **names):
    tracked = np.ones(len(poses), bool)
    tracked[lost] = False
    data = np.where(tracked[:, None], poses, np.nan)
    return Samples(type=attrs.evolve(POSE, **names), data=data, stamps=times_ns, tracked=tracked)


def _episode(
    seed=0, *, sigma_m=1.5e-4, lead_s=3.0, length_s=10.0, clock_map=TRUE_MAP, moved=pose.IDENTITY, **motion
):
    """Return a camera at 60 Hz and markers at 240 Hz, on clocks of their own, worlds of their own."""
    times = np.arange(0, length_s, 1 / 60)
    stamps = np.rint(times * 1e9).astype(np.int64)
    camera = pose.compose(moved, _noisy(_motion(seed, times, **motion), seed, sigma_m))
    reference = _samples(stamps, camera, slice(300, 330), frame="map", body="camera", clock="camera")
    times = np.arange(-lead_s, length_s + 2, 1 / 240)
    stamps = clock_map.inverse().apply(np.rint(times * 1e9).astype(np.int64))
    in_optitrack = pose.compose(pose.inverse(T_MAP_OPTITRACK), _motion(seed, times, **motion))
    markers = _noisy(pose.compose(in_optitrack, T_CAMERA_MARKERS), seed + 1, sigma_m)
    names = {"frame": "optitrack/world", "body": "markers", "clock": "optitrack"}
    return {"reference": reference, "other": _samples(stamps, markers, slice(900, 960), **names)}


def _rig(*maps):
    frames = FrameTree().with_static("camera", "markers", T_CAMERA_MARKERS)
    return Rig(frames=frames, clock_maps=ClockMaps(maps))


def _run(*episodes, rig=None, **config):
    rig = _rig() if rig is None else rig
    parts = {f"e{k}": MemoryInputs(wired=streams, rig=rig, episode=f"e{k}") for k, streams in enumerate(episodes)}
    inputs = MemoryInputs(parts=parts, rig=rig, episode="")
    return Align(AlignConfig(**config)).run(inputs, lambda share: None)


def _error(T_a_b, truth=T_MAP_OPTITRACK):
    """Return how wrong a transform is, in m and deg."""
    apart = pose.compose(pose.inverse(truth), T_a_b)
    return np.linalg.norm(apart[:3]), np.degrees(quaternion.angle_between(apart[3:], pose.IDENTITY[3:]))


def _offset_error_s(of_episode, truth=TRUE_MAP):
    found = ClockMap.from_json(of_episode["clock_map"])
    middle = found.origin_ns
    return (int(found.apply(middle)) - int(truth.apply(middle))) * 1e-9


@pytest.fixture(scope="module")
def aligned():
    return _run(_episode(0), _episode(1))


class TestAlign(StepContract):
    component = Align

    def inputs(self, tmp_path):
        return MemoryInputs(wired=_episode(length_s=5.0), rig=_rig(TRUE_MAP))


class TestInWorld(StepContract):
    component = InWorld

    def config(self):
        return InWorldConfig(body="markers")

    def inputs(self, tmp_path):
        other = _episode(length_s=1.0)["other"]
        return MemoryInputs(wired={"pose": other, "transform": _transform()}, rig=_rig(TRUE_MAP))


def _transform(**attributes):
    type_ = attrs.evolve(POSE, frame="map", body="optitrack/world", clock="camera")
    return attrs.evolve(
        _samples(np.zeros(1, np.int64), T_MAP_OPTITRACK[None], [], frame="", body="", clock=""),
        type=type_,
        attributes=attributes,
    )


def test_their_entry_points_answer_them(only_these_plugins):
    host = only_these_plugins(steps={"align": align.__name__, "in_world": in_world.__name__})
    assert host.load("steps", "align").component is Align
    assert host.load("steps", "in_world").component is InWorld


def test_transform_offset_and_drift_are_found_without_any_clock_map(aligned):
    stream = aligned.streams["transform"]
    distance_m, angle_deg = _error(stream.data[0])
    assert distance_m < 4e-4
    assert angle_deg < 0.02
    assert (stream.type.frame, stream.type.body, stream.type.clock) == ("map", "optitrack/world", "camera")
    for episode in aligned.attributes["episodes"].values():
        assert abs(_offset_error_s(episode)) < 1e-4
        assert episode["time_from"] == "angular_speed"
        assert ClockMap.from_json(episode["clock_map"]).drift_ppm == pytest.approx(40, abs=15)


def test_residuals_gaps_and_pairs_are_told(aligned):
    told = aligned.attributes
    assert 1e-4 < told["rms_pos_m"] < 8e-4
    assert told["rms_rot_deg"] == pytest.approx(np.degrees(1.5e-3 * np.sqrt(6)), rel=0.1)
    assert told["episodes"]["e0"]["largest_gap_s"] == pytest.approx(0.5, abs=0.05)
    assert told["episodes"]["e0"]["pairs"] == pytest.approx(570 - 18, abs=8)
    assert aligned.notes == ()


def test_moving_both_worlds_moves_the_transform_with_them():
    T_c_map = pose.exp(np.array([1.0, -2, 0.5, 0.3, 2, -1]))
    plain, moved = (
        _run(_episode(length_s=5.0, moved=moved)).streams["transform"].data[0]
        for moved in (pose.IDENTITY, T_c_map)
    )
    assert np.allclose(pose.to_matrix(moved), pose.to_matrix(pose.compose(T_c_map, plain)), atol=1e-6)


def test_a_take_that_lasts_a_whole_scene_serves_each_of_its_episodes():
    long = attrs.evolve(TRUE_MAP, offset_ns=TRUE_MAP.offset_ns - 300_000_000_000)
    streams = _episode(length_s=5.0, clock_map=long)
    other = streams["other"]
    before = np.arange(0, int(other.stamps[0]), 50_000_000, dtype=np.int64)
    whole = _samples(
        np.concatenate([before, other.stamps]),
        np.concatenate([np.tile(pose.IDENTITY, (len(before), 1)), other.data]),
        np.concatenate([np.ones(len(before), bool), ~other.tracked]),
        frame="optitrack/world",
        body="markers",
        clock="optitrack",
    )
    off = attrs.evolve(long, drift_ppm=0.0, origin_ns=0, offset_ns=long.offset_ns + 5_000_000)
    for rig in (_rig(), _rig(off)):
        found = _run({**streams, "other": whole}, rig=rig)
        assert found.attributes["rms_pos_m"] < 8e-4
        assert abs(_offset_error_s(found.attributes["episodes"]["e0"], long)) < 2e-4


def test_either_source_may_be_the_reference(aligned):
    swapped = [{"reference": e["other"], "other": e["reference"]} for e in (_episode(0), _episode(1))]
    found = _run(*swapped, frame="optitrack/world", other_frame="map", body="camera")
    assert max(_error(pose.inverse(found.attributes["T_a_b"]), aligned.streams["transform"].data[0])) < 1e-3


def test_outliers_do_not_move_the_result(aligned):
    broken = []
    for streams in (_episode(0), _episode(1)):
        data = streams["reference"].data.copy()
        data[100:150, :3] += [0.3, -0.2, 0.5]
        data[400:420, :3] += 0.02
        broken.append({**streams, "reference": attrs.evolve(streams["reference"], data=data)})
    found = _run(*broken)
    assert _error(found.streams["transform"].data[0], aligned.streams["transform"].data[0])[0] < 2e-4
    assert found.attributes["outliers"] >= 140
    assert any("contradict the rest and count nothing" in note for note in found.notes)


def test_what_is_left_of_a_clock_map_is_reported_and_its_map_kept_on_request():
    off = attrs.evolve(TRUE_MAP, offset_ns=TRUE_MAP.offset_ns + 12_000_000, uncertainty_ns=1e6)
    refined, kept = (_run(_episode(), rig=_rig(off), time=time) for time in ("estimate", "clock_map"))
    for found in (refined, kept):
        of_episode = found.attributes["episodes"]["e0"]
        assert of_episode["time_from"] == "clock_map"
        assert of_episode["residual_offset_s"] == pytest.approx(-0.012, abs=2e-4)
        assert found.notes == ("e0: the motion puts the clocks -12.0 ms from where the clock map has them.",)
    assert abs(_offset_error_s(refined.attributes["episodes"]["e0"])) < 2e-4
    assert _offset_error_s(kept.attributes["episodes"]["e0"]) == pytest.approx(0.012, abs=1e-6)
    assert kept.attributes["rms_pos_m"] > 2 * refined.attributes["rms_pos_m"]


def test_a_motion_that_does_not_turn_needs_a_clock_map():
    still = _episode(turning=0.0, sigma_m=1e-5)
    with pytest.raises(StepError, match=r"there is no overlap, or too little turning\. Join the clocks"):
        _run(still)
    found = _run(still, rig=_rig(TRUE_MAP))
    assert _error(found.streams["transform"].data[0])[0] < 1e-3


def test_a_line_is_refused_and_the_open_turn_is_named():
    line = _episode(directions=(0, 1, 0), sigma_m=1e-5)
    with pytest.raises(
        StepError, match=r"moves along a line: \d+ mm along the y axis of 'map' .* about that line"
    ):
        _run(line)


def test_a_body_at_rest_is_refused():
    rest = _episode(directions=(0, 0, 0), sigma_m=1e-4)
    with pytest.raises(StepError, match=r"stays within 0\.. mm .* no turn between the two worlds can be told"):
        _run(rest)


def test_takes_that_never_meet_are_refused_and_no_identity_comes_out():
    apart = attrs.evolve(TRUE_MAP, offset_ns=TRUE_MAP.offset_ns + 60_000_000_000)
    with pytest.raises(StepError, match=r"No episode shows .* e0: both sources have the body for less than 3 s"):
        _run(_episode(), rig=_rig(apart))
    with pytest.raises(StepError, match="no time offset brings the angular speeds together"):
        _run({**_episode(0), "other": _episode(5)["other"]})


def _circles(length_s=12.0):
    """Return a motion that is the same again every two seconds."""

    def circle(times_s):
        phase = 2 * np.pi * 0.5 * times_s
        turn = quaternion.from_rotvec(0.4 * np.column_stack([np.sin(phase), 0 * phase, 0.5 * np.sin(2 * phase)]))
        position = 0.1 * np.column_stack([np.sin(phase), np.cos(phase), np.sin(2 * phase)])
        return np.concatenate([position, turn], axis=1)

    streams = {}
    for port, rate, frame in (("reference", 60, "map"), ("other", 120, "optitrack/world")):
        times = np.arange(0, length_s, 1 / rate)
        stamps = np.rint(times * 1e9).astype(np.int64)
        names = {"frame": frame, "body": "camera", "clock": port}
        streams[port] = _samples(stamps, _noisy(circle(times), rate, 1e-4), [], **names)
    return streams


def test_a_motion_that_repeats_itself_has_no_offset():
    with pytest.raises(StepError, match=r"two time offsets fit alike, .* the motion repeats itself"):
        _run(_circles())


@pytest.mark.parametrize("time", ["estimate", "clock_map"])
def test_a_clock_map_tells_which_turn_of_a_repeating_motion_it_is(time):
    near = ClockMap(source="other", target="reference", offset_ns=30_000_000)
    of_episode = _run(_circles(), rig=_rig(near), time=time, search_s=2.5).attributes["episodes"]["e0"]
    found = ClockMap.from_json(of_episode["clock_map"])
    assert int(found.apply(6 * 10**9)) - 6 * 10**9 == pytest.approx(0 if time == "estimate" else 3e7, abs=2e6)


def test_one_episode_that_fails_is_told_and_costs_the_others_nothing():
    lost = _episode(2)
    blank = attrs.evolve(lost["other"], data=lost["other"].data * np.nan, tracked=lost["other"].tracked & False)
    found = _run(_episode(0), {**lost, "other": blank})
    assert sorted(found.attributes["episodes"]) == ["e0"]
    assert found.attributes["refused"] == {"e1": "the other source is lost in all but 0 rows."}
    assert found.notes == ("e1 takes no part: the other source is lost in all but 0 rows.",)


def test_bodies_that_the_rig_does_not_join_are_refused():
    with pytest.raises(StepError, match=r"compared at 'camera', so T_markers_camera is needed.*\[rig\.frames\]"):
        _run(_episode(), rig=Rig())


def test_poses_in_another_frame_than_the_settings_say_are_refused():
    with pytest.raises(StepError, match=r"'other' are in 'optitrack/world'; expected 'vicon'\. Set other_frame"):
        _run(_episode(), other_frame="vicon")


def test_sources_of_two_scales_are_refused():
    streams = _episode()
    data = streams["reference"].data * [0.4, 0.4, 0.4, 1, 1, 1, 1]
    with pytest.raises(StepError, match=r"motion is 0\.4.. times as large as the other's"):
        _run({**streams, "reference": attrs.evolve(streams["reference"], data=data)})


def _moved(transform, rig, episode="e0", **config):
    streams = _episode()
    inputs = MemoryInputs(wired={"pose": streams["other"], "transform": transform}, rig=rig, episode=episode)
    return InWorld(InWorldConfig(**{"body": "markers", **config})).run(inputs, lambda share: None).streams["pose"]


def test_one_source_takes_the_place_of_the_other(aligned):
    made, truth = _moved(aligned.streams["transform"], _rig()), _episode()["reference"]
    assert (made.type.frame, made.type.body, made.type.clock) == ("map", "markers", "camera")
    assert made.attributes["in_world"]["time_from"] == "align"
    at = pose.compose(_motion(0, made.stamps[made.tracked] * 1e-9), T_CAMERA_MARKERS)
    assert np.linalg.norm(made.data[made.tracked, :3] - at[:, :3], axis=1).mean() < 5e-4
    assert made.stamps[0] < truth.stamps[0]


def test_an_episode_without_an_offset_of_its_own_takes_the_rigs_clock_map_or_none():
    made = _moved(_transform(), _rig(TRUE_MAP))
    assert made.attributes["in_world"]["time_from"] == "clock_map"
    with pytest.raises(StepError, match=r"no time offset for this episode: it was lost\. No clock map joins"):
        _moved(_transform(refused={"e0": "it was lost."}), _rig())


def test_an_alignment_of_other_worlds_is_refused():
    with pytest.raises(StepError, match="leads to 'map'; expected 'base'"):
        _moved(_transform(), _rig(TRUE_MAP), frame="base")
    wrong = attrs.evolve(_transform(), type=attrs.evolve(_transform().type, body="vicon"))
    with pytest.raises(StepError, match="are in 'optitrack/world', but the alignment is one of 'vicon'"):
        _moved(wrong, _rig(TRUE_MAP))


@pytest.mark.parametrize("setting", [{"min_correlation": -1.0}, {"max_outliers": 2.0}, {"max_scale_error": -0.1}])
def test_bounds_that_would_let_everything_or_nothing_through_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        AlignConfig(**setting)
