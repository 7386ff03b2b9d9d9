import attrs
import numpy as np

from handloom.streams import TrajectoryLayout, layout_named, read_trajectory
from handloom.time import ClockMap
from handloom_simulation.devices import Sampling, track, vr_settings
from handloom_simulation.recordings import write_tum, write_vr_csv

VR = ClockMap(source="sim", target="vr", offset_ns=264_000_000_000, drift_ppm=12.0)
LAYOUT = TrajectoryLayout(
    time="time_s",
    position=("x", "y", "z"),
    quaternion=("qw", "qx", "qy", "qz"),
    quaternion_order="wxyz",
    tracked="valid",
    header_lines=1,
    comment="",
)


def tracked(take):
    settings = attrs.evolve(vr_settings(), lost_spans_s=((1.0, 1.2),))
    sampling = Sampling.within(VR, start_ns=10_000_000, end_ns=int(take.stamps[-1]), rate_hz=settings.rate_hz)
    return track(take, sampling, settings=settings, seed=5)


def test_a_vr_log_is_read_back_by_a_column_map(take, tmp_path):
    made = tracked(take)
    assert not made.tracked.all()
    read = read_trajectory(write_vr_csv(tmp_path / "vr.csv", made), LAYOUT)
    np.testing.assert_allclose(read.keys, made.stamps, atol=500)
    np.testing.assert_array_equal(read.tracked, made.tracked)
    np.testing.assert_allclose(read.poses[read.tracked], made.poses[made.tracked], atol=1e-6)


def test_a_lost_vr_row_repeats_the_last_pose(take, tmp_path):
    made = tracked(take)
    lines = write_vr_csv(tmp_path / "vr.csv", made).read_text().splitlines()[1:]
    first = int(np.flatnonzero(~made.tracked)[0])
    assert lines[first].split(",")[2:] == lines[first - 1].split(",")[2:]


def test_a_tum_file_keeps_every_nanosecond_and_leaves_lost_rows_out(take, tmp_path):
    made = tracked(take)
    stamps = made.stamps + 1_785_357_004_361_123_456
    read = read_trajectory(write_tum(tmp_path / "path.txt", stamps, made.poses), layout_named("tum"))
    np.testing.assert_array_equal(read.keys, stamps[made.tracked])
    np.testing.assert_allclose(read.poses, made.poses[made.tracked], atol=1e-8)
