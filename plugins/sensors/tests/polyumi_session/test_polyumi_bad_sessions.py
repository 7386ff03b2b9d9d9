"""Spoilt sessions: each loses what is spoilt and nothing else, and a sentence says what."""

import json
import re
import shutil

import numpy as np
import pytest

from handloom.api import clock_map_of
from handloom.errors import RecordingError

BOOT_NS = 5_000_000_000_000
WALL_NS = 1_767_268_800_250_000_000
PERIOD_NS = 100_000_000


def only_note(outputs, *words):
    """Return the one note that has all the words."""
    found = [note for note in outputs.notes if all(word in note for word in words)]
    assert len(found) == 1, outputs.notes
    return found[0]


def test_without_sound_the_pictures_are_all_there(session, read):
    (session.path / "audio.wav").unlink()
    outputs = read(session)
    assert len(outputs.streams["finger_video"]) == 20
    assert "contact_audio" not in outputs.streams
    only_note(outputs, "no audio.wav")


def test_without_a_gopro_file_the_rest_is_all_there(session, read):
    outputs = read(session)
    assert not [name for name in outputs.streams if name.startswith("gopro_")]
    assert {"finger_video", "contact_audio", "air_audio"} <= outputs.streams.keys()
    only_note(outputs, "no gopro.mp4")
    assert outputs.attributes["gopro_evidence"] == {}


def test_another_session_s_gopro_file_costs_its_own_streams_and_says_how_far_off_it_is(
    new_session, tmp_path, read
):
    session = new_session(tmp_path / "wrong")
    session.metadata(gopro_sync_time="2026-01-01T11:58:30+00:00", duration_s=12.0)
    outputs = read(session)
    assert not [name for name in outputs.streams if name.startswith("gopro_")]
    assert {"finger_video", "contact_audio", "air_audio", "pi_to_wall"} <= outputs.streams.keys()
    (note,) = (note for note in outputs.notes if "GoPro" in note)
    assert re.search(r"not this session's: it was begun 91\.0 s after .* 10\.0 s shorter", note)
    assert outputs.attributes["gopro_evidence"]["creation_time"]["says"] == "contradicts"


def test_a_session_of_nothing_but_a_wrong_gopro_file_is_refused(new_session, tmp_path, read):
    session = new_session(tmp_path / "wrong")
    session.metadata(gopro_sync_time="2026-01-01T11:58:30+00:00", first_frame_metadata=None)
    shutil.rmtree(session.video)
    (session.path / "audio.wav").unlink()
    with pytest.raises(RecordingError, match="not this session's"):
        read(session)


def test_a_wrong_gopro_file_of_the_right_length_is_not_called_longer(new_session, tmp_path, read):
    session = new_session(tmp_path / "wrong")
    session.metadata(gopro_sync_time="2026-01-01T11:58:30+00:00")
    only_note(
        read(session), "91.0 s after the Pi set the camera's clock and started it (expected within 3 s). Its"
    )


def test_a_wrong_gopro_file_is_let_through_only_where_the_config_says_so(new_session, tmp_path, read):
    session = new_session(tmp_path / "wrong")
    session.metadata(gopro_sync_time="2026-01-01T11:58:30+00:00")
    outputs = read(session, refuse_wrong_gopro=False)
    assert "gopro_video" in outputs.streams
    only_note(outputs, "not this session's")
    assert outputs.attributes["gopro_evidence"]["creation_time"]["says"] == "contradicts"


def test_a_camera_on_local_time_is_matched_with_its_zone_said(new_session, tmp_path, read):
    session = new_session(tmp_path / "zone")
    session.metadata(gopro_sync_time="2026-01-01T17:30:00.2+00:00")
    outputs = read(session)
    only_note(outputs, "-5.5 h", "time zone")
    assert outputs.attributes["gopro_evidence"]["creation_time"]["zone_s"] == -19_800


def test_a_whole_zone_away_and_of_another_length_is_another_session_s(new_session, tmp_path, read):
    session = new_session(tmp_path / "hour")
    session.metadata(gopro_sync_time="2026-01-01T11:00:00.2+00:00", duration_s=30.0)
    outputs = read(session)
    assert "gopro_video" not in outputs.streams
    assert any("not this session's" in note for note in outputs.notes)


