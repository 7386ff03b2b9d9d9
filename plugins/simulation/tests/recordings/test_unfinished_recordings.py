import os
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest

from handloom.errors import RecordingError
from handloom_simulation.recordings import (
    Demonstration,
    PatternPainter,
    SceneSettings,
    write_polyumi_scene,
    write_umi_session,
)
from handloom_simulation.recordings.unfinished import unfinished

WRITERS = {"polyumi": write_polyumi_scene, "umi": write_umi_session}

DIES_WHILE_FILMING = """
import os, signal, sys, time
from pathlib import Path
from handloom_simulation.recordings.painting import PatternPainter, pictures

class Slow(PatternPainter):
    def paint(self, stamp_ns):
        (Path(sys.argv[-1]) / str(os.getpid())).touch()
        time.sleep(0.02)
        return super().paint(stamp_ns)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts the tests may have them ignore it
    made = pictures(Slow(width=64, height=48), range(5000), workers=2)
    for _ in range(4):
        next(made)
    os.kill(os.getpid(), int(sys.argv[1]))
    next(made)
"""


@attrs.frozen
class Failing:
    """Paints a few pictures and then fails."""

    def paint(self, stamp_ns):
        if stamp_ns > 700_000_000:
            raise RecordingError("The lens fell off.")
        return PatternPainter(width=64, height=48).paint(stamp_ns)


def shown(folder):
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


@pytest.fixture(scope="module")
def take(make_take):
    return make_take(seconds=1.6, chirps=(300_000_000,))


def write(kind, folder, take, wrist):
    painters = {"wrist": wrist, "finger": PatternPainter(width=64, height=36)}
    return WRITERS[kind](folder, (Demonstration(take=take, **painters),), SceneSettings())


@pytest.mark.parametrize("kind", WRITERS)
def test_a_recording_that_fails_leaves_nothing(kind, take, tmp_path):
    with pytest.raises(RecordingError, match="lens"):
        write(kind, tmp_path / "lab", take, Failing())
    assert shown(tmp_path / "lab") == []


@pytest.mark.parametrize("kind", WRITERS)
def test_a_recording_that_is_there_is_not_touched(kind, take, tmp_path):
    painter = PatternPainter(width=64, height=48)
    recorded = write(kind, tmp_path / "lab", take, painter)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert all(path.exists() for path in recorded.sessions)
    with pytest.raises(RecordingError, match="is there already"):
        write(kind, tmp_path / "lab", take, painter)
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}


def test_what_a_killed_process_left_is_hidden_and_makes_room(tmp_path):
    final = tmp_path / "raw_videos"
    with unfinished(final) as partial:
        assert partial.name.startswith(".")
    final.rename(partial)
    (partial / "GX010017.MP4").write_bytes(b"half")
    with unfinished(final) as folder:
        assert shown(folder) == []
        (folder / "whole").touch()
    assert shown(tmp_path) == ["raw_videos", "whole"]


def test_a_place_where_no_folder_can_be_made_is_told_by_name(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RecordingError, match="file"), unfinished(tmp_path / "file" / "raw_videos"):
        pass


@pytest.mark.skipif(os.name != "posix", reason="kills with signals")
@pytest.mark.parametrize("signal", [2, 9, 15])
def test_painting_processes_end_with_the_one_they_paint_for_and_say_nothing(tmp_path, signal):
    script, pids = tmp_path / "film.py", tmp_path / "pids"
    pids.mkdir()
    script.write_text(DIES_WHILE_FILMING)
    ended = subprocess.run(
        [sys.executable, script, str(signal), str(pids)], capture_output=True, text=True, check=False, timeout=60
    )
    painting = [int(path.name) for path in pids.iterdir()]
    assert len(painting) == 2
    deadline = time.monotonic() + 10
    while any(map(_runs, painting)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_runs, painting))
    assert ended.stderr.count("Traceback") == (signal == 2)  # of the script itself


def _runs(pid):
    status = Path(f"/proc/{pid}/stat")
    if status.parent.parent.joinpath("self").exists():
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
