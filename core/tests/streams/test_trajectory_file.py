"""Pose files are read without loss, and every mistake names its line."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.errors import RecordingError, StreamError
from handloom.streams import LAYOUTS, TrajectoryLayout, layout_named, read_trajectory

TUM = LAYOUTS["tum"]
ORB = LAYOUTS["orb_slam3"]
ORB_HEADER = "frame_idx,timestamp,state,is_lost,is_keyframe,x,y,z,q_x,q_y,q_z,q_w\n"


def _write(tmp_path, text, name="poses.txt"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_real_tum_ground_truth_is_read_whole(shared_data):
    trajectory = read_trajectory(shared_data / "trajectories/freiburg1_xyz-groundtruth.txt", TUM)
    assert trajectory.tracked.all()
    assert trajectory.keys[0] == 1305031098665900000
    assert trajectory.poses[0, :3].tolist() == [1.3563, 0.6305, 1.6380]
    assert np.allclose(np.linalg.norm(trajectory.poses[:, 3:], axis=1), 1, atol=1e-12)


def test_a_real_slam_estimate_with_repeated_stamps_is_refused_with_both_lines(shared_data):
    with pytest.raises(
        RecordingError, match=r"V102\.txt, line 433: stamp \d+ ns repeats .* line 432; .*4 such rows"
    ):
        read_trajectory(shared_data / "trajectories/V102.txt", TUM)


def test_a_euroc_ground_truth_has_its_quaternion_turned_to_x_y_z_w(tmp_path):
    path = _write(
        tmp_path, "#timestamp, p_RS_R_x [m], ...\n1403636580838555648,4.6,-1.7,0.8,0.5,-0.1,-0.7,0.5,9,9,9\n"
    )
    trajectory = read_trajectory(path, LAYOUTS["euroc"])
    assert trajectory.keys.tolist() == [1403636580838555648]
    assert np.allclose(trajectory.poses[0], [4.6, -1.7, 0.8, -0.1, -0.7, 0.5, 0.5])


def test_lost_rows_carry_no_pose(tmp_path):
    rows = [
        "0,0.0,2,false,true,1,2,3,0,0,0,1",
        "1,0.1,2,true,false,0,0,0,0,0,0,0",  # what ORB-SLAM3 writes when lost
        "2,0.2,2,true,false,1,2,3,0,0,0,1",  # said to be lost, with a pose
        "3,0.3,2,false,false,1,2,3,0,0,0,0",  # not said to be lost, without an orientation
        "4,0.4,2,false,false,,,,,,,",
        "5,0.5,2,false,false,nan,nan,nan,nan,nan,nan,nan",
        "6,0.6,2,false,false,1,2,3,0,0,0,-1",
    ]
    trajectory = read_trajectory(_write(tmp_path, ORB_HEADER + "\n".join(rows)), ORB)
    assert trajectory.tracked.tolist() == [True, False, False, False, False, False, True]
    assert np.isnan(trajectory.poses[~trajectory.tracked]).all()
    assert np.isfinite(trajectory.poses[trajectory.tracked]).all()


def test_repeated_stamps_do_not_matter_when_rows_are_ordered_by_frame(tmp_path):
    rows = "0,0.1,2,false,true,1,2,3,0,0,0,1\n3,0.1,2,false,true,1,2,3,0,0,0,1\n"
    path = _write(tmp_path, ORB_HEADER + rows)
    assert read_trajectory(path, ORB, by="frame_index").keys.tolist() == [0, 3]
    with pytest.raises(RecordingError, match=r"line 3: stamp .* repeats"):
        read_trajectory(path, ORB)


def test_millimetres_milliseconds_and_a_tracked_column_are_converted_as_declared(tmp_path):
    layout = TrajectoryLayout(
        time="ms", position=("X", "Y", "Z"), quaternion=("W", "I", "J", "K"), quaternion_order="wxyz",
        tracked="ok", time_unit="ms", length_unit="mm", delimiter=";", header_lines=2,
    )  # fmt: skip
    path = _write(tmp_path, "made by hand\nms;X;Y;Z;W;I;J;K;ok\n1.5;1000;2;3;1;0;0;0;yes\n2.5;1;2;3;1;0;0;0;no\n")
    trajectory = read_trajectory(path, layout)
    assert trajectory.keys.tolist() == [1_500_000, 2_500_000]
    assert trajectory.poses[0].tolist() == [1.0, 0.002, 0.003, 0, 0, 0, 1]
    assert trajectory.tracked.tolist() == [True, False]


def test_a_rounded_quaternion_is_normalised(tmp_path):
    trajectory = read_trajectory(_write(tmp_path, "0 0 0 0 0.707 0 0 0.707\n"), TUM)
    assert np.linalg.norm(trajectory.poses[0, 3:]) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "holds no row"),
        ("# only words\n", "holds no row"),
        ("0 0 0 0 0 0 0 1\n1 0 0 0 0 0 0\n", "line 2: found 7 cells; expected 8"),
        (
            "0 0 0 0 0 0 0 1\n\n# x\nnow 0 0 0 0 0 0 1\n",
            "line 4: the time is 'now'; expected a decimal number of s",
        ),
        ("0 0 x 0 0 0 0 1\n", "line 1: column '2' holds 'x'; expected a finite number"),
        ("0 0 inf 0 0 0 0 1\n", "line 1: column '2' holds 'inf'"),
        (
            "2 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n",
            "line 2: stamp 1000000000 ns goes back from 2000000000 ns of line 1",
        ),
        ("1 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n", "line 2: stamp 1000000000 ns repeats"),
        ("1 0 0 0 0.5 0 0 0.5\n", "line 1: the quaternion has norm 0.707107; expected 1 within 0.01"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, text, sentence):
    with pytest.raises(RecordingError) as caught:
        read_trajectory(_write(tmp_path, text), TUM)
    assert str(caught.value).startswith("poses.txt")
    assert sentence in str(caught.value)


def test_a_missing_column_is_named_with_the_nearest_title(tmp_path):
    path = _write(tmp_path, "frame_idx,time\n")
    with pytest.raises(RecordingError, match="holds no row"):
        read_trajectory(path, ORB)
    path = _write(tmp_path, ORB_HEADER.replace("is_lost", "lost") + "0,0,2,false,true,1,2,3,0,0,0,1\n")
    with pytest.raises(RecordingError, match="no column 'is_lost'; did you mean 'lost'"):
        read_trajectory(path, ORB)


def test_an_answer_that_is_neither_yes_nor_no_is_refused(tmp_path):
    path = _write(tmp_path, ORB_HEADER + "0,0,2,maybe,true,1,2,3,0,0,0,1\n")
    with pytest.raises(RecordingError, match="line 2: column 'is_lost' holds 'maybe'"):
        read_trajectory(path, ORB)


def test_a_frame_index_must_be_a_whole_number(tmp_path):
    path = _write(tmp_path, ORB_HEADER + "-1,0,2,false,true,1,2,3,0,0,0,1\n")
    with pytest.raises(RecordingError, match="line 2: the frame index is '-1'"):
        read_trajectory(path, ORB, by="frame_index")


def test_a_missing_file_and_a_binary_one_are_told_apart(tmp_path):
    with pytest.raises(RecordingError, match="no such file"):
        read_trajectory(tmp_path / "none.txt", TUM)
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(RecordingError, match="is not text"):
        read_trajectory(tmp_path / "binary.txt", TUM)


def test_a_format_is_found_by_name_or_given_as_columns():
    assert layout_named("tum") is TUM
    assert layout_named("csv", TUM) is TUM
    with pytest.raises(StreamError, match="did you mean 'euroc'"):
        layout_named("eurok")
    with pytest.raises(StreamError, match="says nothing of its columns"):
        layout_named("csv")
    with pytest.raises(StreamError, match="has its own columns"):
        layout_named("tum", TUM)


def test_a_layout_refuses_the_wrong_number_of_columns():
    with pytest.raises(StreamError, match="'position' names 3 columns; found 2"):
        attrs.evolve(TUM, position=(1, 2))