def test_a_gopro_file_that_nothing_dates_is_said_to_be_weakly_matched(new_session, tmp_path, read):
    session = new_session(tmp_path / "undated")
    session.metadata(gopro_sync_time=None)
    only_note(read(session), "Nothing dated ties the GoPro file")


def test_a_gopro_file_that_was_re_encoded_still_gives_pictures_and_sound(new_session, tmp_path, read, shared_data):
    session = new_session(tmp_path / "plain")
    session.metadata(gopro_sync_time=None)
    phone = shared_data / "misc" / "phone-no-telemetry.mp4"
    (session.path / "gopro.mp4").write_bytes(phone.read_bytes())
    outputs = read(session)
    assert "gopro_video" in outputs.streams
    assert "gopro_gyroscope" not in outputs.streams
    assert str(session.path) not in only_note(outputs, "no GoPro telemetry track")


def test_a_broken_gopro_file_costs_only_its_own_streams(new_session, tmp_path, read):
    session = new_session(tmp_path / "broken")
    whole = (session.path / "gopro.mp4").read_bytes()
    (session.path / "gopro.mp4").write_bytes(whole[: len(whole) // 2])
    outputs = read(session)
    assert {"finger_video", "contact_audio"} <= outputs.streams.keys()
    assert not [name for name in outputs.streams if name.startswith("gopro_")]
    only_note(outputs, "The GoPro's streams are left out", "no readable index")


@pytest.mark.parametrize("text", [None, "", '{"session_id": "one", "crea', "[1, 2]"])
def test_metadata_that_are_lost_cost_the_clock_map_and_the_sound_s_place(session, read, text):
    path = session.path / "metadata.json"
    path.unlink()
    if text is not None:
        path.write_text(text)
    outputs = read(session)
    assert outputs.streams.keys() == {"finger_video", "contact_audio_unplaced", "air_audio_unplaced"}
    assert outputs.streams["contact_audio_unplaced"].type.clock == "@/sound"
    only_note(outputs, "metadata.json", "Lost with it")
    only_note(outputs, "can't be mapped to the date")
    only_note(outputs, "kept apart")


def test_anchors_lost_at_an_unclean_shutdown_leave_no_clock_map(session, read):
    session.metadata(first_frame_metadata=None, audio_start_time_ns=None, duration_s=None)
    outputs = read(session)
    assert "pi_to_wall" not in outputs.streams
    assert "contact_audio_unplaced" in outputs.streams
    assert len(outputs.streams["finger_video"]) == 20
    only_note(outputs, "no SensorTimestamp and no FrameWallClock", "shut down cleanly")


def test_an_anchor_of_another_recording_is_not_believed(session, read):
    session.metadata(first_frame_metadata={"SensorTimestamp": 77_000_000_000, "FrameWallClock": WALL_NS})
    outputs = read(session)
    assert "pi_to_wall" not in outputs.streams
    only_note(outputs, "not of one recording")


def test_frames_that_the_list_jumps_over_are_counted_with_their_span(session, read):
    session.stamps(row for row in session.rows() if row[0] not in (7, 8, 9))
    outputs = read(session)
    video = outputs.streams["finger_video"]
    assert video.stamps.tolist() == [stamp for number, stamp in session.rows() if number not in (7, 8, 9)]
    assert video.attributes["frame_numbers_jump"] == [[6, 10]]
    only_note(outputs, "3 frames are missing from the list", "after frame 6", "0.400 s")


def test_a_frame_without_its_picture_is_left_out_and_named(session, read):
    (session.video / "frame_000004.jpg").unlink()
    outputs = read(session)
    assert len(outputs.streams["finger_video"]) == 19
    only_note(outputs, "1 frames have no picture", "(4)")


def test_a_picture_without_a_stamp_is_left_out_and_named(session, read):
    session.stamps(session.rows()[:-1])
    outputs = read(session)
    assert len(outputs.streams["finger_video"]) == 19
    only_note(outputs, "1 frames have no stamp", "(19)")


@pytest.mark.parametrize("spoil", [lambda data: data[:-40], lambda data: b"", lambda data: b"no picture"])
def test_a_picture_cut_off_by_a_power_loss_is_left_out(session, read, spoil):
    path = session.video / "frame_000019.jpg"
    path.write_bytes(spoil(path.read_bytes()))
    outputs = read(session)
    assert len(outputs.streams["finger_video"]) == 19
    only_note(outputs, "1 frames are no whole JPEG", "(19)")


def test_the_pictures_own_size_is_believed_and_the_stretch_told(session, read):
    session.metadata(camera_resolution=[620, 480])
    outputs = read(session)
    assert outputs.streams["finger_video"].type.shape == (48, 64, 3)
    only_note(outputs, "pictures are 64 x 48 and the metadata say 620 x 480")
    only_note(outputs, "stretched 1.032 times")


def test_a_picture_of_another_size_in_the_middle_is_left_out(session, read, jpeg):
    session.frame(11, jpeg(11, width=32, height=32))
    outputs = read(session)
    video = outputs.streams["finger_video"]
    assert len(video) == 19
    assert BOOT_NS + 11 * PERIOD_NS not in video.stamps
    only_note(outputs, "1 frames have another size than 64 x 48", "(11)")


def test_pictures_of_two_cameras_are_refused(session, read, jpeg):
    for number in range(10):
        session.frame(number, jpeg(number, width=32, height=32))
    with pytest.raises(RecordingError, match="10 of 32 x 32, 10 of 64 x 48"):
        read(session)


def test_an_empty_video_folder_is_a_note(session, read):
    for path in session.video.iterdir():
        path.unlink()
    outputs = read(session)
    assert "finger_video" not in outputs.streams
    assert "contact_audio" in outputs.streams
    only_note(outputs, "no pictures of the finger camera")


def test_a_lost_list_of_stamps_is_a_note(session, read):
    (session.video / "video_timestamps.csv").unlink()
    outputs = read(session)
    assert "finger_video" not in outputs.streams
    only_note(outputs, "holds no stamp of a frame", "20 pictures")


def test_a_last_line_that_breaks_off_costs_that_frame(session, read):
    path = session.video / "video_timestamps.csv"
    path.write_text(path.read_text() + "20,")
    outputs = read(session)
    assert len(outputs.streams["finger_video"]) == 20
    only_note(outputs, "1 lines are no frame number and stamp", "line 21")


def test_a_clock_set_back_in_mid_episode_ends_the_frames_there(session, read):
    session.stamps((number, stamp - 3_000_000_000 * (number >= 12)) for number, stamp in session.rows())
    outputs = read(session)
    assert outputs.streams["finger_video"].stamps.tolist() == [stamp for _, stamp in session.rows()[:12]]
    assert len(outputs.streams["contact_audio"]) == 32_000
    only_note(outputs, "clock jumps by -3.000 s at frame 12", "8 frames")


def test_a_clock_set_ahead_in_mid_episode_ends_the_frames_there(session, read):
    session.stamps((number, stamp + 3_000_000_000 * (number >= 12)) for number, stamp in session.rows())
    outputs = read(session)
    assert len(outputs.streams["finger_video"]) == 12
    only_note(outputs, "clock jumps by +3.000 s at frame 12", "8 frames")


def test_a_stall_that_the_sound_lasts_through_is_a_gap_and_no_jump(session, read):
    session.sound(np.ones((5 * 16_000, 2)))
    session.metadata(duration_s=5.0, n_audio_chunks=250)
    session.stamps((number, stamp + 3_000_000_000 * (number >= 12)) for number, stamp in session.rows())
    outputs = read(session)
    assert len(outputs.streams["finger_video"]) == 20
    only_note(outputs, "1 gaps", "about 30 frames", "before frame 12")


def test_stamps_that_are_dates_make_the_clock_the_date(session, read):
    session.stamps((number, WALL_NS + number * PERIOD_NS) for number in range(20))
    outputs = read(session)
    assert int(clock_map_of(outputs.streams["pi_to_wall"]).apply(WALL_NS)) == WALL_NS
    assert int(outputs.streams["contact_audio"].knots[0, 1]) == WALL_NS + 7_000_000
    only_note(outputs, "stamps are dates")


def test_a_start_of_the_sound_on_the_pi_s_own_clock_is_taken_as_that(session, read):
    session.metadata(audio_start_time_ns=BOOT_NS + 9_000_000)
    audio = read(session).streams["contact_audio"]
    assert int(audio.knots[0, 1]) == BOOT_NS + 9_000_000
    assert "on the Pi's clock" in audio.attributes["start_from"]


def test_a_late_start_of_the_sound_is_moved_when_the_config_knows_it(session, read):
    outputs = read(session, audio_start="callback")
    assert int(outputs.streams["contact_audio"].knots[0, 1]) == BOOT_NS + 7_000_000 - 20_000_000
    only_note(outputs, "20 ms earlier than written")


def test_a_start_that_may_be_late_is_used_as_written_and_its_uncertainty_said(session, read):
    session.metadata(scene_started_at=None)
    outputs = read(session)
    audio = outputs.streams["contact_audio"]
    assert int(audio.knots[0, 1]) == BOOT_NS + 7_000_000
    assert audio.attributes["start_uncertainty_ns"] > 19e6
    only_note(outputs, "about 20 ms later")


def test_a_silent_track_is_told(session, read):
    values = np.random.default_rng(0).integers(-999, 999, (32_000, 2))
    values[:, 1] = 0
    session.sound(values)
    only_note(read(session), "air_audio is silent")


def test_a_sound_file_cut_off_before_its_first_sample_is_a_note(session, read):
    path = session.path / "audio.wav"
    path.write_bytes(path.read_bytes()[:44])
    outputs = read(session)
    assert "contact_audio" not in outputs.streams
    assert str(session.path) not in only_note(outputs, "audio.wav can't be read")


def test_sound_whose_header_was_never_completed_is_read_to_its_end(session, read):
    path = session.path / "audio.wav"
    data = bytearray(path.read_bytes())
    data[40:44] = bytes(4)
    path.write_bytes(data)
    assert len(read(session).streams["contact_audio"]) == 32_000


def test_sound_of_one_channel_is_the_contact_microphone_s(session, read):
    session.sound(channels=1)
    outputs = read(session)
    assert "contact_audio" in outputs.streams
    assert "air_audio" not in outputs.streams
    only_note(outputs, "1 channels where 2 were expected")


def test_blocks_of_sound_that_were_dropped_are_told(session, read):
    session.metadata(audio_dropped_chunks=3, n_audio_chunks=103)
    outputs = read(session)
    only_note(outputs, "3 blocks of sound were dropped", "60 ms")
    only_note(outputs, "2.000 s", "2.060 s")


def test_a_directory_without_anything_of_a_session_is_refused(tmp_path, read, session):
    session.path = tmp_path / "empty"
    session.path.mkdir()
    (session.path / "metadata.json").write_text(json.dumps({"session_id": "x"}))
    with pytest.raises(RecordingError, match="holds nothing that can be read"):
        read(session)


def test_a_file_in_place_of_a_directory_is_refused(session, read):
    session.path = session.path / "metadata.json"
    with pytest.raises(RecordingError, match=r"metadata\.json: the session directory is a file"):
        read(session)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"duration_s": ' + "9" * 5000 + "}"])
def test_metadata_that_no_pi_writes_costs_only_what_stood_in_it(session, read, text):
    (session.path / "metadata.json").write_text(text)
    outputs = read(session)
    assert "finger_video" in outputs.streams
    only_note(outputs, "no JSON that a Pi writes", "Lost with it")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_missing_and_not_kept(session, read, number):
    path = session.path / "metadata.json"
    path.write_text(path.read_text().replace('"duration_s": 2.0', f'"duration_s": {number}, "task": {number}'))
    assert number in path.read_text()
    json.dumps(dict(read(session).attributes), allow_nan=False)
