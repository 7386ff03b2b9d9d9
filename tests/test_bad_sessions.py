"""Every kind of bad session beside a good one, through the whole pipeline: a sentence each, nothing else lost."""

import re
import subprocess
import sys

import numpy as np
import pytest

from handloom.store import verify
from handloom_simulation.truth import read_truth
from tests.sessions_lab import CASES, FROZEN_ROW, FROZEN_ROWS, GOOD, run, write_sessions

for _needed in ("av", "cv2", "scipy", "mujoco"):
    pytest.importorskip(_needed, reason="the whole pipeline needs the extras of simulation and sensors")

UNSYNCED = {"no_audio", "lost_metadata", "cut_chirp_camera", "cut_chirp_pi", "silent_camera", "silent_air"}
LEFT_OUT = {*UNSYNCED, "silent_piezo", "no_gopro", "wrong_gopro", "mirrored", "black", "three_frames"}
KEPT = set(CASES) - LEFT_OUT
SEEN_BY_GOPRO = {"slam", "width", "sharpness", "exposure", "wrist", "sync", "contact"}


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    return write_sessions(tmp_path_factory.mktemp("Aufnahmen von gestern – größer"))


@pytest.fixture(scope="module")
def ran(sessions, tmp_path_factory):
    return run(tmp_path_factory.mktemp("Läufe hier"), sessions[""])


@pytest.fixture(scope="module")
def alone(sessions, tmp_path_factory):
    return run(tmp_path_factory.mktemp("alone"), sessions[""], f"{GOOD[:-1]}?")


def episodes(ran):
    return {episode for episode, _ in ran.outcomes if episode}


def nodes(places, case):
    return {node for episode, node in places if episode == case}


def rows_of(ran, episode, exporter="dataset"):
    """Return the rows of the dataset that came from an episode, by array."""
    import zarr

    (path,) = (ran.folder / exporter).glob("*.zarr.zip")
    runs = ran.provenance(exporter)["episodes"][episode]["runs"]
    with zarr.storage.ZipStore(path, mode="r") as store:
        data = zarr.open_group(store, mode="r", zarr_format=2)["data"]
        return {
            name: np.concatenate([array[slice(*each["rows"])] for each in runs]) for name, array in data.arrays()
        }


def parts(ran, episode, exporter="dataset"):
    return [tuple(each["steps"]) for each in ran.provenance(exporter)["episodes"][episode]["runs"]]


def test_the_good_session_is_the_same_as_alone_to_the_byte(ran, alone):
    assert (ran.code, alone.code) == (1, 0)
    assert episodes(alone) == {GOOD}
    assert len(alone.digests(GOOD)) == 15
    assert ran.digests(GOOD) == alone.digests(GOOD)
    exported = [(each.folder / "mcap" / f"{GOOD}.mcap").read_bytes() for each in (ran, alone)]
    assert exported[0] == exported[1]
    of_all, of_one = rows_of(ran, GOOD), rows_of(alone, GOOD)
    assert of_all.keys() == of_one.keys()
    assert len(of_all["camera0_rgb"]) == 48
    for name, rows in of_all.items():
        np.testing.assert_array_equal(rows, of_one[name], err_msg=name)


def test_the_good_session_is_true(ran, sessions):
    truth = read_truth(sessions["truth"])
    width = ran.stream(GOOD, "width", "width").data
    np.testing.assert_allclose(width, next(iter(truth.values())).width_m, atol=0.001)
    assert ran.notes(GOOD, "verdict") == ""


def test_every_episode_is_in_the_dataset_or_left_out_with_a_reason(ran):
    about = ran.provenance()
    assert set(about["episodes"]) == KEPT
    assert set(about["left_out"]) == LEFT_OUT
    assert episodes(ran) == set(CASES)
    said = ran.notes("", "dataset")
    for episode in LEFT_OUT:
        assert re.search(rf"^Episode '{episode}' is left out: .{{20,}}\.$", said, re.MULTILINE), episode


def test_only_what_a_fault_touches_fails(ran):
    failed = ran.endings("failed")
    assert {case for case, _ in failed} == {*UNSYNCED, "silent_piezo", "no_gopro", "wrong_gopro", "three_frames"}
    for case in UNSYNCED | {"three_frames"}:
        assert nodes(failed, case) == {"sync", "contact", "foxglove"}, case
    assert nodes(failed, "no_gopro") == nodes(failed, "wrong_gopro") == SEEN_BY_GOPRO
    assert nodes(failed, "silent_piezo") == {"contact"}
    skipped = ran.endings("skipped")
    assert {case for case, _ in skipped} == {"no_gopro", "wrong_gopro"}
    assert nodes(skipped, "no_gopro") == nodes(skipped, "wrong_gopro") == {"slam_gaps", "slam_tcp"}


