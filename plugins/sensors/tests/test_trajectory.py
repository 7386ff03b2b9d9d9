"""The sensor `trajectory` keeps the contract and reads real files."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.api import Sensor
from handloom.errors import RecordingError, StreamError
from handloom.streams import TrajectoryLayout
from handloom.testing import SensorContract
from handloom_sensors import trajectory
from handloom_sensors.trajectory import TrajectoryConfig, TrajectoryFile

pytest_plugins = ("handloom.testing.fixtures",)


class TestTrajectoryFile(SensorContract):
    component = TrajectoryFile

    def files(self, tmp_path):
        path = tmp_path / "tracker.txt"
        path.write_text("0.00 0 0 0 0 0 0 1\n0.01 0.001 0 0 0 0 0 1\n0.02 0 0 0 0 0 0 0\n")
        return (path,)


class TestTrajectoryFileWithColumns(TestTrajectoryFile):
    def config(self):
        columns = TrajectoryLayout(delimiter="", quaternion_order="xyzw")
        return TrajectoryConfig(format="csv", columns=columns, frame="room", body="wrist")


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(sensors={"trajectory": trajectory.__name__})
    assert host.load("sensors", "trajectory").component is TrajectoryFile
    assert issubclass(TrajectoryFile, Sensor)


def test_a_real_ground_truth_keeps_every_row_at_its_own_stamp(shared_data):
    path = shared_data / "trajectories/freiburg1_xyz-groundtruth.txt"
    outputs = TrajectoryFile().read((path,), lambda share: None)
    pose = outputs.streams["pose"]
    rows = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert len(pose) == outputs.attributes["rows"] == len(rows)
    assert pose.stamps[-1] == round(float(rows[-1].split()[0]) * 10_000) * 100_000
    assert not outputs.notes


def test_lost_rows_are_counted_aloud(tmp_path):
    outputs = TrajectoryFile().read(TestTrajectoryFile().files(tmp_path), lambda share: None)
    assert outputs.attributes["lost_rows"] == 1
    assert outputs.notes == ("1 of 3 rows are lost.",)
    assert np.isnan(outputs.streams["pose"].data[2]).all()


def test_more_or_fewer_files_than_one_are_refused(tmp_path):
    (path,) = TestTrajectoryFile().files(tmp_path)
    for files, found in [((), "found 0: none"), ((path, path), "found 2: tracker.txt, tracker.txt")]:
        with pytest.raises(RecordingError, match=found):
            TrajectoryFile().read(files, lambda share: None)


def test_columns_go_with_format_csv_only():
    with pytest.raises(StreamError, match="has its own columns"):
        TrajectoryConfig(columns=TrajectoryLayout())
    with pytest.raises(StreamError, match="says nothing of its columns"):
        attrs.evolve(TrajectoryConfig(), format="csv")
