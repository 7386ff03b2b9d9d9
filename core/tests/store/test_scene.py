import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import attrs
import numpy as np
import pytest
import zarr

from handloom.errors import StoreError
from handloom.store import FileHashes, Scene, StepKey, create_scene


def _same(a, b):
    for name in ("data", "stamps", "knots", "tracked", "pts", "keyframes"):
        left, right = getattr(a, name, None), getattr(b, name, None)
        assert (left is None) == (right is None), name
        if left is not None:
            assert left.dtype == right.dtype, name
            np.testing.assert_array_equal(left, right)
    assert a.type == b.type
    assert a.attributes == b.attributes


@pytest.mark.parametrize("name", ["acceleration", "audio", "pose"])
def test_samples_come_back_as_they_were_written(bench, made, name):
    stream = made[name]()
    bench.commit(made["camera"], {name: stream})
    with bench.scene("r") as scene:
        _same(scene.stream(made["camera"], name), stream)


def test_a_video_comes_back_with_its_files_in_the_scene(bench, made, film):
    written = made["video"](film)
    bench.commit(made["camera"], {"video": written})
    read = bench.scene("r").stream(made["camera"], "video")
    _same(read, written)
    assert read.files == (attrs.evolve(written.files[0], path=read.files[0].path),)
    assert read.files[0].path.parent == bench.path / "media"
    assert read.files[0].path.suffix == ".mp4"
    assert read.files[0].path.read_bytes() == film.read_bytes()
    assert (read.rotation_deg, read.codec) == (90, "h264")


def test_no_absolute_path_is_in_a_store(bench, made, film):
    bench.commit(made["camera"], {"video": made["video"](film)}, sources=(FileHashes().of(film),))
    texts = [path.read_bytes() for path in bench.path.rglob("*.json")]
    assert texts
    assert not any(str(film.parent).encode() in text for text in texts)


def test_a_missing_media_file_is_a_sentence_with_the_recorded_name(bench, made, film):
    bench.commit(made["camera"], {"video": made["video"](film)})
    next((bench.path / "media").glob("*.mp4")).unlink()
    with pytest.raises(StoreError, match=r"needs media/.*recorded as 'Aufnahme 1.MP4'"):
        bench.scene("r").stream(made["camera"], "video")


def test_plain_zarr_walks_and_reads_a_scene_without_a_warning(bench, made, film):
    pose = made["pose"]()
    bench.commit(made["camera"], {"video": made["video"](film), "audio": made["audio"]()})
    bench.commit(made["track"], {"pose": pose}, attributes={"coverage": 0.9}, notes=("7 rows are lost.",))
    group = zarr.open_group(bench.path, mode="r")
    members = dict(group.members(max_depth=None))
    np.testing.assert_array_equal(members["episodes/épisode 1/annotations/track/pose/data"][:], pose.data)
    np.testing.assert_array_equal(members["episodes/épisode 1/annotations/track/pose/tracked"][:], pose.tracked)
    assert members["episodes/épisode 1/annotations/track"].attrs["attributes"] == {"coverage": 0.9}
    assert members["episodes/épisode 1/annotations/track"].attrs["notes"] == ["7 rows are lost."]


def test_attributes_notes_and_provenance_come_back(bench, made):
    inputs = {"episodes/épisode 1/camera": "ab"}
    bench.commit(
        made["map"],
        {},
        attributes={"scale": 1.5, "count": np.int64(3)},
        notes=("Nothing lost.",),
        inputs=inputs,
        settings={"rate_hz": 60},
    )
    record = bench.scene("r").read(made["map"])
    assert record.attributes == {"scale": 1.5, "count": 3}
    assert record.notes == ("Nothing lost.",)
    assert record.provenance == bench.provenance(inputs=inputs, settings={"rate_hz": 60})


def test_a_second_writer_is_refused_and_told_the_process(bench):
    with bench.scene(), pytest.raises(StoreError, match=f"process {os.getpid()}"):
        bench.scene()
    bench.scene().close()


