"""What a motion file or a dataset says of its tool is read as it stands, or refused."""

import json
import tomllib
from zipfile import ZipFile

import numpy as np
import pytest

from handloom.api import rig_from_table, tcp_digest
from handloom.errors import RecordingError
from handloom_controllers.control.tcp_claims import claim_of_dataset, claim_of_file, header_lines

TCP = np.array([0.0, 0.07069, 0.259, 0.0, 0.0, 0.0, 1.0])
OTHER = TCP + np.array([0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.0])
ROW = "0.0 0.1 0.2 0.3 0 0 0 1"


def provenance(*tools, transforms=True):
    """Return what an exported dataset of so many grippers keeps."""
    ports = {f"robot{number}_pose": tool for number, tool in enumerate(tools)}
    told = {port: {"camera": "gopro", "T_camera_tcp": tool.tolist()} for port, tool in ports.items()}
    return {
        "tcp_digest": {port: tcp_digest(tool) for port, tool in ports.items()},
        "episodes": {"pick": {"streams": told if transforms else {}}},
    }


def written(path, *lines):
    path.write_text("\n".join([*lines, ROW]) + "\n")
    return path


def test_what_is_written_at_the_head_of_a_motion_is_read_back(tmp_path):
    claim = claim_of_file(written(tmp_path / "path.txt", "# a wipe", *header_lines(TCP)))
    assert (claim.source, claim.digest) == ("path.txt", tcp_digest(TCP))
    assert np.array_equal(claim.T_camera_tcp, TCP)


@pytest.mark.parametrize("line", header_lines(TCP))
def test_either_line_is_enough(tmp_path, line):
    assert claim_of_file(written(tmp_path / "path.txt", line)).digest == tcp_digest(TCP)


def test_a_turn_typed_with_few_digits_is_the_one_that_a_rig_reads(tmp_path):
    rig = rig_from_table(
        tomllib.loads("""
[rig.frames.tcp]
parent = "gopro"
translation_m = [0.0, 0.07069, 0.259]
rotation_xyzw = [0.0, 0.0, -0.38268, 0.92388]
""")
    )
    claim = claim_of_file(written(tmp_path / "path.txt", "# T_camera_tcp: 0 0.07069 0.259 0 0 -0.38268 0.92388"))
    assert claim.digest == tcp_digest(rig.frames.transform("gopro", "tcp"))


def test_a_motion_that_is_not_there_is_told_so(tmp_path):
    with pytest.raises(RecordingError, match=r"path\.txt: there is no such file; expected a text file of poses"):
        claim_of_file(tmp_path / "path.txt")


def test_a_motion_that_says_nothing_claims_nothing(tmp_path):
    assert claim_of_file(written(tmp_path / "path.txt", "# T_base_tcp: time_s x_m y_m z_m qx qy qz qw")) is None
    late = tmp_path / "late.txt"
    late.write_text("\n".join([ROW, *header_lines(TCP)]))
    assert claim_of_file(late) is None
    assert claim_of_file(written(tmp_path / "path.csv", *header_lines(TCP)), comment="") is None


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["# tcp_digest: 3f"], "tcp_digest is '3f'; expected 64 hexadecimal digits"),
        (["# T_camera_tcp: 1 2 3"], r"T_camera_tcp is \['1', '2', '3'\]; expected metres x y z"),
        (["# T_camera_tcp: 0 0 0 0 0 0 0"], "expected metres x y z and a unit quaternion"),
        ([header_lines(TCP)[0], header_lines(OTHER)[1]], "contradicts itself: tcp_digest is"),
    ],
)
def test_a_motion_that_says_nonsense_is_refused(tmp_path, lines, said):
    with pytest.raises(RecordingError, match=said):
        claim_of_file(written(tmp_path / "path.txt", *lines))


def dataset(folder, kind, about):
    if kind == "zip":
        with ZipFile(folder / "set.zarr.zip", "w") as archive:
            archive.writestr(".zattrs", json.dumps({"handloom": about}))
        return folder / "set.zarr.zip"
    if kind == "folder":
        (folder / "set.zarr").mkdir()
        (folder / "set.zarr/.zattrs").write_text(json.dumps({"handloom": about}))
        return folder / "set.zarr"
    (folder / "set.provenance.json").write_text(json.dumps(about))
    return folder / "set.provenance.json"


@pytest.mark.parametrize("kind", ["zip", "folder", "provenance"])
def test_a_dataset_and_the_file_beside_it_say_the_same(tmp_path, kind):
    claim = claim_of_dataset(dataset(tmp_path, kind, provenance(TCP)))
    assert (claim.digest, claim.camera) == (tcp_digest(TCP), "gopro")
    assert np.array_equal(claim.T_camera_tcp, TCP)


def test_a_dataset_without_the_transform_still_has_its_digest(tmp_path):
    claim = claim_of_dataset(dataset(tmp_path, "provenance", provenance(TCP, transforms=False)))
    assert (claim.digest, claim.T_camera_tcp, claim.camera) == (tcp_digest(TCP), None, "")


def test_of_two_grippers_with_two_tools_one_must_be_chosen(tmp_path):
    both = dataset(tmp_path, "provenance", provenance(TCP, OTHER))
    with pytest.raises(RecordingError, match=r"several tools: robot0_pose, robot1_pose; say which .*dataset_pose"):
        claim_of_dataset(both)
    assert claim_of_dataset(both, "robot1_pose").digest == tcp_digest(OTHER)
    with pytest.raises(RecordingError, match="no poses 'robot2_pose'; it has robot0_pose, robot1_pose"):
        claim_of_dataset(both, "robot2_pose")


def test_two_grippers_with_one_tool_need_no_choice(tmp_path):
    assert claim_of_dataset(dataset(tmp_path, "provenance", provenance(TCP, TCP))).digest == tcp_digest(TCP)


@pytest.mark.parametrize("text", ["no json", "[]", "{}", '{"handloom": 3}', '{"tcp_digest": {}}'])
def test_a_file_that_is_no_dataset_or_keeps_no_digest_is_refused(tmp_path, text):
    file = tmp_path / "set.provenance.json"
    file.write_text(text)
    with pytest.raises(RecordingError, match=r"set\.provenance\.json: (can't be read as a dataset|does not say)"):
        claim_of_dataset(file)


def test_a_dataset_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(RecordingError, match=r"nowhere\.zarr\.zip: can't be read as a dataset"):
        claim_of_dataset(tmp_path / "nowhere.zarr.zip")


def test_a_transform_of_a_dataset_that_was_edited_is_refused(tmp_path):
    about = provenance(TCP)
    about["episodes"]["pick"]["streams"]["robot0_pose"]["T_camera_tcp"] = OTHER.tolist()
    with pytest.raises(RecordingError, match="contradicts itself"):
        claim_of_dataset(dataset(tmp_path, "provenance", about))
