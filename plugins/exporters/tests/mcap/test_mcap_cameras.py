"""A camera's model stands beside its video, or a note says why not."""

import numpy as np
import pytest

from handloom.geometry import DoubleSphere, KannalaBrandt, Pinhole
from handloom.streams import StreamType, Video
from handloom_exporters.mcap.cameras import camera_topics

LENS = {"width": 640, "height": 480, "fx": 500.0, "fy": 510.0, "cx": 319.5, "cy": 239.5}


def video(width=640, height=480, rotation_deg=0):
    type_ = StreamType(kind="video", dtype="uint8", shape=(height, width, 3), frame="camera_optical")
    stamps = np.array([0], dtype=np.int64)
    return Video(type=type_, files=(), pts=stamps, stamps=stamps, keyframes=stamps == 0, rotation_deg=rotation_deg)


@pytest.fixture
def calibration_of(decode_payloads):
    def calibration(camera):
        [topic], notes = camera_topics({"camera": camera}, {"camera.video": video()}, 7)
        assert (topic.name, notes) == ("/camera/calibration", [])
        [(log_time, message)] = decode_payloads(topic)
        assert log_time == 7
        return message

    return calibration


def test_a_pinhole_has_no_distortion(calibration_of):
    message = calibration_of(Pinhole(**LENS))
    assert (message.distortion_model, list(message.D)) == ("plumb_bob", [0.0] * 5)
    assert list(message.K) == [500.0, 0, 319.5, 0, 510.0, 239.5, 0, 0, 1]
    assert list(message.P) == [500.0, 0, 319.5, 0, 0, 510.0, 239.5, 0, 0, 0, 1, 0]
    assert (message.width, message.height, message.frame_id) == (640, 480, "camera_optical")


def test_a_fisheye_keeps_its_four_coefficients(calibration_of):
    message = calibration_of(KannalaBrandt(**LENS, k1=0.1, k2=-0.02, k3=0.003, k4=-0.0004))
    assert (message.distortion_model, list(message.D)) == ("kannala_brandt", [0.1, -0.02, 0.003, -0.0004])


@pytest.mark.parametrize(
    ("camera", "shown", "reason"),
    [
        (DoubleSphere(**LENS, xi=-0.2, alpha=0.6), video(), "double_sphere"),
        (Pinhole(**LENS), video(rotation_deg=180), "upright"),
        (Pinhole(**LENS), video(width=320, height=240), "640x480 pixels and the video has 320x240"),
    ],
)
def test_a_model_that_would_mislead_is_noted_and_not_published(camera, shown, reason):
    topics, [note] = camera_topics({"camera": camera}, {"camera.video": shown}, 0)
    assert topics == []
    assert reason in note


def test_a_camera_without_a_video_says_nothing():
    assert camera_topics({"camera": Pinhole(**LENS)}, {}, 0) == ([], [])