def test_another_process_is_refused_until_the_first_one_dies(bench):
    code = (
        "import sys, time; from handloom.store import Scene; s = Scene.open(sys.argv[1], 'w');"
        "print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(bench.path)], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(StoreError, match=f"process {other.pid}"):
            bench.scene()
        assert bench.scene("r").episodes() == ()
        other.kill()
        other.wait()
        bench.scene().close()


def test_a_scene_opened_for_reading_refuses_to_write(bench, made):
    with pytest.raises(StoreError, match="mode 'w'"):
        bench.scene("r").fail(made["map"], "no", bench.provenance())


def test_a_moved_or_read_only_copy_still_opens(bench, made, film, tmp_path):
    bench.commit(made["camera"], {"video": made["video"](film)})
    moved = bench.path.rename(tmp_path / "umgezogen")
    copy = shutil.copytree(moved, tmp_path / "copy")
    for path in [*copy.rglob("*"), copy]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (moved, copy):
        assert Scene.open(path).stream(made["camera"], "video").files[0].path.is_file()
    for path in [*copy.rglob("*"), copy]:
        path.chmod(0o755)


def test_a_group_without_a_valid_commit_is_refused(bench, made):
    bench.commit(made["camera"], {"audio": made["audio"]()})
    record = bench.path / made["camera"].path / "record" / "commit.json"
    record.write_text(record.read_text().replace('"audio/data": "', '"audio/data": "0'))
    with pytest.raises(StoreError, match=r"no valid commit\.json"):
        bench.scene("r").stream(made["camera"], "audio")
    assert bench.scene("r").ledger() == {}


@pytest.mark.parametrize("harm", ["missing", "torn", "exchanged"])
def test_a_damaged_chunk_is_refused_not_read_as_zeros(bench, made, harm):
    bench.commit(made["camera"], {"audio": made["audio"]()})
    bench.commit(made["track"], {"audio": made["audio"](seed=1)})
    chunk, other = (bench.path / made[step].path / "audio" / "data" / "c.0.0" for step in ("camera", "track"))
    if harm == "missing":
        chunk.unlink()
    else:
        chunk.write_bytes(chunk.read_bytes()[:-100] if harm == "torn" else other.read_bytes())
    with pytest.raises(StoreError, match="damaged"):
        bench.scene("r").stream(made["camera"], "audio")


def test_an_unknown_stream_is_answered_with_the_nearest(bench, made):
    bench.commit(made["camera"], {"audio": made["audio"]()})
    with pytest.raises(StoreError, match="did you mean 'audio'"):
        bench.scene("r").stream(made["camera"], "adio")


def test_a_directory_with_other_files_is_not_made_a_scene(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match=r"letter\.txt"):
        create_scene(tmp_path)
    with pytest.raises(StoreError, match="not a scene"):
        Scene.open(tmp_path)


def test_a_scene_keeps_its_rig_and_refuses_another(tmp_path):
    path = create_scene(tmp_path / "scene", rig="hand")
    assert Scene.open(path).rig == "hand"
    assert create_scene(path, rig="hand") == path
    with pytest.raises(StoreError, match="made for rig 'hand', not 'arm'"):
        create_scene(path, rig="arm")
    create_scene(path)


def test_a_newer_schema_is_refused(bench):
    root = bench.path / "zarr.json"
    root.write_text(root.read_text().replace('"handloom_schema": 1', '"handloom_schema": 2'))
    for mode in ("r", "w"):
        with pytest.raises(StoreError, match="schema 2"):
            bench.scene(mode)


def test_the_same_results_have_the_same_digest_and_bytes(bench, made):
    first = bench.commit(made["camera"], {"audio": made["audio"]()})
    before = {p: p.read_bytes() for p in bench.path.rglob("*") if p.is_file() and p.name != "commit.json"}
    second = bench.commit(made["camera"], {"audio": made["audio"]()}, version="0.2.0")
    after = {p: p.read_bytes() for p in bench.path.rglob("*") if p.is_file() and p.name != "commit.json"}
    assert first.digest == second.digest
    assert before == after
    assert bench.commit(made["camera"], {"audio": made["audio"](seed=1)}).digest != first.digest


def test_a_failure_keeps_the_good_results_and_the_next_commit_removes_it(bench, made):
    commit = bench.commit(made["camera"], {"audio": made["audio"]()})
    with bench.scene() as scene:
        scene.fail(made["camera"], "The file is short.", bench.provenance(version="0.2.0"))
        entry = scene.ledger()[made["camera"]]
        assert (entry.outcome, entry.reason, entry.digest) == ("failed", "The file is short.", commit.digest)
        assert entry.provenance.version == "0.2.0"
        assert len(scene.stream(made["camera"], "audio")) == 4000
    bench.commit(made["camera"], {"audio": made["audio"](seed=1)})
    assert bench.scene("r").ledger()[made["camera"]].outcome == "committed"


def test_a_step_that_only_failed_has_no_results(bench):
    key = StepKey("align", "2")
    with bench.scene() as scene:
        scene.fail(key, "No chirp was heard.", bench.provenance())
        assert scene.ledger()[key].digest is None
        with pytest.raises(StoreError, match="no valid commit"):
            scene.read(key)
        assert scene.episodes() == ("2",)


def test_results_that_are_not_committed_are_discarded(bench, made):
    with bench.scene() as scene:
        finished = bench.finish(made["camera"], {"audio": made["audio"]()})
        scene.discard(finished)
        with pytest.raises(StoreError, match="no finished results"):
            scene.commit(finished)
    assert not list(bench.path.glob(".staging-*"))


def test_a_step_that_raises_leaves_nothing(bench, made):
    with pytest.raises(StoreError, match="twice"):
        bench_write_twice(bench, made)
    assert not list(bench.path.glob(".staging-*"))


def bench_write_twice(bench, made):
    from handloom.store import stage

    with stage(bench.path, made["camera"], provenance=bench.provenance()) as staged:
        staged.write("audio", made["audio"]())
        staged.write("audio", made["audio"]())


def test_a_reader_beside_a_writer_sees_old_or_new_and_nothing_else(bench, made):
    known = {made["audio"](seed=seed).data.tobytes() for seed in (0, 1)}
    bench.commit(made["camera"], {"audio": made["audio"](seed=0)})
    reader, seen = bench.scene("r"), set()
    with bench.scene() as writer, ThreadPoolExecutor(1) as pool:

        def replace_often():
            for turn in range(12):
                writer.commit(bench.finish(made["camera"], {"audio": made["audio"](seed=(turn + 1) % 2)}))

        writing = pool.submit(replace_often)
        while not writing.done():
            seen.add(reader.stream(made["camera"], "audio").data.tobytes())
        writing.result()
    assert seen == known


def test_a_reader_follows_results_that_are_replaced_meanwhile(bench, made):
    bench.commit(made["camera"], {"audio": made["audio"]()})
    group = bench.path / made["camera"].path
    group.rename(bench.path / ".old-1")
    reader = bench.scene("r")
    assert reader.stream(made["camera"], "audio").data[0, 0] == made["audio"]().data[0, 0]
    assert (bench.path / ".old-1").exists()
    with bench.scene() as writer:
        assert "Brought back" in writer.repairs[0]
    assert group.exists()
