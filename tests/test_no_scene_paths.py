"""A scene belongs to no machine: it holds no absolute path, moves and is copied, and is read without pickle."""

import ast
import json
import re
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from handloom.cli import main
from handloom.media import Clip, write_clip
from handloom.store import Scene, verify

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(path for part in ("core", "plugins/*") for path in ROOT.glob(f"{part}/src/**/*.py"))
UNSAFE = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
"""Modules that run code on reading, or that hide one which does."""

ROOTS = "home|root|tmp|private|var|mnt|media|opt|srv|usr|run|etc|work|Users|Volumes"
ABSOLUTE = re.compile(rf"(?:^|[\s'\"(=:])(?:/(?:{ROOTS})/|[A-Za-z]:[\\/]|\\\\|~/|file:)")
"""How a path of a machine begins, at the start of a text or inside a sentence; "/camera/video" is a topic."""

PIPELINE = """
scene.store = "scene"
run.executor = "serial"
[sensors.camera]
kind = "gopro"
[sensors.phone]
kind = "video"
[pose_sources.tracker]
kind = "trajectory_file"
format = "tum"
match = "stamp"
offset_s = 0.0
inputs.video = "camera.video"
[steps.sharpness]
kind = "sharpness"
inputs.video = "camera.video"
[steps.thumbnails]
kind = "thumbnails"
inputs.video = "phone.video"
[exporters.foxglove]
kind = "mcap"
[episodes.whole]
camera = "recordings/GX010001.MP4"
tracker = "recordings/GX0001_camera_path.txt"
[episodes.plain]
phone = "recordings/phone.mp4"
[episodes.reordered]
phone = "recordings/b_frames.mp4"
[episodes.broken]
camera = "../card/phone.mp4"
[episodes.garbled]
camera = "recordings/GX010001.MP4"
tracker = "recordings/phone.mp4"
[episodes.gone]
phone = "../card/gone.mp4"
"""


def run(folder):
    """Run the pipeline of a folder in this process, and return the report."""
    said = StringIO()
    with redirect_stdout(said):
        main(["run", str(folder / "pipeline.toml"), "--json"])
    return json.loads(said.getvalue())


def endings(report):
    return {(outcome["episode"], outcome["step"]): outcome["ending"] for outcome in report["outcomes"]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    pytest.importorskip("av", reason="needs PyAV: pip install 'handloom[video]'")
    from handloom_sensors.demo_recording import DemoRecording, write_demo_recording

    folder = tmp_path_factory.mktemp("all") / "lab"
    (folder.parent / "card").mkdir()
    write_demo_recording(folder / "recordings", DemoRecording(duration_s=1.2, width=160, height=120))
    small = Clip(width=160, height=120, frames=24, audio_s=0.8)
    write_clip(folder / "recordings" / "phone.mp4", small)
    write_clip(folder.parent / "card" / "phone.mp4", small)
    write_clip(
        folder / "recordings" / "b_frames.mp4",
        Clip(width=160, height=120, frames=24, b_frames=2, preset="veryfast"),
    )
    (folder / "pipeline.toml").write_text(PIPELINE)
    return folder


@pytest.fixture(scope="module")
def first(lab):
    return run(lab)


@pytest.fixture
def moved(lab, first, tmp_path):
    """Return a copy of the lab elsewhere; the times of its files are kept, as tar and rsync do."""
    return Path(shutil.copytree(lab, tmp_path / "elsewhere"))


def texts(value):
    """Yield every text in JSON values, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def test_the_lab_has_successes_and_failures_of_each_kind(first):
    found = endings(first)
    failed = {place for place, ending in found.items() if ending == "failed"}
    assert failed == {("broken", "camera"), ("gone", "phone"), ("garbled", "tracker"), ("reordered", "foxglove")}
    assert found["whole", "foxglove"] == found["plain", "foxglove"] == "committed"


def test_no_json_of_a_scene_holds_an_absolute_path(lab, first):
    files = sorted((lab / "scene").rglob("*.json"))
    found = {
        (path.relative_to(lab).as_posix(), text)
        for path in files
        for text in texts(json.loads(path.read_text()))
        if ABSOLUTE.search(text) or str(lab.parent) in text or str(Path.home()) in text
    }
    assert len(files) > 50
    assert found == set()


@pytest.mark.parametrize(
    "text", ["/home/b", "read /tmp/x.mp4: gone", "'C:\\lab'", "C:/lab", "file:///x", "~/scene"]
)
def test_a_path_of_a_machine_would_be_seen(text):
    assert ABSOLUTE.search(text)


@pytest.mark.parametrize(
    "text", ["m/s^2", "camera/optical", "episodes/one/camera", "/camera/video", "1/30", "12:34:56:07", "a / b"]
)
def test_what_is_no_path_of_a_machine_is_none(text):
    assert not ABSOLUTE.search(text)


def test_a_moved_scene_opens_with_every_stream(moved, lab):
    with Scene.open(moved / "scene") as here, Scene.open(lab / "scene") as there:
        for key, entry in here.ledger().items():
            for name in entry.commit.streams if entry.commit else ():
                assert len(here.stream(key, name)) == len(there.stream(key, name))
    assert [finding for finding in verify(moved / "scene") if finding.is_problem] == []


def test_a_video_of_a_moved_scene_is_read_from_the_scene(moved):
    with Scene.open(moved / "scene") as scene:
        videos = [
            scene.stream(key, "video")
            for key, entry in scene.ledger().items()
            if entry.commit and "video" in entry.commit.streams
        ]
    assert len(videos) == 4
    for video in videos:
        assert {file.path.parent for file in video.files} == {moved / "scene" / "media"}


def test_a_run_after_moving_all_of_it_finds_everything_up_to_date(moved):
    found = endings(run(moved))
    assert "committed" not in found.values()
    assert found["whole", "camera"] == found["whole", "foxglove"] == found["plain", "thumbnails"] == "fresh"


def test_recordings_that_were_taken_away_leave_their_results_up_to_date(moved):
    shutil.rmtree(moved / "recordings")
    found = endings(run(moved))
    assert found["whole", "camera"] == found["whole", "tracker"] == found["plain", "phone"] == "fresh"
    assert found["whole", "foxglove"] == "fresh"


def test_a_step_can_still_be_run_when_the_recordings_were_taken_away(moved):
    shutil.rmtree(moved / "recordings")
    pipeline = moved / "pipeline.toml"
    pipeline.write_text(pipeline.read_text().replace('kind = "thumbnails"', 'kind = "thumbnails"\nwidth = 64'))
    assert endings(run(moved))["plain", "thumbnails"] == "committed"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_imports_what_runs_code_on_reading(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    assert not imported & UNSAFE
