"""What is drawn and written of a motion: a picture that a person can read, a file that other programs can."""

import json
from collections import Counter

import numpy as np
import pytest

from handloom.errors import RecordingError
from handloom_controllers.control.mcap import _check_whole, write_mcap
from handloom_controllers.control.plots import draw_motion
from handloom_controllers.native.structs import REFLEXES

JOINTS = tuple(f"joint{place}" for place in range(1, 8))


@pytest.fixture
def messages(tmp_path, made_up):
    """Return the records, and the messages of the MCAP file that was written of them, by topic."""
    from mcap.reader import make_reader

    records = made_up(300)
    records["width_m"][5] = np.nan
    records["T_base_tcp"][9] = np.nan
    records["faults"][7] = 1 << 6
    records["reflexes"][11:] = 1 << REFLEXES.index("cartesian_reflex")
    shares = []
    write_mcap(tmp_path / "a.mcap", records, joints=JOINTS, about={"robot": '"fr3"'}, progress=shares.append)
    by_topic = {}
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file)
        for schema, channel, message in reader.iter_messages():
            by_topic.setdefault(channel.topic, []).append((schema.name, message.log_time, message.data))
        [metadata] = [record.metadata for record in reader.iter_metadata()]
    assert metadata == {"robot": '"fr3"'}
    assert shares == sorted(shares)
    return records, by_topic


def test_every_record_is_a_message_of_each_topic_at_its_own_stamp(messages):
    records, by_topic = messages
    assert Counter({topic: len(found) for topic, found in by_topic.items()}) == {
        "/tcp": 299,
        "/reference": 300,
        "/transforms": 599,
        **dict.fromkeys(["/joints", "/force", "/error", "/gripper", "/loop"], 300),
    }
    for found in by_topic["/loop"], by_topic["/reference"]:
        assert [log_time for _, log_time, _ in found] == records["stamp_ns"].tolist()


def test_numbers_are_read_back_as_they_were(messages):
    records, by_topic = messages
    said = {
        topic: [json.loads(data) for _, _, data in by_topic[topic]] for topic in ("/joints", "/force", "/gripper")
    }
    assert [m["command_nm"]["joint7"] for m in said["/joints"]] == records["tau_command"][:, 6].tolist()
    assert [m["command_n"]["z"] for m in said["/force"]] == records["wrench_command"][:, 2].tolist()
    assert said["/gripper"][5]["width_m"] is None
    assert said["/gripper"][6]["width_m"] == records["width_m"][6]
    assert list(said["/joints"][0]["position_rad"]) == list(JOINTS)


def test_what_the_loop_met_is_said_by_name(messages):
    _, by_topic = messages
    said = [json.loads(data) for _, _, data in by_topic["/loop"]]
    assert [place for place, m in enumerate(said) if m["faults"] == ["missed_slots"]] == [7]
    assert said[10]["reflexes"] == []
    assert said[11]["reflexes"] == ["cartesian_reflex"]
    assert (said[0]["phase"], said[-1]["phase"]) == ("following", "stopping")


def test_poses_are_those_of_the_tool(messages):
    from mcap_protobuf.decoder import DecoderFactory  # noqa: F401  an independent reader of the same schema

    records, by_topic = messages
    assert {name for name, _, _ in by_topic["/tcp"]} == {"foxglove.PoseInFrame"}
    assert {name for name, _, _ in by_topic["/transforms"]} == {"foxglove.FrameTransform"}
    x = records["T_base_tcp"][0, 0]
    assert np.float64(x).tobytes() in by_topic["/tcp"][0][2]


def test_a_file_that_did_not_become_whole_is_told(tmp_path, messages):
    whole = (tmp_path / "a.mcap").read_bytes()
    for size in (0, 5, len(whole) - 1):
        (tmp_path / "a.mcap").write_bytes(whole[:size])
        with pytest.raises(RecordingError, match="did not become whole"):
            _check_whole(tmp_path / "a.mcap")


def test_the_picture_is_the_same_for_the_same_motion(tmp_path, made_up):
    sizes = []
    for name in ("a", "b"):
        draw_motion(tmp_path / f"{name}.png", made_up(200), title="a motion", joints=JOINTS, paced=True)
        sizes.append((tmp_path / f"{name}.png").read_bytes())
    assert sizes[0] == sizes[1]
    assert sizes[0].startswith(b"\x89PNG")


def test_one_record_without_measurements_is_drawn_too(tmp_path, made_up):
    records = made_up(1)
    for name in ("T_base_tcp", "wrench_measured", "wrench_command", "width_m"):
        records[name] = np.nan
    draw_motion(tmp_path / "a.png", records, title="a motion", joints=JOINTS, paced=False)
    assert (tmp_path / "a.png").stat().st_size > 1000