def test_what_is_said_is_a_sentence_of_the_recording_and_never_of_the_program(ran):
    for place, outcome in ran.outcomes.items():
        for said in filter(None, [outcome["reason"], *outcome["notes"]]):
            assert said.endswith("."), (place, said)
            assert not re.search(r"Traceback|\w+Error\b|File \"|None\b|\bnan\b|/tmp|object at 0x", said), (
                place,
                said,
            )


def test_nothing_half_made_is_left_and_all_that_is_kept_holds(ran):
    assert [finding for finding in verify(ran.scene) if finding.is_problem] == []
    assert [
        path for path in ran.folder.rglob(".*") if path.name.startswith((".staging", ".partial", ".old"))
    ] == []
    assert {path.stem for path in (ran.folder / "mcap").iterdir()} == set(CASES) - UNSYNCED - {"three_frames"}
    for exporter in ("dataset", "by_slam"):
        assert {path.name for path in (ran.folder / exporter).iterdir()} == {
            "scene.zarr.zip",
            "scene.provenance.json",
        }


def test_a_second_run_does_nothing_but_say_again_what_failed(ran, sessions):
    again = run(ran.folder, sessions[""])
    assert again.code == 1
    assert again.endings("failed") == ran.endings("failed")
    assert again.endings("committed") == set()


def test_without_audio(ran):
    assert "There is no audio.wav: the session has no sound of its own" in ran.notes("no_audio")
    assert "no 'session.air_audio', which 'second' needs; the notes of 'session' say more" in ran.reason(
        "no_audio", "sync"
    )
    assert np.isfinite(ran.stream("no_audio", "width", "width").data).all()


def test_without_a_gopro_file(ran):
    assert "There is no gopro.mp4: the session has no pictures or sound of a GoPro" in ran.notes("no_gopro")
    assert "no 'session.gopro_video', which 'video' needs; the notes of 'session' say more" in ran.reason(
        "no_gopro", "width"
    )
    assert len(ran.stream("no_gopro", "session", "finger_video", "sensor")) == 25


def test_the_wrong_gopro_file(ran):
    notes = ran.notes("wrong_gopro")
    assert re.search(r"wrong_gopro: the GoPro file is not this session's: it was begun [\d.]+ s before", notes)
    assert "Its streams are left out; put the right file there as gopro.mp4" in notes
    assert "the notes of 'session' say more" in ran.reason("wrong_gopro", "width")
    assert len(ran.stream("wrong_gopro", "session", "finger_video", "sensor")) == 25
    assert np.isfinite(ran.stream("wrong_gopro", "session", "air_audio", "sensor").data).all()


def test_the_right_gopro_file_is_known_by_the_chirp_in_its_sound(ran):
    evidence = ran.attributes(GOOD, "session", "sensor")["gopro_evidence"]
    assert evidence["audio"]["says"] == "agrees"
    assert abs(evidence["audio"]["residual_s"]) < 1.0


def test_metadata_lost(ran):
    notes = ran.notes("lost_metadata")
    assert (
        "no SensorTimestamp and no FrameWallClock of the first frame, which are written only when the Pi" in notes
    )
    assert "The sound is kept apart, as contact_audio_unplaced and air_audio_unplaced" in notes
    assert len(ran.stream("lost_metadata", "session", "air_audio_unplaced", "sensor")) > 30_000


def test_frames_missing_in_the_middle(ran):
    assert "5 frames have no picture and are left out (8, 9, 10, 11, 12)" in ran.notes("missing_frames")
    assert len(parts(ran, "missing_frames")) == 2


def test_a_jpeg_of_another_size_than_the_wire_says(ran):
    notes = ran.notes("odd_jpeg")
    assert "1 frames have another size than 64 x 36 and are left out (9)" in notes
    assert "pictures are 64 x 36 and the metadata say 620 x 480; the pictures are believed" in notes
    assert len(parts(ran, "odd_jpeg")) == 2
    assert rows_of(ran, "odd_jpeg")["finger_rgb"].shape[1:] == (36, 64, 3)


def test_a_clock_jump_in_mid_episode(ran):
    notes = ran.notes("clock_jump")
    assert "The finger camera: the clock jumps by +1.700 s at frame 12; the time of the 13 frames" in notes
    assert "The jaw: the clock jumps by +1.700 s" in notes
    ((start, end),) = parts(ran, "clock_jump")
    assert start < 4
    assert 20 < end < 28


@pytest.mark.parametrize(("case", "track"), [("cut_chirp_camera", "first"), ("cut_chirp_pi", "second")])
def test_a_chirp_cut_off_by_the_start(ran, case, track):
    assert ran.reason(case, "sync").startswith(
        f"The chirp is cut off by the start of the {track} track, which holds 50% of it"
    )


