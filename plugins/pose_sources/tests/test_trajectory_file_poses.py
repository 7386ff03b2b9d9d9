"""Poses computed elsewhere come onto the video's clock, with their holes."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.errors import ConfigError, StepError
from handloom.streams import StreamType, Video
from handloom.testing import MemoryInputs, PoseSourceContract
from handloom_pose_sources import trajectory_file
from handloom_pose_sources.trajectory_file import TrajectoryFileConfig, TrajectoryFilePoses, frames_in_holes

pytest_plugins = ("handloom.testing.fixtures",)

FRAME_NS = 20_000_000
HEADER = "frame_idx,timestamp,state,is_lost,is_keyframe,x,y,z,q_x,q_y,q_z,q_w"


def _video(frames=50, start_ns=7_000_000_123):
    return Video(
        type=StreamType(kind="video", dtype="uint8", shape=(48, 64, 3), clock="camera"),
        files=(),
        pts=np.arange(frames, dtype=np.int64),
        stamps=start_ns + np.arange(frames, dtype=np.int64) * FRAME_NS,
        keyframes=np.ones(frames, bool),
    )


def _csv(tmp_path, frames, *, lost=()):
    # The time is what ORB-SLAM3 writes: index / rate, of no use; once it even repeats.
    rows = [
        f"{k},{0.0:.6f},2,true,false,0,0,0,0,0,0,0"
        if k in lost
        else f"{k},0.5,2,false,false,{k / 1000},0,0,0,0,0,1"
        for k in frames
    ]
    path = tmp_path / "camera_trajectory.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def _run(config, video, *files):
    inputs = MemoryInputs(wired={"video": video}, files=files)
    return TrajectoryFilePoses(config).run(inputs, lambda share: None)


class TestTrajectoryFilePoses(PoseSourceContract):
    component = TrajectoryFilePoses

    def inputs(self, tmp_path):
        return MemoryInputs(wired={"video": _video()}, files=(_csv(tmp_path, range(0, 50, 2), lost=(10,)),))


class TestTrajectoryFilePosesByStamp(PoseSourceContract):
    component = TrajectoryFilePoses

    def config(self):
        return TrajectoryFileConfig(format="tum", match="stamp", offset_s=7.0)

    def inputs(self, tmp_path):
        path = tmp_path / "estimate.txt"
        path.write_text("".join(f"{k / 100:.2f} {k} 0 0 0 0 0 1\n" for k in range(100)))
        return MemoryInputs(wired={"video": _video()}, files=(path,))


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(pose_sources={"trajectory_file": trajectory_file.__name__})
    assert host.load("pose_sources", "trajectory_file").component is TrajectoryFilePoses


def test_rows_take_the_stamps_of_their_frames_and_stay_sparse(tmp_path):
    video = _video()
    pose = _run(None, video, _csv(tmp_path, range(0, 50, 2))).streams["pose"]
    # Every second frame has a row: 40 ms apart, no hole; only the last frame lies after the last row.
    assert pose.stamps.tolist() == [*video.stamps[::2].tolist(), int(video.stamps[-1])]
    assert pose.tracked.tolist() == [True] * 25 + [False]
    assert np.allclose(pose.data[:-1, 0], np.arange(0, 50, 2) / 1000)


def test_frames_in_a_hole_become_lost_rows(tmp_path):
    video = _video()
    outputs = _run(None, video, _csv(tmp_path, [*range(5, 20), *range(30, 50)]))
    pose = outputs.streams["pose"]
    assert pose.stamps.tolist() == video.stamps.tolist()
    assert np.flatnonzero(~pose.tracked).tolist() == [*range(5), *range(20, 30)]
    assert outputs.attributes["frames_without_row"] == 15
    assert outputs.attributes["coverage"] == pytest.approx((14 + 19) / 49)
    assert outputs.attributes["largest_gap_s"] == pytest.approx(0.22)
    assert any("15 of the 50 frames" in note for note in outputs.notes)


def test_lost_rows_stay_lost_and_are_counted(tmp_path):
    outputs = _run(None, _video(), _csv(tmp_path, range(50), lost=(3, 4)))
    assert outputs.attributes["lost_rows"] == 2
    assert np.flatnonzero(~outputs.streams["pose"].tracked).tolist() == [3, 4]
    assert outputs.notes == ("camera_trajectory.csv: 2 of 50 rows are lost.",)


def test_a_row_for_a_frame_the_video_lacks_is_refused_with_its_line(tmp_path):
    with pytest.raises(StepError, match=r"line 12: frame 11; the video has 10 frames, 0 to 9"):
        _run(None, _video(10), _csv(tmp_path, [*range(10), 11, 12]))


def test_stamps_move_by_the_offset_and_nothing_else(tmp_path):
    path = tmp_path / "estimate.txt"
    path.write_text("".join(f"{k / 100 + 0.001:.3f} 0 0 0 0 0 0 1\n" for k in range(100)))
    config = TrajectoryFileConfig(format="tum", match="stamp", offset_s=7.0)
    pose = _run(config, _video(), path).streams["pose"]
    assert pose.type.clock == "camera"
    assert pose.stamps[pose.tracked].tolist() == [7_001_000_000 + k * 10_000_000 for k in range(100)]


def test_a_trajectory_that_does_not_meet_the_video_is_refused(tmp_path):
    path = tmp_path / "estimate.txt"
    path.write_text("0 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n")
    config = TrajectoryFileConfig(format="tum", match="stamp", offset_s=100.0)
    with pytest.raises(StepError, match=r"they do not meet\. Check offset_s"):
        _run(config, _video(), path)


def test_there_is_one_file_an_episode(tmp_path):
    with pytest.raises(StepError, match="found 0: none"):
        _run(None, _video())


def test_a_config_that_contradicts_itself_is_refused():
    with pytest.raises(ConfigError, match="no column of frame indices"):
        TrajectoryFileConfig(format="tum")
    with pytest.raises(ConfigError, match=r"add offset_s = 0\.0 \(seconds, video's clock minus the file's\)"):
        TrajectoryFileConfig(format="tum", match="stamp")
    with pytest.raises(ConfigError, match=r"offset_s = 1\.0 goes with"):
        attrs.evolve(TrajectoryFileConfig(), offset_s=1.0)


def test_holes_are_what_lies_outside_or_between_distant_rows():
    frames = np.arange(0, 100, 10, dtype=np.int64)
    rows = np.array([10, 20, 35, 80], np.int64)
    assert frames_in_holes(frames, rows, max_gap_s=20e-9).tolist() == [0, 40, 50, 60, 70, 90]
