import shutil

import pytest

from handloom.store import Scene, inspect, verify


@pytest.fixture
def full(bench, made, film):
    bench.commit(made["camera"], {"video": made["video"](film), "audio": made["audio"]()})
    bench.commit(made["track"], {"pose": made["pose"]()}, notes=("7 rows are lost.",))
    bench.commit(made["map"], {}, attributes={"scale": 2.0})
    return bench


def problems(path):
    return {(f.verdict, f.where) for f in verify(path) if f.verdict != "ok"}


def test_a_whole_scene_has_only_good_findings(full):
    findings = verify(full.path)
    assert {f.verdict for f in findings} == {"ok"}
    assert len(findings) == 4  # three steps and one media file


def test_every_flipped_byte_of_results_and_media_is_found(full):
    before = {p: p.read_bytes() for p in full.path.rglob("*") if p.is_file() and p.parent.name != "record"}
    layout = {"episodes", "annotations", "media", full.path.name, "épisode 1"}
    checked = 0
    for path, data in before.items():
        if path.name == "zarr.json" and path.parent.name in layout and path.parent.parent.name != "track":
            continue
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        assert any(f.is_problem for f in verify(full.path)), path
        path.write_bytes(data)
        checked += 1
    assert checked > 15
    assert not problems(full.path)


def test_a_lost_array_stream_and_medium_are_named(full, made):
    camera = made["camera"].path
    shutil.rmtree(full.path / camera / "audio" / "knots")
    shutil.rmtree(full.path / made["track"].path / "pose")
    medium = next((full.path / "media").glob("*.mp4"))
    medium.unlink()
    found = problems(full.path)
    assert ("missing", f"{camera}/audio/knots") in found
    assert ("missing", f"{made['track'].path}/pose") in found
    assert ("missing", f"media/{medium.name}") in found


def test_foreign_files_uncommitted_groups_and_leftovers_are_told_apart(full, made):
    (full.path / "notes.txt").write_text("mine")
    (full.path / made["camera"].path / "audio" / "mine.txt").write_text("mine")
    (full.path / "episodes" / "épisode 1" / "stray").mkdir()
    (full.path / "media" / "old.mp4").write_bytes(b"x")
    (full.path / ".staging-1").mkdir()
    assert problems(full.path) == {
        ("foreign", "notes.txt"),
        ("foreign", f"{made['camera'].path}/audio/mine.txt"),
        ("uncommitted", "episodes/épisode 1/stray"),
        ("unreferenced", "media/old.mp4"),
        ("unfinished", ".staging-1"),
    }


def test_a_failure_is_told_and_no_problem(full, made):
    with full.scene() as scene:
        scene.fail(made["track"], "No tag was seen.", full.provenance())
    assert any("No tag was seen." in f.message for f in verify(full.path))
    assert not problems(full.path)


def test_a_step_in_the_place_of_another_is_found(full, made):
    shutil.move(full.path / made["map"].path, full.path / "annotations" / "chart")
    assert ("damaged", "annotations/chart") in problems(full.path)


def test_a_listing_has_episodes_streams_outcomes_and_sizes(full, made, film):
    with full.scene() as scene:
        scene.fail(made["map"], "No overlap.", full.provenance())
    summary = inspect(full.path)
    camera, track = sorted(summary.episodes["épisode 1"], key=lambda step: step.key.step)
    assert [(s.name, s.count) for s in camera.streams] == [("audio", 4000), ("video", 30)]
    assert camera.streams[0].rate_hz == pytest.approx(16_000)
    assert (camera.streams[0].start_ns, camera.streams[1].end_ns) == (10, 29 * 1001 * 33_333)
    assert track.notes == ("7 rows are lost.",)
    assert [(s.outcome, s.reason) for s in summary.steps] == [("failed", "No overlap.")]
    assert summary.media_bytes == film.stat().st_size
    assert summary.size_bytes > summary.media_bytes + camera.size_bytes


def test_verifying_and_listing_write_nothing(full):
    before = {p: p.stat().st_mtime_ns for p in full.path.rglob("*")}
    verify(full.path)
    inspect(full.path)
    Scene.open(full.path).ledger()
    assert before == {p: p.stat().st_mtime_ns for p in full.path.rglob("*")}
