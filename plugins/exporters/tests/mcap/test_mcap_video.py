"""Video goes through bit for bit and decodes; what Foxglove can't play is refused, or encoded anew on request."""

from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import ClockError, StepError
from handloom.media import Clip, index_video, read_number, write_clip
from handloom_exporters.mcap import McapConfig, McapExporter
from handloom_exporters.mcap.topic import timestamp
from handloom_exporters.mcap.video import encode_frame


def decode_payloads_in_order(messages):
    """Decode CompressedVideo messages with PyAV, in the file's order."""
    import av

    codec = {"h264": "h264", "h265": "hevc"}[messages[0].format]
    decoder = av.CodecContext.create(codec, "r")
    frames = []
    for number, message in enumerate(messages):
        packet = av.Packet(message.data)
        packet.pts = number
        frames += decoder.decode(packet)
    return frames + decoder.decode(None)


def luma(frame):
    return planes(frame)[0]


def planes(frame, width=None):
    """Return the planes of a 4:2:0 frame, cropped to a width of the luma."""
    shapes = [(frame.height, frame.width), *[(frame.height // 2, frame.width // 2)] * 2]
    crop = [width or frame.width, *[(width or frame.width) // 2] * 2]
    return [
        np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: shape[0], :columns]
        for plane, shape, columns in zip(frame.planes, shapes, crop, strict=True)
    ]


@pytest.fixture
def export(tmp_path, episode_inputs, read_mcap):
    def run(streams, **config):
        path = tmp_path / "out.mcap"
        outputs = McapExporter(McapConfig(**config)).export(
            episode_inputs(all_streams=streams), path, lambda share: None
        )
        return outputs, read_mcap(path)

    return run


@pytest.fixture
def clip(tmp_path):
    def make(**values):
        return on_clock(index_video((write_clip(tmp_path / "clip.mp4", Clip(**values)),)).video)

    return make


def on_clock(video):
    return attrs.evolve(video, type=video.type.bind("camera"))


@pytest.mark.parametrize("codec", ["libx264", "libx265"])
def test_every_frame_decodes_to_the_number_it_was_coded_with(export, clip, codec):
    video = clip(frames=30, codec=codec)
    _, back = export({"camera.video": video})
    messages = back.of("/camera/video")
    frames = decode_payloads_in_order([message for _, message in messages])
    assert [read_number(luma(frame)) for frame in frames] == list(range(30))
    assert [log_time for log_time, _ in messages] == video.stamps.tolist()


def test_a_real_recording_keeps_every_pixel_of_every_frame(export, shared_data):
    import av

    path = shared_data / "gopro" / "karma.mp4"
    _, back = export({"camera.video": on_clock(index_video((path,)).video)})
    frames = decode_payloads_in_order([message for _, message in back.of("/camera/video")])
    with av.open(str(path)) as container:
        count = 0
        for source, got in zip(container.decode(video=0), frames, strict=True):
            # The container crops the 864 coded columns to 854; a bare stream can't say so.
            pairs = zip(planes(source), planes(got, source.width), strict=True)
            assert all((mine == theirs).all() for theirs, mine in pairs)
            count += 1
    assert count == 362


@pytest.mark.parametrize("codec", ["libx264", "libx265"])
def test_parameter_sets_stand_before_every_keyframe(export, clip, codec):
    video = clip(frames=30, keyframe_every=10, codec=codec)
    assert video.keyframes.sum() >= 3
    _, back = export({"camera.video": video})
    messages = [message for _, message in back.of("/camera/video")]
    for first in np.flatnonzero(video.keyframes):
        assert read_number(luma(decode_payloads_in_order(messages[first : first + 1])[0])) == first


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 2**62),
    st.text(max_size=5),
    st.binary(min_size=1, max_size=300),
    st.sampled_from(["h264", "h265"]),
)
def test_a_frame_is_encoded_as_foxglove_itself_would(log_time, frame_id, payload, format_):
    from foxglove.messages import CompressedVideo

    log_time %= 2**32 * 10**9
    plain = CompressedVideo(timestamp=timestamp(log_time), frame_id=frame_id, data=payload, format=format_)
    assert encode_frame(log_time, frame_id, memoryview(payload), format_) == plain.encode()


def test_chapters_are_one_topic(export, tmp_path):
    paths = [write_clip(tmp_path / f"{n}.mp4", Clip(frames=12, first_number=12 * n)) for n in range(2)]
    _, back = export({"camera.video": on_clock(index_video(tuple(paths)).video)})
    frames = decode_payloads_in_order([message for _, message in back.of("/camera/video")])
    assert [read_number(luma(frame)) for frame in frames] == list(range(24))


def test_b_frames_are_refused_and_leave_no_file(export, clip, tmp_path):
    with pytest.raises(StepError, match=r"'camera.video' has B-frames.*transcode_b_frames"):
        export({"camera.video": clip(b_frames=2, preset="veryfast", codec="libx264")})
    assert not (tmp_path / "out.mcap").exists()


def test_b_frames_are_encoded_anew_on_request_and_a_note_says_so(export, clip):
    video = clip(frames=30, b_frames=2, preset="veryfast", rotation_deg=90)
    outputs, back = export({"camera.video": video}, transcode_b_frames=True)
    messages = back.of("/camera/video")
    frames = decode_payloads_in_order([message for _, message in messages])
    assert [read_number(luma(frame)) for frame in frames] == list(range(30))
    assert [log_time for log_time, _ in messages] == video.stamps.tolist()
    assert any("encoded anew" in note and "B-frames" in note for note in outputs.notes)


def test_the_note_about_a_video_encoded_anew_does_not_ask_for_what_was_set(export, clip):
    outputs, _ = export({"camera.video": clip(frames=12, b_frames=2, preset="veryfast")}, transcode_b_frames=True)
    assert not any("transcode_b_frames" in note for note in outputs.notes)


def test_a_playable_video_is_not_encoded_anew_even_when_allowed(export, clip):
    video = clip(frames=12)
    assert export({"camera.video": video}, transcode_b_frames=True)[0].notes == ()


def test_a_cut_between_keyframes_still_decodes_from_the_first_frame_shown(export, clip):
    video = clip(frames=30, keyframe_every=12, edit=(Fraction(18, 30), Fraction(10, 30)))
    outputs, back = export({"camera.video": video})
    messages = back.of("/camera/video")
    frames = decode_payloads_in_order([message for _, message in messages])
    assert [read_number(luma(frame)) for frame in frames] == list(range(12, 28))
    assert [log_time for log_time, _ in messages[6:]] == video.stamps.tolist()
    assert {log_time for log_time, _ in messages[:6]} == {int(video.stamps[0])}
    assert "has 6 frames that are never shown" in outputs.notes[0]
    assert "has 6 frames that are never shown" in back.metadata["handloom.notes"]["001"]


def test_a_turned_picture_is_noted(export, clip):
    outputs, back = export({"camera.video": clip(frames=3, rotation_deg=90)})
    assert back.channels["/camera/video"]["rotation_deg"] == "90"
    assert any("turn them 90 degrees" in note for note in outputs.notes)


def test_a_codec_that_foxglove_does_not_play_is_refused(export, clip):
    with pytest.raises(StepError, match="mpeg4"):
        export({"camera.video": clip(codec="mpeg4")})


def test_a_second_camera_without_a_clock_map_is_refused(export, clip, make_samples):
    width = make_samples([0.0], [5], kind="scalar", clock="gripper")
    with pytest.raises(ClockError, match=r"'gripper.width' is on clock 'gripper'"):
        export({"camera.video": clip(), "gripper.width": width})


def test_frames_that_cannot_be_taken_apart_are_left_out_and_counted(clip, export):
    video = clip(frames=12)
    path = video.files[0].path
    data = bytearray(path.read_bytes())
    import av

    with av.open(str(path)) as container:
        places = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]
    for place, size in places[5:7]:
        data[place : place + size] = b"\xff" * size  # lengths of NAL units far beyond the packet
    path.write_bytes(data)
    outputs, file = export({"camera.video": video})
    assert len(list(file.of("/camera/video"))) == 10
    assert "Video 'camera.video': 2 of 12 frames are damaged in the file and left out." in outputs.notes