def test_one_track_silent(ran):
    # How many samples AAC gives back depends on the decoder's version.
    silent = r"The first track is silent: all its \d+ samples have one value"
    assert re.search(silent, ran.reason("silent_camera", "sync"))
    assert "The second track is silent: all its" in ran.reason("silent_air", "sync")
    assert "The sound is silent: all its" in ran.reason("silent_piezo", "contact")
    assert "The track contact_audio is silent" in ran.notes("silent_piezo")


def test_tags_mirrored(ran):
    assert "Tags can be read in the mirror image of this video only" in ran.notes("mirrored", "width")
    assert np.isnan(ran.stream("mirrored", "width", "width").data).all()
    assert "low_width_coverage" in ran.provenance()["left_out"]["mirrored"]


def test_a_third_unknown_tag_changes_nothing(ran):
    assert "Tags that are no fingers of gripper 0 were met and left out: 7 (" in ran.notes("stranger", "width")
    theirs, ours = (ran.stream(case, "width", "width").data for case in ("stranger", GOOD))
    np.testing.assert_allclose(theirs, ours, atol=2e-4)


def test_all_frames_black(ran):
    assert (
        ran.notes("black", "width")
        == "51 of 51 frames have no measured width: both tags were in a black frame in 51."
    )
    assert {"too_dark", "low_width_coverage"} <= set(ran.attributes("black", "verdict")["reasons"])
    assert "100% of the frames are dark" in ran.notes("black", "verdict")


def test_an_episode_of_three_frames(ran):
    assert len(ran.stream("three_frames", "session", "gopro_video", "sensor")) == 3
    assert "track lasts 0.1" in ran.reason("three_frames", "sync")
    assert ran.provenance()["left_out"]["three_frames"] == "'session.gopro_video' gives 3 steps; min_steps is 8."


def test_twelve_repeated_pose_rows_are_twelve_gaps_and_split_the_export(ran):
    assert "12 of 51 rows repeat the one before and count as lost" in ran.notes("frozen", "slam_gaps")
    tracked = ran.stream("frozen", "slam_tcp", "pose").tracked
    assert np.flatnonzero(~tracked).tolist() == list(range(FROZEN_ROW, FROZEN_ROW + FROZEN_ROWS))
    (_, before), (after, _) = parts(ran, "frozen", "by_slam")
    assert (before, after) == (FROZEN_ROW, FROZEN_ROW + FROZEN_ROWS)
    assert len(parts(ran, "frozen", "dataset")) == 1


@pytest.fixture(scope="module")
def hopeless(sessions, tmp_path_factory):
    return run(tmp_path_factory.mktemp("hopeless"), sessions[""], "silent_a*")


def test_where_no_session_is_good_there_is_no_dataset_but_reasons(hopeless):
    assert hopeless.code == 1
    assert hopeless.reason("", "by_slam").startswith(
        "No episode can be exported. silent_air: 'verdict.usable' says"
    )
    assert hopeless.outcomes["", "dataset"]["ending"] == "skipped"
    for exporter in ("dataset", "by_slam", "mcap"):
        assert list((hopeless.folder / exporter).glob("*")) == []
    assert np.isfinite(hopeless.stream("silent_air", "width", "width").data).all()


def test_the_report_tells_what_is_wrong(hopeless, tmp_path):
    pytest.importorskip("matplotlib", reason="the report's plots need handloom-exporters[report]")
    from handloom.cli import main

    assert main(["report", str(hopeless.scene), "-o", str(tmp_path / "Bericht.html")]) == 0
    page = (tmp_path / "Bericht.html").read_text(encoding="utf-8")
    for said in ("silent_air", "The second track is silent: all its", "No episode can be exported."):
        assert said in page


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts a small disk as Linux does")
def test_a_full_disk_ends_the_run_with_a_sentence_and_costs_nothing_made(alone, sessions, tmp_path):
    disk = tmp_path / "volle Platte"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2600k", "tmpfs", disk], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"can't mount a small disk here; mount says: {mounted.stderr.strip()}")
    try:
        full = run(disk, sessions[""], f"{GOOD[:-1]}?")
        assert full.code == 1
        assert "Disk full" in full.stopped
        assert full.endings("committed")
        assert [finding for finding in verify(full.scene) if finding.is_problem] == []
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        resumed = run(disk, sessions[""], f"{GOOD[:-1]}?")
        assert resumed.code == 0
        assert resumed.digests(GOOD) == alone.digests(GOOD)
        assert (disk / "dataset" / "scene.zarr.zip").read_bytes() == (
            alone.folder / "dataset" / "scene.zarr.zip"
        ).read_bytes()
    finally:
        subprocess.run(["umount", disk], check=True)
