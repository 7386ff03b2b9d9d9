"""A take of Motive comes in with its gaps, in metres, on its frames' clock; what is amiss gets a sentence."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from handloom.errors import RecordingError, StepError
from handloom.geometry import pose
from handloom.testing import MemoryInputs, PoseSourceContract
from handloom_pose_sources import optitrack_csv
from handloom_pose_sources.optitrack_csv import OptitrackCsv, OptitrackCsvConfig

pytest_plugins = ("handloom.testing.fixtures",)

RATE_HZ = 240
HEAD = {
    "Format Version": "1.23",
    "Take Name": "take 1",
    "Take Notes": "",
    "Capture Frame Rate": "240.000000",
    "Export Frame Rate": "240.000000",
    "Capture Start Time": "2023-11-28 10.27.58.765 DU.",
    "Total Frames in Take": "50",
    "Rotation Type": "Quaternion",
    "Length Units": "Meters",
    "Coordinate Space": "Global",
}
BODY = [("Rotation", axis) for axis in "XYZW"] + [("Position", axis) for axis in "XYZ"]


def _poses(count=50):
    data = pose.exp(np.random.default_rng(1).normal(size=(count, 6)) * 0.3)
    data[:, 3:] *= np.sign(data[:, 6:])
    return data


def _write(
    path,
    data,
    *,
    bodies=("gripper",),
    extra=(("Mean Marker Error", ""),),
    marker_columns=0,
    labels=("Type", "Name", "ID", "Parent"),
    lost=(),
    per_metre=1.0,
    frames=None,
    **head,
):
    """Write a take; keys of the head are changed by `Length_Units="..."`, and left out by None."""
    pairs = {**HEAD, **{key.replace("_", " "): value for key, value in head.items()}}
    above = [[text for key, value in pairs.items() if value is not None for text in (key, value)], []]
    columns = [("Rigid Body", name, *part) for name in bodies for part in (*BODY, *extra)]
    columns += [
        ("Marker", f"gripper:Marker {k // 3}", "Position", "XYZ"[k % 3]) for k in range(3 * marker_columns)
    ]
    rows = {
        "Type": [column[0] for column in columns],
        "Name": [column[1] for column in columns],
        "ID": ["4D3" for _ in columns],
        "Parent": ["" for _ in columns],
    }
    above += [["", label, *rows[label]] for label in labels]
    above += [["", "", *(column[2] for column in columns)]]
    above += [["Frame", "Time (Seconds)", *(column[3] for column in columns)]]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows(above)
        for row, frame in enumerate(range(len(data)) if frames is None else frames):
            numbers = [*data[row, 3:], *(data[row, :3] * per_metre), *(0.0002 * per_metre for _ in extra)]
            body = ["" if row in lost else f"{number:.6f}" for number in numbers]
            markers = ["1.0"] * (3 * marker_columns)
            writer.writerow([frame, f"{frame / RATE_HZ:.3f}", *(body * len(bodies)), *markers])
    return path


def _run(*files, **config):
    return OptitrackCsv(OptitrackCsvConfig(**config)).run(MemoryInputs(files=files), lambda share: None)


class TestOptitrackCsv(PoseSourceContract):
    component = OptitrackCsv

    def inputs(self, tmp_path):
        return MemoryInputs(files=(_write(tmp_path / "take.csv", _poses(), lost=(7, 8)),))


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(pose_sources={"optitrack_csv": optitrack_csv.__name__})
    assert host.load("pose_sources", "optitrack_csv").component is OptitrackCsv


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"Format_Version": "1.22", "Total_Frames_in_Take": None, "labels": ("Type", "Name"), "extra": ()},
        {"Format_Version": "1.24", "Capture_Start_Frame": "78593", "marker_columns": 5},
        {"Length_Units": "Millimeters", "per_metre": 1000.0},
        {"labels": ("Name",)},
    ],
    ids=["1.23", "1.22 without rows", "1.24 with markers", "millimetres", "only names"],
)
def test_every_version_gives_the_same_poses(tmp_path, changes):
    data = _poses()
    outputs = _run(_write(tmp_path / "take.csv", data, lost=(7, 8, 49), **changes))
    made = outputs.streams["pose"]
    assert np.flatnonzero(~made.tracked).tolist() == [7, 8, 49]
    assert np.allclose(made.data[made.tracked], data[made.tracked], atol=1e-6)
    assert outputs.notes == ("take.csv: the body is lost in 3 of 50 rows.",)
    assert (made.type.frame, made.type.body, made.type.clock) == ("@/world", "@/body", "@")


def test_time_is_frames_by_rate_and_not_the_rounded_column(tmp_path):
    frames = [*range(10, 40), *range(60, 80)]
    outputs = _run(_write(tmp_path / "take.csv", _poses(), frames=frames))
    expected = [round(frame * 1e9 / RATE_HZ) for frame in frames]
    assert outputs.streams["pose"].stamps.tolist() == expected
    assert outputs.attributes["missing_frames"] == 20


def test_the_start_time_stays_text_in_whatever_language(tmp_path):
    attributes = _run(_write(tmp_path / "take.csv", _poses())).streams["pose"].attributes
    assert attributes["capture_start_time"] == "2023-11-28 10.27.58.765 DU."


def test_lower_case_headers_are_read(tmp_path):
    path = _write(tmp_path / "take.csv", _poses())
    path.write_text(path.read_text().lower())
    assert _run(path).streams["pose"].tracked.all()


def test_marker_errors_are_a_stream_where_they_were_exported(tmp_path):
    path = _write(tmp_path / "take.csv", _poses(), lost=(3,), Length_Units="Millimeters", per_metre=1000.0)
    errors = _run(path).streams["marker_error"]
    assert errors.data[0] == pytest.approx(0.0002)
    assert np.isnan(errors.data[3])
    assert "marker_error" not in _run(_write(tmp_path / "b.csv", _poses(), extra=())).streams


def test_a_body_is_chosen_by_its_name(tmp_path):
    path = _write(tmp_path / "take.csv", _poses(), bodies=("gripper", "head"))
    assert _run(path, rigid_body="head").attributes["rigid_body"] == "head"
    with pytest.raises(RecordingError, match=r"2 rigid bodies, 'gripper', 'head'; choose one with rigid_body\."):
        _run(path)
    with pytest.raises(RecordingError, match="no rigid body 'Gripper'; did you mean 'gripper'"):
        _run(path, rigid_body="Gripper")


def test_two_bodies_of_one_name_are_refused(tmp_path):
    path = _write(tmp_path / "take.csv", _poses(), bodies=("gripper", "gripper"))
    with pytest.raises(RecordingError, match="'gripper' has 2 columns Position X; expected one"):
        _run(path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"Rotation_Type": "XYZ"}, "Rotation Type is 'XYZ'; expected Quaternion"),
        ({"Length_Units": "Feet"}, "Length Units is 'Feet'; expected Meters"),
        ({"Length_Units": None}, "Length Units is ''; expected Meters"),
        ({"Coordinate_Space": "Local"}, "Coordinate Space is 'Local'; expected Global"),
        ({"Export_Frame_Rate": None, "Capture_Frame_Rate": None}, "Export Frame Rate is ''"),
        ({"Export_Frame_Rate": "60.0"}, "the time is .* s, but frame .* at the Export Frame Rate of 60"),
        ({"frames": [0, 1, 1, *range(3, 50)]}, "row 3 below the header: frame 1 comes after 1"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_the_poses_can_not_be_read_from_is_refused(tmp_path, changes, sentence):
    with pytest.raises(RecordingError, match=sentence):
        _run(_write(tmp_path / "take.csv", _poses(), **changes))


def test_broken_rows_are_named(tmp_path):
    path = _write(tmp_path / "take.csv", _poses(), extra=())
    text = path.read_text()
    path.write_text(text[:-40])
    with pytest.raises(
        RecordingError, match=r"row 50 below the header: found . cells; expected 9. Was the file cut"
    ):
        _run(path)
    lines = text.splitlines()
    lines[-3] = lines[-3].rsplit(",", 1)[0] + ",o.5"
    path.write_text("\n".join(lines))
    with pytest.raises(RecordingError, match=r"row 48 below the header, column 9: holds 'o.5'; expected a number"):
        _run(path)
    lines[-3] = lines[-3].rsplit(",", 6)[0] + ",7,7,7,0,0,0"
    path.write_text("\n".join(lines))
    with pytest.raises(RecordingError, match="row 48 below the header: the quaternion has norm 1"):
        _run(path)


def test_what_is_no_take_is_refused(tmp_path):
    with pytest.raises(StepError, match="found 0: none"):
        _run()
    path = tmp_path / "poses.csv"
    for content, sentence in {
        b"t,x,y\n1,2,3\n": "begins with 't,x,y'; expected 'Format Version",
        b"": "begins with ''",
        bytes(range(256)) * 2000: "poses.csv: ",
        b"Format Version,1.23\n\n,Type\n": "no line begins with Frame",
    }.items():
        path.write_bytes(content)
        with pytest.raises(RecordingError, match=sentence):
            _run(path)
    _write(path, _poses(0))
    with pytest.raises(RecordingError, match="has no row below its header"):
        _run(path)


def test_an_unknown_version_is_read_by_its_labels_with_a_note(tmp_path):
    (note,) = _run(_write(tmp_path / "take.csv", _poses(), Format_Version="1.30")).notes
    assert note == "take.csv: format version 1.30; the ones this was made for are 1.22, 1.23, 1.24."


def test_a_body_of_zeros_is_lost(tmp_path):
    data = _poses()
    data[4] = 0.0
    made = _run(_write(tmp_path / "take.csv", data)).streams["pose"]
    assert np.flatnonzero(~made.tracked).tolist() == [4]


def test_a_real_take_of_markers_alone_says_what_it_holds(shared_data):
    with pytest.raises(RecordingError) as caught:
        _run(shared_data / "motive/markers-millimetres.csv")
    assert str(caught.value) == (
        "markers-millimetres.csv: holds no rigid body but 18 of type 'marker' ('Unlabeled 1036', 'Unlabeled "
        "1037', 'Unlabeled 1038', 'Unlabeled 1039', 'Unlabeled 1040', 'Unlabeled 1041', 'Unlabeled 1042', "
        "'Unlabeled 1043', 'Unlabeled 1044', 'Unlabeled 1045', 'Unlabeled 1046', 'Unlabeled 1047' and 6 more). "
        "Make a rigid body of the tool's markers in Motive and export the take again."
    )


def test_a_real_take_gives_the_numbers_that_plain_parsing_gives(shared_data):
    from handloom_pose_sources.motive import BodyColumns, read_header, read_rows

    path = shared_data / "motive/markers-millimetres.csv"
    # Seven columns of markers, read as if they were a body's: blanks, millimetres and 1353 rows are real.
    columns = BodyColumns(body="", position=(2, 3, 4), rotation=(5, 6, 7, 8), marker_error=None)
    with path.open(newline="") as lines:
        header = read_header(path.name, lines)
        rows = read_rows(lines, header, columns)
    assert (header.rate_hz(), header.per_metre(), header.version) == (360.0, 1000.0, "1.23")
    plain = list(csv.reader(path.read_text().splitlines()))[7:]
    expected = [[float(cell) if cell else np.nan for cell in row[2:9]] for row in plain]
    assert np.array_equal(rows.poses, np.array(expected), equal_nan=True)
    assert rows.frames.tolist() == list(range(1353))
