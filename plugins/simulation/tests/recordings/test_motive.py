import csv
import datetime as dt

import numpy as np
import pytest

from handloom.testing import MemoryInputs
from handloom_simulation.recordings import MotiveFormat, write_motive
from handloom_simulation.recordings.motive import MARKERS_M

STARTED = dt.datetime(2026, 7, 29, 20, 30, 3, 123_000, tzinfo=dt.UTC)


@pytest.fixture
def poses():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (20, 7))
    rows[:, 3:] /= np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
    rows[5:8] = np.nan
    return rows


def written(path, poses, **format_):
    write_motive(path, poses, rate_hz=120.0, started=STARTED, format_=MotiveFormat(**format_))
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def column(table, type_, quantity, axis):
    """Return a data column by its labels alone, as a reader must."""
    names = ["Type", "Name", "ID"]
    heads = {row[1]: row for row in table[2:5] if row[1] in names}
    quantities, axes = table[5], table[6]
    for index in range(2, len(axes)):
        if (heads["Type"][index], quantities[index], axes[index].upper()) == (type_, quantity, axis):
            return np.array([float(row[index]) if row[index] else np.nan for row in table[7:]])
    raise AssertionError(f"no column {type_} {quantity} {axis}")


@pytest.mark.parametrize(
    "format_",
    [
        {},
        {"unit": "Millimeters"},
        {"version": "1.24"},
        {"version": "1.24", "unit": "Millimeters", "lower_case": True, "mean_error": True},
    ],
)
def test_columns_are_found_by_their_labels(tmp_path, poses, format_):
    table = written(tmp_path / "take.csv", poses, **format_)
    scale = 1000.0 if "unit" in format_ else 1.0
    for index, axis in enumerate("XYZ"):
        np.testing.assert_allclose(
            column(table, "Rigid Body", "Position", axis) / scale, poses[:, index], atol=1e-6
        )
    for index, axis in enumerate("XYZW"):
        np.testing.assert_allclose(column(table, "Rigid Body", "Rotation", axis), poses[:, 3 + index], atol=1e-6)
    assert all(len(row) == len(table[6]) for row in table[7:])


def test_the_first_line_tells_units_rate_and_local_start(tmp_path, poses):
    line = written(tmp_path / "take.csv", poses)[0]
    told = dict(zip(line[::2], line[1::2], strict=True))
    assert told["Format Version"] == "1.23"
    assert told["Length Units"] == "Meters"
    assert told["Capture Start Time"] == "2026-07-29 03.30.03.123 PM"
    assert told["Total Frames in Take"] == "20"
    assert float(told["Export Frame Rate"]) == 120.0


def test_what_was_not_seen_is_blank(tmp_path, poses):
    table = written(tmp_path / "take.csv", poses)
    assert table[7 + 5][2:] == [""] * 7
    assert table[7 + 5][0] == "5"


def test_1_24_has_markers_after_the_body(tmp_path, poses):
    table = written(tmp_path / "take.csv", poses, version="1.24")
    assert table[2].count("Rigid Body Marker") == 3 * len(MARKERS_M)
    assert "Capture Start Frame" in table[0]


def test_lower_case_axes_come_when_asked(tmp_path, poses):
    assert written(tmp_path / "take.csv", poses, lower_case=True)[6][2:6] == ["x", "y", "z", "w"]


@pytest.mark.parametrize("version", ["1.23", "1.24"])
@pytest.mark.parametrize("unit", ["Meters", "Millimeters"])
def test_our_pose_source_reads_every_export(tmp_path, poses, version, unit):
    source = pytest.importorskip("handloom_pose_sources.optitrack_csv", reason="handloom-pose-sources is absent")
    path = tmp_path / "take.csv"
    format_ = MotiveFormat(version=version, unit=unit, lower_case=version == "1.24", mean_error=True)
    write_motive(path, poses, rate_hz=240.0, started=STARTED, format_=format_)
    outputs = source.OptitrackCsv(source.OptitrackCsvConfig()).run(
        MemoryInputs(episode="take", files=(path,)), lambda share: None
    )
    read = outputs.streams["pose"]
    np.testing.assert_array_equal(read.tracked, ~np.isnan(poses[:, 0]))
    np.testing.assert_allclose(read.data, poses, atol=2e-6)
    np.testing.assert_allclose(read.stamps, np.arange(20) * (1e9 / 240), atol=1)
