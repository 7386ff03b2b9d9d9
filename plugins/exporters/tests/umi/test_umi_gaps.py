"""Where something is missing the dataset is split, and what can't be used is left out with its reason."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import StepError
from handloom.media import index_video, read_number
from handloom.streams import Samples, StreamType
from handloom_exporters.umi import UmiConfig, UmiExporter
from handloom_exporters.umi.runs import find_runs


def numbers(made):
    return [read_number(picture) for picture in made["camera0_rgb"]]


def cuts(made, name="take"):
    return [(cut["reason"], cut["first_step"], cut["steps"]) for cut in made.about["episodes"][name]["cuts"]]


def usable(video, rows, **attributes):
    values = np.ones(len(video))
    values[list(rows)] = 0.0
    type_ = StreamType(kind="scalar", dtype="float64", clock="camera")
    return Samples(type=type_, data=values, stamps=video.stamps, attributes=attributes)


def test_lost_poses_split_and_both_sides_are_kept(export, takes):
    made = export(takes.episode(takes.film(), robot0_pose=takes.tracker_poses(lost=range(75, 80))))
    (reason, first, steps), *more = cuts(made)
    assert reason == "robot0_pose is lost"
    assert not more
    assert numbers(made) == [*range(first), *range(first + steps, takes.FRAMES)]
    assert made.ends == [first, takes.FRAMES - steps]
    assert "2 parts" in made.outputs.notes[0]


def frozen(poses, rows=range(75, 87), noise_m=0.0):
    """Return poses that stand where they were before `rows`, but for the noise of a tracker."""
    data = poses.data.copy()
    data[list(rows)] = data[rows[0] - 1]
    data[list(rows), :3] += np.random.default_rng(0).normal(size=(len(rows), 3)) * noise_m
    return attrs.evolve(poses, data=data)


def test_poses_of_a_frozen_tracker_split_and_are_named(export, takes):
    made = export(takes.episode(takes.film(), robot0_pose=frozen(takes.tracker_poses())))
    ((reason, first, steps),) = cuts(made)
    assert reason == "robot0_pose repeats itself"
    assert 6 <= steps <= 7  # 13 gaps between 120 Hz poses, 59.94 frames a second
    assert numbers(made) == [*range(first), *range(first + steps, takes.FRAMES)]
    assert made.ends == [first, takes.FRAMES - steps]
    assert "in 2 parts; cut by: robot0_pose repeats itself." in made.outputs.notes[0]
    truth = takes.true_poses(takes.film().stamps)[numbers(made), :3]
    assert np.abs(made["robot0_eef_pos"] - truth).max() < 5e-5


def test_a_hand_that_stands_but_for_the_noise_of_the_tracker_is_kept(export, takes):
    poses = frozen(takes.tracker_poses(), range(1, 175), noise_m=1e-6)
    made = export(takes.episode(takes.film(), robot0_pose=poses))
    assert cuts(made) == []
    assert made.ends == [takes.FRAMES]


@pytest.mark.parametrize(
    ("rows", "setting", "split"), [(2, 3, False), (3, 3, True), (3, 4, False), (12, 0, False)]
)
def test_how_many_rows_count_as_frozen_is_a_setting(export, takes, rows, setting, split):
    poses = frozen(takes.tracker_poses(), range(75, 75 + rows))
    made = export(
        takes.episode(takes.film(), robot0_pose=poses), config=attrs.evolve(takes.SMALL, frozen_rows=setting)
    )
    assert ("robot0_pose repeats itself" in [reason for reason, _, _ in cuts(made)]) is split


def test_where_a_frozen_tracker_wakes_up_is_no_jump(export, takes):
    """It wakes up far from where it froze, as fast as nobody moves, but slowly for the time that it was away."""
    poses = takes.tracker_poses()
    data = poses.data.copy()
    data[:, 0] += np.linspace(0.0, 2.0, len(data))
    made = export(takes.episode(takes.film(), robot0_pose=frozen(attrs.evolve(poses, data=data))))
    assert {reason for reason, _, _ in cuts(made)} == {"robot0_pose repeats itself"}


def test_rows_that_were_lost_before_a_tracker_froze_are_called_lost(export, takes):
    poses = frozen(takes.tracker_poses())
    data = poses.data.copy()
    data[60:66] = np.nan
    poses = attrs.evolve(poses, data=data, tracked=np.isfinite(data).all(axis=1))
    made = export(takes.episode(takes.film(), robot0_pose=poses), config=attrs.evolve(takes.SMALL, min_steps=2))
    assert [reason for reason, _, _ in cuts(made)] == ["robot0_pose is lost", "robot0_pose repeats itself"]


def test_one_part_is_no_parts(export, takes):
    made = export(takes.episode(takes.film(), robot0_width=takes.widths(takes.film(), lost=[0])))
    assert "in 1 part; cut by" in made.outputs.notes[0]


def test_a_lost_width_splits(export, takes):
    made = export(takes.episode(takes.film(), robot0_width=takes.widths(takes.film(), lost=[30, 31])))
    assert cuts(made) == [("robot0_width is lost", 30, 2)]
    assert made.ends == [30, 70]
    assert np.isfinite(made["robot0_gripper_width"]).all()


def test_what_is_too_short_never_enters_the_file(export, takes):
    made = export(takes.episode(takes.film(), robot0_width=takes.widths(takes.film(), lost=[10, 40])))
    assert made.ends == [29, 60]
    assert ("fewer than 20 steps in a row", 0, 10) in cuts(made)
    assert numbers(made) == [*range(11, 40), *range(41, 72)]


def test_a_jump_splits_without_losing_a_step_where_none_lies_inside(export, takes):
    stamps = takes.TRACKER.inverse().apply(takes.film().stamps)
    poses = takes.tracker_poses(stamps=stamps)
    moved = poses.data.copy()
    moved[36:, 0] += 0.5
    made = export(takes.episode(takes.film(), robot0_pose=attrs.evolve(poses, data=moved)))
    assert made.ends == [36, 72]
    assert cuts(made) == [("robot0_pose jumps", 36, 0)]


def test_nothing_is_interpolated_across_a_jump(export, takes):
    poses = takes.tracker_poses()
    moved = poses.data.copy()
    moved[80:, 0] += 0.5
    made = export(takes.episode(takes.film(), robot0_pose=attrs.evolve(poses, data=moved)))
    read, truth = made["robot0_eef_pos"][:, 0], takes.true_poses(takes.film().stamps)[:, 0]
    kept = np.array(numbers(made))
    away = read - truth[kept]
    assert (np.minimum(np.abs(away), np.abs(away - 0.5)) < 1e-4).all()


def test_a_jump_bends_nothing_beside_it(export, takes):
    poses = takes.tracker_poses()
    still = np.tile(poses.data[0], (len(poses.data), 1))
    still[80:, 0] += 0.5
    still[:, 1] = poses.data[:, 1]  # what repeats itself to the last digit is no jump, but frozen
    read = export(takes.episode(takes.film(), robot0_pose=attrs.evolve(poses, data=still)))["robot0_eef_pos"]
    assert len(np.unique(read[:, 0])) == 2


def test_rows_that_the_verdict_refuses_are_cut_out(export, takes):
    made = export(takes.episode(takes.film(), verdict=usable(takes.film(), range(24, 30))))
    assert cuts(made) == [("verdict.usable says no", 24, 6)]
    assert made.ends == [24, 66]


def test_an_episode_that_the_verdict_refuses_is_left_out_with_its_reasons(export, takes):
    refused = usable(takes.film(), [], usable=False, reasons=["blur", "coverage"])
    made = export(takes.episode(takes.film(), "good"), takes.episode(takes.film(), "bad", verdict=refused))
    assert made.about["left_out"] == {"bad": "'verdict.usable' says that it can't be used: blur, coverage."}
    assert made.ends == [72]


def test_frames_that_the_camera_did_not_record_split(export, takes):
    video = takes.film()
    rows = [*range(30), *range(36, 72)]
    holed = attrs.evolve(video, pts=video.pts[rows], stamps=video.stamps[rows], keyframes=video.keyframes[rows])
    made = export(takes.episode(holed))
    assert made.ends == [30, 66]
    assert cuts(made) == [("frames are missing", 30, 0)]
    assert numbers(made) == rows


def test_a_frame_that_does_not_decode_splits(export, takes, tmp_path):
    import av

    whole = takes.film().files[0].path
    data = bytearray(whole.read_bytes())
    with av.open(str(whole)) as container:
        entry = container.streams.video[0].index_entries[30]
        start, size = entry.pos, entry.size
    data[start : start + size] = b"\xff" * size
    (tmp_path / "broken.mp4").write_bytes(data)
    made = export(takes.episode(index_video((tmp_path / "broken.mp4",)).video))
    assert numbers(made) == [*range(30), *range(31, 72)]
    assert made.ends == [30, 71]
    assert cuts(made) == [("camera0_rgb: a frame does not decode", 30, 1)]


def test_a_file_that_is_gone_leaves_the_episode_out_and_names_no_folder(export, takes, tmp_path):
    gone = takes.film()
    gone = attrs.evolve(gone, files=(attrs.evolve(gone.files[0], path=tmp_path / "gone.mp4"),))
    made = export(takes.episode(takes.film(), "good"), takes.episode(gone, "bad"))
    assert "gone.mp4" in made.about["left_out"]["bad"]
    assert str(tmp_path) not in made.outputs.beside[".provenance.json"]


@pytest.mark.parametrize("port", ["robot0_pose", "robot0_width", "camera0"])
def test_an_episode_without_a_stream_is_left_out(export, takes, port):
    poor = takes.episode(takes.film(), "poor")
    poor = attrs.evolve(poor, wired={name: streams for name, streams in poor.wired.items() if name != port})
    made = export(takes.episode(takes.film(), "good"), poor)
    assert made.about["left_out"] == {"poor": f"it has no stream for '{port}'."}


def test_two_streams_for_one_input_are_never_chosen_between(export, takes):
    doubled = takes.episode(takes.film(), "doubled")
    both = {"optitrack.pose": takes.tracker_poses(), "slam.pose": takes.tracker_poses()}
    doubled = attrs.evolve(doubled, wired={**doubled.wired, "robot0_pose": both})
    made = export(takes.episode(takes.film(), "good"), doubled)
    assert "2 streams fit 'robot0_pose' (optitrack.pose, slam.pose)" in made.about["left_out"]["doubled"]


def test_a_session_that_maps_the_scene_is_no_demonstration(export, takes):
    walk = attrs.evolve(takes.episode(takes.film(), "walk"), written={"camera0": {"session_type": "MAPPING"}})
    made = export(takes.episode(takes.film()), walk)
    assert list(made.about["episodes"]) == ["take"]
    assert made.about["left_out"] == {
        "walk": "the session is of type MAPPING, not EPISODE: it holds no demonstration."
    }


def test_an_episode_that_is_named_is_left_out_and_nobody_is_told_again(export, takes):
    calibration = takes.episode(takes.film(), "calibration_1")
    config = UmiConfig(image_size=40, min_steps=20, leave_out=("calibration_*",))
    made = export(takes.episode(takes.film()), calibration, config=config)
    assert list(made.about["episodes"]) == ["take"]
    assert made.about["left_out"] == {"calibration_1": "its name is in leave_out."}
    assert made.outputs.notes == ()


def test_what_holds_for_several_episodes_is_said_once(export, takes):
    names = ("a", "b", "c", "d")
    refused = usable(takes.film(), range(24, 30))
    made = export(*(takes.episode(takes.film(), name, verdict=refused) for name in names))
    assert made.outputs.notes == (
        "Each of 4 episodes ('a', 'b', 'c' and 1 more) gives 66 of 72 steps in 2 parts; cut by: "
        "verdict.usable says no.",
    )


def test_an_episode_of_three_frames_is_left_out(export, takes):
    made = export(takes.episode(takes.film(), "good"), takes.episode(takes.film(frames=3), "short"))
    assert made.about["left_out"] == {"short": "'camera.video' gives 3 steps; min_steps is 20."}


def test_another_rate_is_left_out(export, takes):
    made = export(takes.episode(takes.film(), "good"), takes.episode(takes.film(rate=30), "slow"))
    assert "30.000 steps a second and the episodes before 59.940" in made.about["left_out"]["slow"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"body": "camera"}, "is the pose of 'camera'; expected that of 'tcp'"),
        ({"digest": ""}, "the attribute 'tcp_digest' is missing"),
    ],
)
def test_poses_of_something_else_are_refused(takes, tmp_path, changes, sentence):
    inputs = takes.scene(takes.episode(takes.film(), robot0_pose=takes.tracker_poses(**changes)))
    with pytest.raises(StepError, match=sentence):
        UmiExporter(takes.SMALL).export(inputs, tmp_path / "set.zarr.zip", lambda share: None)
    assert list(tmp_path.iterdir()) == []


def test_two_tools_in_one_dataset_are_refused(takes, tmp_path):
    other = takes.tracker_poses(digest="tool-2")
    inputs = takes.scene(takes.episode(takes.film(), "a"), takes.episode(takes.film(), "b", robot0_pose=other))
    with pytest.raises(StepError, match="tool transform tool-2, the episodes before with tool-1"):
        UmiExporter(takes.SMALL).export(inputs, tmp_path / "set.zarr.zip", lambda share: None)
    assert list(tmp_path.iterdir()) == []


def test_another_tool_than_the_settings_ask_for_is_refused(takes, tmp_path):
    config = attrs.evolve(takes.SMALL, tcp_digest="tool-9")
    with pytest.raises(StepError, match="tool transform tool-1; the settings ask for tool-9"):
        UmiExporter(config).export(takes.scene(takes.episode(takes.film())), tmp_path / "a.zarr.zip", print)


@given(
    bad=st.lists(st.lists(st.booleans(), min_size=30, max_size=30), min_size=1, max_size=3),
    split=st.lists(st.booleans(), min_size=30, max_size=30),
    least=st.integers(1, 8),
)
@settings(max_examples=60, deadline=None)
def test_every_step_is_in_one_run_or_cut_for_a_reason(bad, split, least):
    faults = {str(number): np.array(rows) for number, rows in enumerate(bad)}
    runs, found = find_runs(faults, {"split": np.array(split)}, least)
    kept, cut = np.zeros(30, dtype=int), np.zeros(30, dtype=int)
    for first, end in runs:
        assert end - first >= least
        assert not np.array(split)[first + 1 : end].any()
        kept[first:end] += 1
    for each in found:
        cut[each["first_step"] : each["first_step"] + each["steps"]] += 1
    assert (kept <= 1).all()
    assert ((kept == 1) != (cut > 0)).all()


def test_cuts_and_runs_cover_every_step():
    faults = {
        "a": np.array([0, 0, 1, 1, 0, 0, 0, 0, 0, 0], bool),
        "b": np.array([0, 0, 0, 1, 1, 0, 0, 0, 0, 0], bool),
    }
    breaks = {"c": np.array([0, 0, 0, 0, 0, 1, 0, 0, 1, 0], bool)}
    runs, found = find_runs(faults, breaks, min_steps=3)
    assert runs == [(5, 8)]
    assert [(cut["reason"], cut["first_step"], cut["steps"]) for cut in found] == [
        ("fewer than 3 steps in a row", 0, 2),
        ("a", 2, 2),
        ("b", 3, 2),
        ("c", 8, 0),
        ("fewer than 3 steps in a row", 8, 2),
    ]
