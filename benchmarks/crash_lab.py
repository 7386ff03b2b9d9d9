"""A small real pipeline to be killed: recordings, the bytes of an undisturbed run, a look at what is left."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import attrs

from handloom.config import load_document
from handloom.errors import HandloomError
from handloom.host import Host
from handloom.plan import Plan, build_plan
from handloom.run import RunReport, run_plan
from handloom.run.serial import SerialExecutor
from handloom.store import Disk, Scene, verify

PIPELINE = """
scene.store = "scene"
[sensors.camera]
kind = "gopro"
[steps.sharpness]
kind = "sharpness"
[steps.exposure]
kind = "exposure"
[pose_sources.tracker]
kind = "trajectory_file"
format = "tum"
match = "stamp"
offset_s = 0.0
[exporters.foxglove]
kind = "mcap"
[episodes.one]
camera = "../recording/GX010001.MP4"
tracker = "../recording/GX0001_camera_path.txt"
[episodes.two]
camera = "../recording/GX010001.MP4"
"""
CHANGED = ("pose_sources.tracker.max_gap_s=0.05", "steps.sharpness.width=160")
"""Settings of the second run, so that results are replaced and not only made."""


@attrs.frozen
class Laboratory:
    """A folder with a recording, and what undisturbed runs make of it.

    Attributes:
        folder: Where everything lies.
        fresh: Bytes after a first run, by relative path.
        changed: Bytes after a second run with other settings.
        operations: How many operations on the disk the first run makes, and the second.
    """

    folder: Path
    fresh: dict[str, str]
    changed: dict[str, str]
    operations: tuple[int, int] = (0, 0)

    @classmethod
    def make(cls, folder: Path) -> Laboratory:
        """Make the recording, and run the pipeline undisturbed, once and then with changed settings."""
        from handloom_sensors.demo_recording import DemoRecording, write_demo_recording

        write_demo_recording(folder / "recording", DemoRecording(duration_s=1.2, width=320, height=240))
        laboratory = cls(folder, {}, {})
        bench = laboratory.bench("undisturbed")
        first, second = CountingDisk(), CountingDisk()
        _must(bench.run(disk=first))
        fresh = bench.bytes()
        _must(bench.run(changed=True, disk=second))
        return cls(folder, fresh, bench.bytes(), (first.count, second.count))

    def bench(self, name: str, *, ran: bool = False) -> Bench:
        """Return a new empty bench, or one on which the first run has ended well."""
        folder = self.folder / name
        if ran:
            shutil.copytree(self._finished(), folder)
        else:
            folder.mkdir()
            (folder / "pipeline.toml").write_text(PIPELINE)
        return Bench(folder)

    def _finished(self) -> Path:
        finished = self.folder / "finished"
        if not finished.exists():
            _must(self.bench("finished").run())
        return finished

    def problems(self, bench: Bench, *, changed: bool) -> list[str]:
        """Look at what a disturbed run has left, resume it, and compare; an empty list is a good end."""
        found = bench.damage()
        try:
            report = bench.run(changed=changed)
        except HandloomError as error:
            return [*found, f"does not resume: {error}"]
        if not report.ok:
            failed = [outcome.reason for outcome in report.outcomes if outcome.ending == "failed"]
            found.append(f"resumed with failures: {report.stopped or failed}")
        found.extend(bench.damage())
        return found + _differences(self.changed if changed else self.fresh, bench.bytes())


def _must(report: RunReport) -> None:
    if not report.ok:
        raise SystemExit(f"The undisturbed run failed: {json.dumps(report.to_json(), indent=2)}")


def _differences(wanted: dict[str, str], found: dict[str, str]) -> list[str]:
    missing, extra = sorted({*wanted} - {*found}), sorted({*found} - {*wanted})
    differing = sorted(path for path in {*wanted} & {*found} if wanted[path] != found[path])
    return [
        *(f"{path} is missing" for path in missing),
        *(f"{path} is extra" for path in extra),
        *(f"{path} differs" for path in differing),
    ]


@attrs.frozen
class Bench:
    """A folder in which one run happens."""

    folder: Path

    @property
    def scene(self) -> Path:
        """The scene directory."""
        return self.folder / "scene"

    def plan(self, *, changed: bool) -> tuple[Plan, Host]:
        """Make the plan."""
        host = Host()
        return build_plan(load_document(self.folder / "pipeline.toml", CHANGED if changed else ()), host), host

    def run(self, *, changed: bool = False, disk: Disk | None = None) -> RunReport:
        """Run in this process, everything that is written passing through the disk."""
        plan, host = self.plan(changed=changed)
        return run_plan(plan, host, executor=_on(disk or QuickDisk()), disk=disk or QuickDisk())

    def damage(self) -> list[str]:
        """Open the scene as a reader would and prove all it holds; return what is wrong."""
        if not (self.scene / "zarr.json").exists():
            return []
        try:
            with Scene.open(self.scene) as scene:
                for key, entry in scene.ledger().items():
                    for name in entry.commit.streams if entry.commit else ():
                        scene.stream(key, name)
            return [f"{finding.where}: {finding.message}" for finding in verify(self.scene) if finding.is_problem]
        except HandloomError as error:
            return [f"does not open: {error}"]

    def bytes(self) -> dict[str, str]:
        """Return a digest of every file, times of day and the lock apart."""
        files = {path: path.relative_to(self.folder).as_posix() for path in sorted(self.folder.rglob("*"))}
        return {
            name: hashlib.sha256(_content(path)).hexdigest()
            for path, name in files.items()
            if path.is_file() and path.name != "lock" and path.name != "pipeline.toml"
        }


def _content(path: Path) -> bytes:
    if path.name not in ("commit.json", "failed.json"):
        return path.read_bytes()
    try:
        values: dict[str, Any] = json.loads(path.read_bytes())
    except ValueError:
        return path.read_bytes()  # half a record, which no undisturbed run has
    return json.dumps({name: values[name] for name in values if name != "times"}, sort_keys=True).encode()


class QuickDisk(Disk):
    """Does not wait for the medium: a killed process loses nothing that it has written."""

    def flush(self, path: Path) -> None:
        """Do nothing; each sync is counted all the same."""


class CountingDisk(QuickDisk):
    """Counts operations."""

    def __init__(self) -> None:
        self.count = 0

    def before(self, operation: str, path: Path) -> None:
        """Count one."""
        self.count += 1


def _on(disk: Disk) -> type[SerialExecutor]:
    class OnThisDisk(SerialExecutor):
        """Stages results on the disk of the test."""

        disk_of_results = disk

    return OnThisDisk
