"""What `dev.py demo` runs, on a small scene: recordings go in, and a dataset, MCAP files and a report come out."""

import json
import re
import shutil
from pathlib import Path

import attrs
import numpy as np
import pytest
import zarr

ROOT = Path(__file__).resolve().parent.parent
PIPELINE = ROOT / "examples/pipelines/demo.toml"
FILMED = [
    "--calibration",
    "--episodes=1",
    "--motion=stack",
    "--rate=16",
    "--finger-width=96",
    "--without=vr",
    "--workers=1",
]


@attrs.frozen
class Made:
    """What the demo's commands left and said.

    Attributes:
        folder: Where it all is.
        words: The arguments of its run.
        said: What the run printed, notes included.
        sessions: The calibration and the demonstration, by name.
    """

    folder: Path
    words: tuple[str, ...]
    said: str
    sessions: tuple[str, ...]


@pytest.fixture(scope="module")
def made(handloom, tmp_path_factory) -> Made:
    """Film, take the truth away so that nothing can have read it, run the demo's pipeline and draw the report."""
    folder = tmp_path_factory.mktemp("demo")
    done(handloom("simulate", "demo", "recordings", *FILMED, cwd=folder))
    shutil.rmtree(folder / "recordings/truth")
    (scene,) = (folder / "recordings").glob("scene_*")
    words = ("run", str(PIPELINE), *settings(folder, scene))
    said = done(handloom(*words, cwd=folder))
    done(handloom("report", "scene", "-o", "report.html", cwd=folder))
    return Made(folder, words, said, tuple(sorted(path.name for path in scene.glob("session_*"))))


def done(process) -> str:
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout + process.stderr


def settings(folder: Path, scene: Path) -> list[str]:
    """Return where things lie here; all else is as the demo has it."""
    (take,) = scene.glob("Take *.csv")
    values = {
        "scene.store": folder / "scene",
        'episodes."*".session': scene / "session_*",
        'episodes."*".slam': scene / "session_*/camera_trajectory.csv",
        'episodes."*".optitrack': take,
        "exporters.foxglove.folder": folder / "mcap",
        "exporters.dataset.folder": folder / "dataset",
    }
    return ["--set=run.workers=1", *(f"--set={key}={json.dumps(str(value))}" for key, value in values.items())]


def dataset(made: Made) -> zarr.Group:
    store = zarr.storage.ZipStore(made.folder / "dataset/scene.zarr.zip", mode="r")
    return zarr.open_group(store, mode="r", zarr_format=2)


def attributes(made: Made, step: str, episode: str = ""):
    from handloom.store import Scene, StepKey

    with Scene.open(made.folder / "scene") as scene:
        return scene.read(StepKey(step, episode)).attributes


def test_nothing_failed_and_the_run_says_what_it_wrote(made):
    assert "failed" not in made.said
    written = set(re.findall(r"wrote  (\S+)", made.said))
    assert written == {"dataset/scene.zarr.zip", *(f"mcap/{session}.mcap" for session in made.sessions)}


def test_what_is_noted_is_worth_reading(made):
    notes = re.findall(r"note  (.*)", made.said)
    assert len(notes) <= 8, notes
    assert not [note for note in notes if "foxglove" in note and "lost" not in note]


def test_the_dataset_keeps_umis_contract_and_holds_the_demonstration_alone(made):
    root = dataset(made)
    (steps,) = root["meta/episode_ends"][:].tolist()
    expected = {
        "camera0_rgb": ((steps, 224, 224, 3), np.uint8),
        "robot0_eef_pos": ((steps, 3), np.float32),
        "robot0_eef_rot_axis_angle": ((steps, 3), np.float32),
        "robot0_gripper_width": ((steps, 1), np.float32),
        "robot0_demo_start_pose": ((steps, 6), np.float64),
        "robot0_demo_end_pose": ((steps, 6), np.float64),
    }
    assert {name: (root["data"][name].shape, root["data"][name].dtype) for name in expected} == expected
    assert steps > 46  # what a single sample of UMI needs
    assert all(np.isfinite(root["data"][name][:]).all() for name in expected)
    calibration, demonstration = made.sessions
    assert list(root.attrs["handloom"]["episodes"]) == [demonstration]
    assert root.attrs["handloom"]["left_out"] == {calibration: "its name is in leave_out."}


def test_the_width_of_the_dataset_is_that_of_the_range_that_the_calibration_shows(made):
    calibration, demonstration = made.sessions
    found = attributes(made, "range")
    assert found["episodes"] == [calibration]
    assert found["stroke_m"] == pytest.approx(0.0878, abs=0.0005)  # what the lab's gripper can do
    used = attributes(made, "width", demonstration)
    ends = ("closed_separation_m", "open_separation_m")
    assert [used[end] for end in ends] == [found[end] for end in ends]
    widths = dataset(made)["data/robot0_gripper_width"][:]
    assert 0.01 < widths.min() < 0.07
    assert widths.max() == pytest.approx(0.080, abs=0.001)  # how far a demonstration opens the jaw


def test_there_is_an_mcap_file_an_episode_and_it_reads_whole(made):
    from mcap.reader import make_reader

    assert {path.stem for path in (made.folder / "mcap").glob("*.mcap")} == set(made.sessions)
    for session in made.sessions:
        with (made.folder / f"mcap/{session}.mcap").open("rb") as file:
            topics = {channel.topic for _, channel, _ in make_reader(file, validate_crcs=True).iter_messages()}
        assert {"/session/gopro_video", "/tcp/pose", "/slam_in_world/pose", "/width/width"} <= topics


def test_the_report_is_one_page_with_its_plots_and_asks_for_nothing_else(made):
    text = (made.folder / "report.html").read_text(encoding="utf-8")
    asked = re.findall(r"""(?:src|href|data)=["']([^"']*)|url\(([^)]*)\)|@import ([^;]*)""", text)
    for link in filter(None, (part for parts in asked for part in parts)):
        assert link.startswith(("data:image/", "#")), link
    assert "<script" not in text
    for plot in (
        "From above",
        "Apart from tcp.pose",
        "width.width",
        "distance in mm",
        "first track",
        "second track",
    ):
        assert f">{plot}</text>" in text, plot
    assert text.count("data:image/jpeg") >= 2 * (8 + 1)  # a full row of the finger, and the wrist, in each episode
    assert "usable" in text


def test_one_line_takes_the_dataset_from_slam_instead_of_optitrack(made, handloom):
    line = """--set=exporters.dataset.inputs.robot0_pose='slam_tcp.pose'"""
    elsewhere = f"--set=exporters.dataset.folder={json.dumps(str(made.folder / 'of_slam'))}"
    said = done(handloom(*made.words, elsewhere, line, cwd=made.folder))
    assert "1 made, " in said
    told = json.loads((made.folder / "of_slam/scene.provenance.json").read_text(encoding="utf-8"))
    (episode,) = told["episodes"].values()
    assert episode["streams"]["robot0_pose"]["stream"] == "slam_tcp.pose"
