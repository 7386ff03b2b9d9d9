"""The sensor `polyumi_session` on whole sessions: every stream, byte and stamp comes back."""

import av
import numpy as np
import pytest

from handloom.api import clock_map_of
from handloom.media import View, decode
from handloom.streams import Samples, Video
from handloom.testing import SensorContract
from handloom_sensors.demo_recording import DemoRecording, write_demo_recording
from handloom_sensors.polyumi_session import PolyumiSession, PolyumiSessionConfig, sensor

BOOT_NS = 5_000_000_000_000
WALL_NS = 1_767_268_800_250_000_000
PERIOD_NS = 100_000_000


class TestPolyumiSession(SensorContract):
    component = PolyumiSession

    @pytest.fixture(autouse=True)
    def _write(self, new_session):
        self.write = new_session

    def files(self, tmp_path):
        path = tmp_path / "session_a"
        if not path.exists():
            self.write(path)
        return (path,)


def test_hook_answers_the_class():
    assert sensor("polyumi_session") is PolyumiSession
    assert sensor("gopro") is None


def test_a_whole_session_gives_every_stream_and_no_complaint(new_session, tmp_path, read):
    outputs = read(new_session(tmp_path / "whole"))
    assert {"gopro_video", "gopro_audio", "gopro_accelerometer", "gopro_gyroscope"} <= outputs.streams.keys()
    assert {"finger_video", "contact_audio", "air_audio", "pi_to_wall"} <= outputs.streams.keys()
    assert outputs.notes == ()
    assert outputs.attributes["session_type"] == "EPISODE"
    assert outputs.attributes["gopro"]["camera_serial"]


def test_each_device_keeps_its_own_clock_and_the_gopro_its_own_frames(new_session, tmp_path, read):
    streams = read(new_session(tmp_path / "clocks")).streams
    clocks = {name: stream.type.clock for name, stream in streams.items()}
    assert {clock for name, clock in clocks.items() if name.startswith("gopro_")} == {"@/gopro"}
    assert {clock for name, clock in clocks.items() if not name.startswith("gopro_")} == {"@/pi"}
    assert streams["gopro_gyroscope"].type.frame == "@/gopro/optical"


def test_the_gopro_file_is_matched_by_named_evidence(new_session, tmp_path, read):
    evidence = read(new_session(tmp_path / "evidence")).attributes["gopro_evidence"]
    assert evidence["creation_time"]["says"] == "agrees"
    assert evidence["creation_time"]["residual_s"] == pytest.approx(0.5)
    assert evidence["duration"]["says"] == "agrees"
    assert abs(evidence["duration"]["residual_s"]) < 0.05
    assert evidence["timecode"]["says"] == "says nothing"
    assert evidence["audio"]["says"] == "says nothing"  # the chirp may lie before the sound


def test_no_clock_map_of_the_gopro_is_made_of_its_creation_time(new_session, tmp_path, read):
    streams = read(new_session(tmp_path / "coarse")).streams
    maps = [clock_map_of(stream) for stream in streams.values() if stream.type.kind == "clock_map"]
    assert [(known.source, known.target) for known in maps] == [("@/pi", "@/wall")]


def test_the_video_holds_every_byte_of_the_pictures(session, read):
    video = read(session).streams["finger_video"]
    assert isinstance(video, Video)
    assert video.codec == "mjpeg"
    assert video.type.shape == (48, 64, 3)
    with av.open(str(video.files[0].path)) as container:
        packets = [bytes(packet) for packet in container.demux(video=0) if packet.size]
    assert packets == [path.read_bytes() for path in sorted(session.video.glob("*.jpg"))]


def test_frames_keep_the_stamps_of_the_list_to_the_nanosecond(session, read):
    stamps = [BOOT_NS + number * PERIOD_NS + 7 * number**2 + 123 for number in range(20)]
    session.stamps(enumerate(stamps))
    video = read(session).streams["finger_video"]
    assert video.stamps.tolist() == stamps
    assert video.keyframes.all()


def test_frames_decode_under_their_own_index(session, read):
    video = read(session).streams["finger_video"]
    grey = {index: int(np.median(views.gray)) for index, _, views in decode(video, {"gray": View(format="gray")})}
    assert grey == {index: pytest.approx(5 * index, abs=3) for index in range(20)}


