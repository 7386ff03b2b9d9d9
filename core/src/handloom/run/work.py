"""Doing a task: run its components on what the store holds, and stage what they made for the runner to commit."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from handloom.api import Outputs, Progress, Sensor
from handloom.config import Document
from handloom.errors import HandloomError, StepError
from handloom.host import Host
from handloom.plan import Node, Plan, build_plan, export_file, key_of
from handloom.run.exports import beside_paths, finish_file, partial_path
from handloom.run.failures import Failure, attempt
from handloom.run.frames import frames_of, run_frames
from handloom.run.inputs import StoreInputs
from handloom.run.outputs import checked
from handloom.run.provenance import provenance_of
from handloom.run.tasks import Result, Task
from handloom.store import STAGING, Disk, FileHashes, Provenance, Scene, StepKey, stage, state_on_disk

_FileState = tuple[int, int, int]
_SCRATCH = f"{STAGING}scratch-"


def work(task: Task, progress: Progress, host: Host | None = None, disk: Disk | None = None) -> tuple[Result, ...]:
    """Run the components of a task.

    Args:
        task: What to run.
        progress: Told the share done.
        host: Where plugins come from; None takes the installed ones.
        disk: Where results are written; tests count and break what passes through it.

    Returns:
        A result for each component; none is committed yet. Where the scene itself can't be read, all say so.
    """
    try:
        return _work(task, progress, host or Host(), disk or Disk())
    except HandloomError as error:
        return tuple(Result(node=name, reason=str(error)) for name in task.nodes)


def _work(task: Task, progress: Progress, host: Host, disk: Disk) -> tuple[Result, ...]:
    plan = build_plan(Document.from_json(task.document), host)
    nodes = [plan.nodes[name] for name in task.nodes]
    with Scene.open(task.scene) as scene:
        jobs = [_Job(plan, node, scene, StoreInputs(plan, node, task.episode, scene), disk) for node in nodes]
        for job in jobs:
            job.look()
        if nodes[0].role == "frame_step":
            return _frame_pass(jobs, progress)
        return tuple(job.result(attempt(partial(_run_one, job, progress))) for job in jobs)


def _state_of_file(path: Path) -> _FileState | None:
    """Return what changes when a file is written: its size, its time, and which file it is; None for no file."""
    try:
        return *state_on_disk(path), path.stat().st_ino
    except OSError:
        return None


@attrs.define
class _Job:
    """One component at work on one episode."""

    plan: Plan
    node: Node
    scene: Scene
    inputs: StoreInputs
    disk: Disk
    export: tuple[Path, Path] | None = None
    beside: tuple[tuple[Path, Path], ...] = ()
    scratch: Path | None = None
    before: tuple[_FileState | None, ...] = ()

    def look(self) -> None:
        """Keep how the recorded files are before they are read."""
        self.before = tuple(map(_state_of_file, self.inputs.files))

    def refuse_devices(self) -> None:
        """Refuse what never ends or waits for a writer: a pipe, a device, a socket."""
        for path in self.inputs.files:
            if path.exists() and not path.is_file() and not path.is_dir():
                raise StepError(f"{path} is no file but a pipe or a device; give the path of a recorded file.")

    def prepared(self, sensor: Sensor) -> tuple[Path, ...]:
        """Let a sensor make files of the recorded ones, in a folder that is swept with everything unfinished."""
        if type(sensor).prepare is Sensor.prepare:
            return self.inputs.files
        self.scratch = self.plan.scene / f"{_SCRATCH}{secrets.token_hex(8)}"
        self.disk.make_directory(self.scratch)
        return sensor.prepare(self.inputs.files, self.scratch)

    def result(self, made: Outputs | Failure) -> Result:
        """Stage what was made; what can't be staged is a failure too."""
        try:
            return self._result(made)
        finally:
            if self.scratch:
                with suppress(OSError):  # the next opening of the scene sweeps what is left
                    self.disk.remove_tree(self.scratch)

    def _result(self, made: Outputs | Failure) -> Result:
        staged = made if isinstance(made, Failure) else attempt(lambda: self._stage(made))
        if isinstance(staged, Result):
            return staged
        for partial_file, _ in (*self.beside, *([self.export] if self.export else [])):
            partial_file.unlink(missing_ok=True)
        return Result(node=self.node.name, reason=staged.reason, disk_full=staged.disk_full)

    def _stage(self, made: Outputs) -> Result:
        streams = checked(self.node, made)
        attributes = dict(made.attributes)
        if self.export:
            texts = self._write_beside(made.beside, *self.export)
            attributes["export"] = {**finish_file(*self.export), **({"beside": texts} if texts else {})}
        key = key_of(self.node, self.inputs.episode)
        hashes = self._known_hashes(key)
        with stage(
            self.plan.scene, key, provenance=self._provenance(hashes), hashes=hashes, disk=self.disk
        ) as staged:
            for name, stream in streams.items():
                staged.write(name, stream)
            staged.attributes = attributes
            staged.notes = made.notes
            description = staged.finish()
        export = (str(self.export[0]), str(self.export[1])) if self.export else None
        beside = tuple((str(partial_file), str(final)) for partial_file, final in self.beside)
        return Result(node=self.node.name, staged=description, export=export, beside=beside)

    def _write_beside(self, texts: Mapping[str, str], partial_file: Path, final: Path) -> list[dict[str, Any]]:
        """Write the texts that go beside an exported file, under temporary names; describe them for the ledger."""
        suffix = self.node.component.suffix
        self.beside = tuple(beside_paths(partial_file, final, suffix, ending) for ending in sorted(texts))
        for (path, _), (_, text) in zip(self.beside, sorted(texts.items()), strict=True):
            self.disk.write(path, text.encode())
        return [finish_file(*pair) for pair in self.beside]

    def _known_hashes(self, key: StepKey) -> FileHashes:
        """Return the digests that the last run found: a recording of gigabytes is not read again to be hashed."""
        hashes = FileHashes()
        entry = self.scene.entry(key)
        known = {source.name: source for source in entry.provenance.sources} if entry else {}
        for path in self.inputs.files:
            if path.name in known:
                hashes.remember(path, known[path.name])
        return hashes

    def _provenance(self, hashes: FileHashes) -> Provenance:
        sources = tuple(map(hashes.of, self.inputs.files))
        # After the digests: whatever changed since the first byte was read shows here.
        for path, before in zip(self.inputs.files, self.before, strict=True):
            if _state_of_file(path) != before:
                raise StepError(f"{path} changed while it was read; wait until the recording is complete.")
        return provenance_of(self.node, self.inputs.digests(), sources)


