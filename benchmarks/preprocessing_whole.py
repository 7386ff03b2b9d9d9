"""Every step between a recording and a dataset on a scene of 2.7K60 video, against bare decoding; and two workers.

The scene is filmed in the lab once and kept: a PolyUMI session with all its devices, its GoPro video encoded as in
`benchmarks.clips`, H.264 High, CABAC, no B-frame, 60 Mb/s. The pipeline is the demo's own, without its exporters.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from benchmarks.clips import CACHE
from benchmarks.harness import Bar, Measured
from benchmarks.machine import run_ffmpeg
from benchmarks.rounds import interleaved, medians, ratio
from handloom.geometry import CameraModel
from handloom.host import Host
from handloom.plan import Plan, load_plan, restricted
from handloom.run import run_plan
from handloom.run.local import LocalExecutor
from handloom.run.serial import SerialExecutor
from handloom_simulation.cameras import UMI_GOPRO, cropped
from handloom_simulation.filming import Filming
from handloom_simulation.motions import TakeSettings
from handloom_simulation.recordings import Encoding, SceneSettings, write_polyumi_scene

PIPELINE = Path(__file__).resolve().parent.parent / "examples" / "pipelines" / "demo.toml"
EPISODES = 20


@attrs.frozen(kw_only=True)
class Recording:
    """A filmed scene of one session.

    Attributes:
        session: Its folder.
        optitrack: The tracker's take.
        camera: The exact model of the wrist camera.
    """

    session: Path
    optitrack: Path
    camera: CameraModel


def whole_bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars of the whole of preprocessing."""
    return (
        Bar(
            name="whole preprocessing of a 2.7K60 scene",
            goal=1.7,
            compare="<=",
            unit="x CPU of ffmpeg -threads 1 -f null of its videos",
            measure=lambda: measure_whole(quick=quick),
        ),
        Bar(
            name=f"{4 if quick else EPISODES} episodes on two workers instead of one",
            goal=1.8,
            compare=">=",
            unit="x wall time of two",
            measure=lambda: measure_workers(quick=quick),
        ),
    )


def measure_whole(*, quick: bool) -> Measured:
    """Measure ffmpeg and all steps on a session of 10 s, quick of 5 s, in interleaved rounds.

    In less the hand goes hardly further than along a line, over which no two pose sources can be aligned.
    """
    recording = filmed(seconds=5.0 if quick else 10.0)
    videos = [recording.session / "gopro.mp4", *_finger_as_video(recording.session)]

    def decode() -> None:
        for video in videos:
            run_ffmpeg("-threads", "1", "-i", str(video), "-map", "0:v", "-f", "null", "-")

    def preprocess() -> None:
        with scene_of(recording, episodes=1) as plan:
            _run(plan, SerialExecutor)

    preprocess()  # imports and first calls are no part of what a scene costs
    times = interleaved({"ffmpeg": decode, "steps": preprocess}, rounds=1 if quick else 3)
    return Measured(value=ratio(times, "steps", "ffmpeg"), figures=medians(times))


def measure_workers(*, quick: bool) -> Measured:
    """Measure the wall time of many short episodes on one worker and on two, decoders single-threaded in both.

    One round: the episodes themselves are the repetition.
    """
    recording = filmed(seconds=2.0)
    walls: dict[int, float] = {}
    for workers in (1, 2):
        with scene_of(recording, episodes=4 if quick else EPISODES, workers=workers) as plan:
            started = time.perf_counter()
            _run(plan, LocalExecutor)
            walls[workers] = time.perf_counter() - started
    return Measured(
        value=walls[1] / walls[2], figures={f"{workers}_workers_s": wall for workers, wall in walls.items()}
    )


@cache
def filmed(*, seconds: float) -> Recording:
    """Return a session of so long in 2704 x 1520 at 59.94 fps, filmed now if it is not in the cache."""
    folder = CACHE / f"polyumi-2.7k60-{seconds:g}-s"
    camera = cropped(UMI_GOPRO, 2704, 1520)
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = folder.with_name(f"unfinished-{folder.name}")
        shutil.rmtree(unfinished, ignore_errors=True)
        _film(unfinished, seconds)
        unfinished.rename(folder)
    scene = next(path for path in sorted(folder.glob("scene_*")))
    return Recording(
        session=next(iter(sorted(scene.glob("session_*")))),
        optitrack=next(iter(sorted(scene.glob("*.csv")))),
        camera=camera,
    )


def _film(folder: Path, seconds: float) -> None:
    filming = Filming(lens="umi_gopro", width=2704, height=1520)
    lasts_s = max(seconds, 5.0) + 0.06
    demonstration = filming.demonstration("pick_and_place", seed=3, take=TakeSettings(duration_s=lasts_s))
    early_s = lasts_s - seconds - 0.03
    settings = SceneSettings(
        encoding=Encoding(megabit_per_s=60.0), workers=2, gopro_stops_s=early_s, pi_stops_s=early_s
    )
    write_polyumi_scene(folder, (demonstration,), settings)


def _finger_as_video(session: Path) -> list[Path]:
    """Return the finger camera's pictures as one video with their bytes untouched, for ffmpeg to decode."""
    pictures = sorted((session / "video").glob("*.jpg"))
    if not pictures:
        return []
    target = session.parent.parent / "finger.mkv"
    if not target.exists():
        pattern = str(session / "video" / "frame_%06d.jpg")
        run_ffmpeg("-y", "-framerate", "10", "-i", pattern, "-c", "copy", str(target))
    return [target]


@contextmanager
def scene_of(recording: Recording, *, episodes: int, workers: int = 1) -> Iterator[Plan]:
    """Give the demo's plan, without its exporters, over so many copies of the session in a folder of their own.

    Copies have nothing to be aligned over: what runs once a scene, and what follows it, takes part for one session
    only.
    """
    with tempfile.TemporaryDirectory(prefix="handloom-bench-") as name:
        folder = Path(name)
        for number in range(episodes):
            shutil.copytree(recording.session, folder / f"session_{number:02}", copy_function=_link)
        plan = load_plan(PIPELINE, Host(), _settings(recording, folder, workers))
        plan = plan if episodes == 1 else restricted(plan, plan.episodes)
        steps = {name: node for name, node in plan.nodes.items() if node.role != "exporter"}
        yield attrs.evolve(plan, nodes=steps)


def _link(source: str, target: str) -> None:
    Path(target).symlink_to(source)


def _settings(recording: Recording, folder: Path, workers: int) -> list[str]:
    """Return what differs from the demo: the store, the recordings, the camera's size and the workers."""
    values: dict[str, Any] = {
        "scene.store": str(folder / "scene"),
        'episodes."*".session': str(folder / "session_*"),
        'episodes."*".slam': str(folder / "session_*" / "camera_trajectory.csv"),
        'episodes."*".optitrack': str(recording.optitrack),
        "run.workers": workers,
        "steps.range.episodes": [],  # the session itself stands for the calibration
        "steps.sync.count": 1,  # two seconds of film hold one chirp
    }
    values |= {f"rig.cameras.gopro.{key}": value for key, value in recording.camera.to_table().items()}
    return [f"{key}={json.dumps(value)}" for key, value in values.items()]


def _run(plan: Plan, executor: Any) -> None:
    report = run_plan(plan, Host(), executor=executor)
    if not report.ok:
        failed = [f"{one.node}: {one.reason}" for one in report.outcomes if one.ending == "failed"]
        raise RuntimeError(f"Steps failed, and what they then save is no speed: {failed}")
