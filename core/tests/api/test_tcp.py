"""Poses of two different tool centre points are never taken for one another."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.api import TCP_DIGEST, require_same_tcp, tcp_digest
from handloom.errors import FrameError
from handloom.geometry import pose
from handloom.streams import POSE, Samples, StreamType

T_CAMERA_TCP = np.array([0.0, 0.07069, 0.259, 0.0, 0.0, 0.0, 1.0])
twists = st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6)


def _stream(body="tcp", **attributes):
    type_ = attrs.evolve(POSE, frame="map", body=body, clock="camera")
    return Samples(
        type=type_,
        data=np.tile(pose.IDENTITY, (2, 1)),
        stamps=np.arange(2, dtype=np.int64),
        tracked=np.ones(2, bool),
        attributes=attributes,
    )


@settings(max_examples=25, deadline=None)
@given(twists)
def test_a_chain_of_transforms_and_its_product_have_one_digest(twist):
    T_camera_mount = pose.exp(np.round(twist, 5))
    chained = pose.compose(T_camera_mount, pose.compose(pose.inverse(T_camera_mount), T_CAMERA_TCP))
    assert tcp_digest(chained) == tcp_digest(T_CAMERA_TCP)


def test_a_quaternion_and_its_negative_are_one_rotation():
    half_turn = np.array([0.1, 0, 0, 1.0, 0, 0, 1e-12])
    for T_camera_tcp in (T_CAMERA_TCP, half_turn):
        assert tcp_digest(T_camera_tcp) == tcp_digest(T_camera_tcp * [1, 1, 1, -1, -1, -1, -1])
    assert tcp_digest(half_turn) == tcp_digest(half_turn * [1, 1, 1, 1, 1, 1, -1])


def test_a_micrometre_is_another_place():
    assert tcp_digest(T_CAMERA_TCP) != tcp_digest(np.add(T_CAMERA_TCP, [1e-6, 0, 0, 0, 0, 0, 0]))


@pytest.mark.parametrize("wrong", [[0.0] * 7, [np.nan] * 7, [0.0] * 6, [0, 0, 0, 0, 0, 0, 2]])
def test_what_is_no_transform_has_no_digest(wrong):
    with pytest.raises(FrameError, match="must be x y z and a unit quaternion"):
        tcp_digest(wrong)


def test_poses_of_one_tcp_go_together():
    streams = {name: _stream(**{TCP_DIGEST: "a" * 64}) for name in ("arm.pose", "hand.pose")}
    assert require_same_tcp(streams) == "a" * 64


def test_poses_of_two_tcps_are_refused_with_both_names():
    streams = {"arm.pose": _stream(tcp_digest="a" * 64), "hand.pose": _stream(tcp_digest="b" * 64)}
    with pytest.raises(FrameError, match=r"'arm.pose' and 'hand.pose' are poses of two different .* aaaaaaaaaaaa"):
        require_same_tcp(streams)


def test_a_camera_pose_is_refused_where_a_tcp_pose_is_due():
    with pytest.raises(FrameError, match="is the pose of 'camera/optical'; expected that of 'tcp'"):
        require_same_tcp({"slam.pose": _stream("camera/optical", tcp_digest="a")})
    width = Samples(
        type=StreamType(kind="scalar", dtype="float64", unit="m"), data=np.zeros(1), stamps=np.zeros(1, np.int64)
    )
    with pytest.raises(FrameError, match="expected a pose of 'tcp'"):
        require_same_tcp({"width.width": width})


def test_a_tcp_pose_without_a_digest_is_refused():
    with pytest.raises(FrameError, match="attribute 'tcp_digest' is missing"):
        require_same_tcp({"slam.pose": _stream()})


def test_no_stream_at_all_is_refused():
    with pytest.raises(FrameError, match="no pose stream"):
        require_same_tcp({})