def _run_one(job: _Job, progress: Progress) -> Outputs:
    job.refuse_devices()
    return _CALLS[job.node.role](job, progress)()


def _sensor(job: _Job, progress: Progress) -> Callable[[], Outputs]:
    sensor: Sensor = job.node.component(job.node.config)
    return lambda: sensor.read(job.prepared(sensor), progress)


def _step(job: _Job, progress: Progress) -> Callable[[], Outputs]:
    return lambda: job.node.component(job.node.config).run(job.inputs, progress)


def _exporter(job: _Job, progress: Progress) -> Callable[[], Outputs]:
    def export() -> Outputs:
        final = export_file(job.node, job.plan.scene, job.inputs.episode)
        final.parent.mkdir(parents=True, exist_ok=True)
        job.export = (partial_path(final, job.node.name, job.plan.scene, secrets.token_hex(4)), final)
        made: Outputs = job.node.component(job.node.config).export(job.inputs, job.export[0], progress)
        return made

    return export


_CALLS = {"sensor": _sensor, "step": _step, "exporter": _exporter}


def _frame_pass(jobs: list[_Job], progress: Progress) -> tuple[Result, ...]:
    port = jobs[0].node.component.video
    video = attempt(lambda: frames_of(jobs[0].inputs, port))
    if isinstance(video, Failure):
        return tuple(job.result(video) for job in jobs)
    steps = {job.node.name: job.node.component(job.node.config) for job in jobs}
    made = run_frames(steps, {job.node.name: job.inputs for job in jobs}, video, progress)
    return tuple(job.result(made[job.node.name]) for job in jobs)
