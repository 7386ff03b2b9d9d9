"""Kill, or fill the disk, at every single operation: the store stays whole and running again ends the same."""

import contextlib
import errno
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from handloom.errors import StoreError
from handloom.store import Disk, Scene, StepKey, stage

OLD_SEED, NEW_SEED = 1, 2
OTHER = StepKey("other", "épisode 1")
START = "2026-01-01T00:00:00+00:00"

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


class QuickDisk(Disk):
    """Does not wait for the medium: a killed process loses nothing that it has written."""

    def flush(self, path):
        pass


class FaultyDisk(QuickDisk):
    """Does the fatal thing at the n-th operation; a write is half done by then."""

    def __init__(self, fatal, act):
        self.count, self._fatal, self._act = 0, fatal, act

    def before(self, operation, path):
        self.count += 1
        if self.count == self._fatal:
            self._act(path)

    def write(self, path, data):
        if self.count + 1 == self._fatal:
            with path.open("xb") as file:
                file.write(data[: len(data) // 2])
        super().write(path, data)


def kill(path):
    os.kill(os.getpid(), signal.SIGKILL)


def full_once(path):
    raise OSError(errno.ENOSPC, "No space left on device", str(path))


class FullDisk(FaultyDisk):
    """Is full from the n-th operation on: nothing more can be made or written, only removed and renamed."""

    def before(self, operation, path):
        self.count += 1
        if self.count >= self._fatal and operation in ("mkdir", "write", "sync", "place"):
            full_once(path)


class Play:
    """Ways to change a scene whose every operation is a place to be killed."""

    def __init__(self, bench, made, film):
        self.bench, self.made, self.film = bench, made, film
        self.key = made["camera"]

    def streams(self, seed):
        film = self.film.with_name(f"take {seed}.mp4")
        return {
            "audio": self.made["audio"](seed=seed),
            "acceleration": self.made["acceleration"](seed=seed),
            "video": self.made["video"](film),
        }

    def prepare(self, *, committed):
        for seed in (OLD_SEED, NEW_SEED):
            self.film.with_name(f"take {seed}.mp4").write_bytes(bytes([seed]) * 5000)
        shutil.rmtree(self.bench.path)
        with self.bench.scene(disk=QuickDisk()) as scene:
            scene.commit(self._finish(OTHER, {"pose": self.made["pose"]()}, QuickDisk()))
            if committed:
                scene.commit(self._finish(self.key, self.streams(OLD_SEED), QuickDisk()))

    def run(self, path, disk):
        with Scene.open(path, "w", create=True, disk=disk, now=lambda: START) as scene:
            scene.commit(self._finish(self.key, self.streams(NEW_SEED), disk, path))

    def fail(self, path, disk):
        with Scene.open(path, "w", create=True, disk=disk, now=lambda: START) as scene:
            scene.fail(self.key, "The file is short.", self.bench.provenance())

    def _finish(self, key, streams, disk, path=None):
        where = path or self.bench.path
        with stage(where, key, provenance=self.bench.provenance(), disk=disk, now=lambda: START) as staged:
            for name in sorted(streams):
                staged.write(name, streams[name])
            staged.notes = ("Seed kept.",)
            return staged.finish()

    def seed_of(self, scene):
        """Return the seed whose bytes the scene holds, None when the step has no results."""
        try:
            read = {name: scene.stream(self.key, name) for name in ("audio", "acceleration", "video")}
        except StoreError:
            assert scene.ledger().get(self.key) is None or scene.ledger()[self.key].digest is None
            return None
        fits = [
            seed
            for seed in (OLD_SEED, NEW_SEED)
            if np.array_equal(read["audio"].data, self.streams(seed)["audio"].data)
            and np.array_equal(read["acceleration"].data, self.streams(seed)["acceleration"].data)
            and read["video"].files[0].path.read_bytes() == bytes([seed]) * 5000
        ]
        assert len(fits) == 1, "neither the old bytes nor the new ones"
        return fits[0]


@pytest.fixture
def tmp_path(tmp_path):
    """Prefer memory: thousands of small files are written, and a kill is no power cut."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
def play(bench, made, film):
    return Play(bench, made, film)


def contents(path):
    """Return every file of a scene apart from the lock."""
    files = {p.relative_to(path).as_posix(): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}
    files.pop("record/lock", None)
    return files


def killed(work):
    """Run in a forked process; say whether it was killed."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the run failed of itself"
    return os.WIFSIGNALED(status)


def crashes(play, act, path):
    """Yield the number of each operation, the copy of the scene having been killed there."""
    for fatal in itertools.count(1):
        shutil.rmtree(path, ignore_errors=True)
        if play.bench.path.exists():
            shutil.copytree(play.bench.path, path)
        if not killed(lambda fatal=fatal: act(path, FaultyDisk(fatal, kill))):
            return
        yield fatal


slow = pytest.mark.slow
needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def allowed_seeds(act, *, committed):
    before = {OLD_SEED if committed else None}
    return before | {NEW_SEED} if act == "run" else before


@slow
@needs_fork
@pytest.mark.parametrize("committed", [False, True], ids=["first", "again"])
@pytest.mark.parametrize("act", ["run", "fail"])
def test_a_kill_at_any_operation_leaves_old_or_new_and_a_redo_gives_the_same_bytes(play, tmp_path, act, committed):
    play.prepare(committed=committed)
    action, path, allowed = getattr(play, act), tmp_path / "crashed", allowed_seeds(act, committed=committed)
    undisturbed = shutil.copytree(play.bench.path, tmp_path / "undisturbed")
    action(undisturbed, QuickDisk())
    expected, seen, points = contents(undisturbed), set(), 0
    for points in crashes(play, action, path):
        found = play.seed_of(Scene.open(path))
        seen.add(found)
        with Scene.open(path, "w", disk=QuickDisk()) as scene:
            assert play.seed_of(scene) == found, "repair and reader disagree"
            assert len(scene.stream(OTHER, "pose")) == 50
        assert not [p.name for p in path.iterdir() if p.name.startswith(".")]
        action(path, QuickDisk())
        assert contents(path) == expected, f"redone after a kill at operation {points}"
    assert seen == allowed
    assert points > (60 if act == "run" else 3)


@needs_fork
def test_a_kill_while_a_scene_is_made_leaves_none_or_one(play, tmp_path):
    play.prepare(committed=False)
    shutil.rmtree(play.bench.path)
    path = tmp_path / "crashed"
    for _ in crashes(play, lambda p, disk: Scene.open(p, "w", create=True, rig="hand", disk=disk), path):
        with Scene.open(path, "w", create=True, rig="hand") as scene:
            assert (scene.episodes(), scene.rig) == ((), "hand")


@slow
@needs_fork
def test_a_kill_while_repairing_is_repaired_too(play, tmp_path):
    play.prepare(committed=True)
    first, second = tmp_path / "crashed", tmp_path / "crashed twice"
    for fatal in crashes(play, play.run, first):
        if fatal % 13:
            continue
        found = play.seed_of(Scene.open(first))
        for again in itertools.count(1, 7):
            shutil.rmtree(second, ignore_errors=True)
            shutil.copytree(first, second)
            if not killed(lambda again=again: Scene.open(second, "w", disk=FaultyDisk(again, kill))):
                break
            with Scene.open(second, "w", disk=QuickDisk()) as scene:
                assert play.seed_of(scene) == found
            assert not [p.name for p in second.iterdir() if p.name.startswith(".")]


def told_that_full(work):
    """Run; say whether it ended with the sentence about a full disk."""
    told = None
    try:
        work()
    except StoreError as error:
        told = str(error)
    assert told is None or (told.startswith("Disk full: ") and "earlier results are untouched" in told)
    return told is not None


@slow
@pytest.mark.parametrize("committed", [False, True], ids=["first", "again"])
@pytest.mark.parametrize("disk_type", [FaultyDisk, FullDisk], ids=["once", "from then on"])
def test_a_full_disk_is_a_sentence_and_costs_no_earlier_result(play, tmp_path, disk_type, committed):
    play.prepare(committed=committed)
    path, told = tmp_path / "full", 0
    for fatal in itertools.count(1, 3):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(play.bench.path, path)
        disk = disk_type(fatal, full_once)
        refused = told_that_full(lambda disk=disk: play.run(path, disk))
        told += refused
        if disk.count < fatal:
            break
        before = OLD_SEED if committed else None
        assert play.seed_of(Scene.open(path)) == (before if refused else NEW_SEED)
        assert not refused or not [p.name for p in path.iterdir() if p.name.startswith(".")]
        with Scene.open(path, "w", disk=QuickDisk()) as scene:
            assert len(scene.stream(OTHER, "pose")) == 50
        play.run(path, QuickDisk())
        assert play.seed_of(Scene.open(path)) == NEW_SEED
    assert told > 15


def test_a_full_disk_while_writing_leaves_no_staging(play):
    play.prepare(committed=True)
    for fatal in range(1, 40):
        with contextlib.suppress(StoreError):
            play._finish(play.key, play.streams(NEW_SEED), FullDisk(fatal, full_once))
        assert not list(play.bench.path.glob(".staging-*"))


def test_the_record_of_a_run_differs_only_in_times_of_day(play, bench, made):
    texts = []
    for _ in range(2):
        bench.commit(made["camera"], {"audio": made["audio"]()})
        values = json.loads((bench.path / made["camera"].path / "record" / "commit.json").read_bytes())
        assert set(values.pop("times")) == {"started", "finished"}
        texts.append(values)
    assert texts[0] == texts[1]