def test_sound_starts_where_the_anchors_put_it_and_keeps_every_value(session, read):
    values = np.random.default_rng(3).integers(-(2**15), 2**15, (32_000, 2))
    session.sound(values)
    streams = read(session).streams
    for channel, name in enumerate(("contact_audio", "air_audio")):
        audio = streams[name]
        assert isinstance(audio, Samples)
        assert audio.data.shape == (32_000, 1)
        assert np.array_equal(audio.data[:, 0] * 2**15, values[:, channel])
        assert audio.knots.tolist() == [[0, BOOT_NS + 7_000_000], [32_000, BOOT_NS + 2_007_000_000]]


def test_the_pi_clock_maps_to_the_date_with_its_uncertainty_said(session, read):
    known = clock_map_of(read(session).streams["pi_to_wall"])
    assert int(known.apply(BOOT_NS)) == WALL_NS
    assert known.uncertainty_ns > 0


@pytest.mark.parametrize("began", [WALL_NS, BOOT_NS])
def test_the_sound_tells_on_its_own_clock_when_the_chirp_was_played(session, read, began):
    session.metadata(sync_chirp_play_time_ns=began + 300_000_000)
    outputs = read(session)
    assert outputs.attributes["sync_chirp_play_time_ns"] == began + 300_000_000
    for name in ("contact_audio", "air_audio"):
        assert outputs.streams[name].attributes["chirp_play_ns"] == BOOT_NS + 300_000_000


def test_optitrack_time_zero_is_when_the_pi_heard_of_it(session, read):
    session.metadata(optitrack_start_time="2026-01-01T12:00:00.250001+00:00")
    known = clock_map_of(read(session).streams["optitrack_to_wall"])
    assert (known.source, known.target) == ("optitrack", "@/wall")
    assert int(known.apply(0)) == WALL_NS + 1000


def test_the_jaw_is_read_where_it_was_recorded(session, read):
    (session.path / "jaw_ticks.csv").write_text(f"{BOOT_NS},2048\n{BOOT_NS + 10_000_000},2050\n")
    jaw = read(session).streams["jaw_ticks"]
    assert jaw.data.tolist() == [2048, 2050]
    assert jaw.stamps.tolist() == [BOOT_NS, BOOT_NS + 10_000_000]


def test_a_mapping_session_says_so(session, read):
    session.metadata(session_type="MAPPING")
    assert read(session).attributes["session_type"] == "MAPPING"


def test_a_gopro_file_that_lies_elsewhere_may_follow_the_session(session, gopro_file, read):
    assert "gopro_video" in read(session, gopro_file).streams


def test_every_stream_that_comes_back_is_declared(new_session, tmp_path, read):
    outputs = read(new_session(tmp_path / "declared"))
    assert outputs.streams.keys() <= PolyumiSession.ports(PolyumiSessionConfig()).outputs.keys()


def test_non_ascii_and_spaces_in_the_path_do_no_harm(new_session, tmp_path, read):
    outputs = read(new_session(tmp_path / "Sitzung für Jürgen – 測試 1"))
    assert {"gopro_video", "finger_video", "contact_audio"} <= outputs.streams.keys()
    assert outputs.notes == ()


def test_chapters_under_the_camera_s_own_names_are_joined(session, tmp_path, read):
    demo = DemoRecording(duration_s=2.0, width=64, height=48, chapters=2, creation_time="2026-01-01T12:00:01Z")
    write_demo_recording(session.path, demo)
    outputs = read(session)
    assert [file.path.name for file in outputs.streams["gopro_video"].files] == ["GX010001.MP4", "GX020001.MP4"]
    assert outputs.attributes["gopro_evidence"]["duration"]["says"] == "agrees"


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [({"orientation": "no such"}, "axes X, Y and Z"), ({"extra_streams": ("W!",)}, "no name")],
)
def test_what_no_gopro_has_is_refused_when_the_settings_are_read(setting, sentence):
    with pytest.raises(ValueError, match=sentence):
        PolyumiSessionConfig(**setting)
