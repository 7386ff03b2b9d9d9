"""Poses and transforms say the same, in Foxglove's terms; joined streams make one tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.geometry import FrameTree, pose
from handloom.time import ClockMaps
from handloom_exporters.mcap.axis import TimeAxis
from handloom_exporters.mcap.transforms import pose_topic, static_rows, transform_topics

AXIS = TimeAxis(clock="camera", maps=ClockMaps())


def row_of(position, orientation):
    return [position.x, position.y, position.z, orientation.x, orientation.y, orientation.z, orientation.w]


def random_poses(count, seed=0):
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(count, 4))
    return np.hstack([rng.normal(size=(count, 3)), turns / np.linalg.norm(turns, axis=1, keepdims=True)])


@pytest.fixture
def tracked(make_samples):
    def make(frame, body, count=3, seed=0):
        return make_samples(random_poses(count, seed), range(count), kind="pose", unit="m", frame=frame, body=body)

    return make


def test_a_pose_keeps_position_orientation_and_frame(tracked, decode_payloads):
    samples = tracked("world", "camera")
    got = decode_payloads(pose_topic("slam.pose", samples, samples.stamps))
    assert {message.frame_id for _, message in got} == {"world"}
    rows = [row_of(message.pose.position, message.pose.orientation) for _, message in got]
    assert rows == samples.data.tolist()


def test_a_transform_is_the_pose_of_the_body_in_its_frame(tracked, decode_payloads):
    samples = tracked("world", "camera")
    [topic], notes = transform_topics({"slam.pose": samples}, AXIS, static={}, start=0)
    for want, (_, message) in zip(samples.data.tolist(), decode_payloads(topic), strict=True):
        assert (message.parent_frame_id, message.child_frame_id) == ("world", "camera")
        assert row_of(message.translation, message.rotation) == want
    assert notes == []


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_the_tree_gives_every_known_transform_back(seed):
    """Walk the published tree and find what was put in, whichever way round it was published."""
    known = {("tcp", "camera"): random_poses(1, seed)[0], ("camera", "imu"): random_poses(1, seed + 1)[0]}
    [topic], _ = transform_topics({}, AXIS, static=known, start=5)
    from foxglove.messages import FrameTransforms
    from mcap.records import Schema
    from mcap_protobuf.decoder import DecoderFactory

    schema = FrameTransforms.get_schema()
    [(log_time, payload)] = topic.messages
    decoder = DecoderFactory().decoder_for("protobuf", Schema(1, schema.data, schema.encoding, schema.name))
    tree = FrameTree()
    for transform in decoder(payload).transforms:
        row = row_of(transform.translation, transform.rotation)
        tree = tree.with_static(transform.parent_frame_id, transform.child_frame_id, row)
    assert log_time == 5
    for (parent, child), want in known.items():
        np.testing.assert_allclose(tree.transform(parent, child), want, atol=1e-12)


def test_two_trackers_of_one_camera_are_joined_through_it(tracked, decode_payloads):
    slam, mocap = tracked("map", "camera", seed=1), tracked("world", "camera", seed=2)
    topics, notes = transform_topics({"mocap.pose": mocap, "slam.pose": slam}, AXIS, static={}, start=0)
    by_name = {topic.name: decode_payloads(topic) for topic in topics}
    turned = by_name["/slam/pose/transform"]
    assert {(m.parent_frame_id, m.child_frame_id) for _, m in turned} == {("camera", "map")}
    for want, (_, message) in zip(pose.inverse(slam.data), turned, strict=True):
        np.testing.assert_allclose(row_of(message.translation, message.rotation), want)
    assert notes == []


def test_a_second_tracker_of_the_same_transform_is_left_out_with_a_note(tracked):
    poses = {"a.pose": tracked("world", "camera"), "b.pose": tracked("world", "camera")}
    topics, notes = transform_topics(poses, AXIS, static={}, start=0)
    assert [topic.name for topic in topics] == ["/a/pose/transform"]
    assert "'b.pose'" in notes[0]


def test_a_rig_without_frames_has_no_static_transforms():
    assert static_rows(FrameTree()) == {}
