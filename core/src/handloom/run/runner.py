"""The offline runner: does what is due, in order, and alone commits what enters the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path

import attrs

from handloom.errors import StoreError
from handloom.host import Host
from handloom.plan import RIG, Node, Plan, export_folder, files_of, key_of, rig_digest, wanted_inputs
from handloom.run.executor import Executor
from handloom.run.exports import place, sweep, withdraw
from handloom.run.failures import full_disk_sentence, portable, sentence
from handloom.run.outcome import Ending, Outcome, RunReport
from handloom.run.provenance import provenance_of
from handloom.run.schedule import Unit, units
from handloom.run.standing import Standing
from handloom.run.tasks import Advanced, Done, Event, Lost, Result, Task
from handloom.store import Disk, Scene, is_disk_full

Happening = Task | Event | Outcome
"""A task has started, got on, ended or was lost; or a component has ended."""


def run_plan(
    plan: Plan,
    host: Host,
    *,
    force: Iterable[str] = (),
    executor: type[Executor] | None = None,
    disk: Disk | None = None,
    watch: Callable[[Happening], None] = lambda happening: None,
) -> RunReport:
    """Bring a scene up to date.

    Args:
        plan: What to do.
        host: Where executors and observers come from.
        force: Components to run even where they are up to date.
        executor: Instead of the one the plan names.
        disk: Where commits are written; tests count and break what passes through it.
        watch: Told what happens, as it happens.

    Returns:
        What became of every component of every episode; failures are in it, not raised.

    Raises:
        StoreError: The store can't be opened for writing.
        PluginError: There is no such executor.
    """
    executor = executor or host.load("executors", plan.run.executor).component
    workers, disk = plan.run.workers or _cores(), disk or Disk()
    with (
        Scene.open(plan.scene, "w", create=True, rig=plan.rig.name, disk=disk) as scene,
        executor(workers, host) as pool,
    ):
        run = _Run(
            standing=Standing(plan=plan, scene=scene, force=frozenset(force), ledger=dict(scene.ledger())),
            host=host,
            pool=pool,
            disk=disk,
            watch=watch,
        )
        return run.run()


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@attrs.define(kw_only=True)
class _Run:
    """One run while it goes on."""

    standing: Standing
    host: Host
    pool: Executor
    disk: Disk
    watch: Callable[[Happening], None]
    outcomes: list[Outcome] = attrs.field(factory=list)
    running: dict[int, tuple[Unit, int]] = attrs.field(factory=dict)
    started: set[str] = attrs.field(factory=set)
    stopped: str = ""
    ids: count[int] = attrs.field(factory=lambda: count(1))

    @property
    def plan(self) -> Plan:
        return self.standing.plan

    @property
    def scene(self) -> Scene:
        return self.standing.scene

    def run(self) -> RunReport:
        repairs = [*self.scene.repairs, *self._sweep_exports()]
        self.host.notify("run_started", scene=str(self.plan.scene))
        waiting = units(self.plan)
        while (waiting or self.running) and not self.stopped:
            waiting = self._start_ready(waiting)
            if self.running:
                self._handle(self.pool.wait())
        report = RunReport(
            scene=self.plan.scene,
            outcomes=tuple(self.outcomes),
            repairs=tuple(repairs),
            stopped=self.stopped,
        )
        self.host.notify("run_finished", scene=str(self.plan.scene), failed=report.counts["failed"])
        return report

    def _sweep_exports(self) -> list[str]:
        scene = self.plan.scene
        exporters = [node for node in self.plan.offline() if node.role == "exporter"]
        return [text for node in exporters for text in sweep(export_folder(node, scene), node.name, scene)]

    def _start_ready(self, waiting: list[Unit]) -> list[Unit]:
        """Start what can start, settle what has nothing to do, and return what must wait."""
        blocked = []
        for unit in waiting:
            # Workers first: most units wait for one, and what feeds a unit takes a walk through the plan.
            if len(self.running) >= self.pool.workers or not self.standing.can_start(unit):
                blocked.append(unit)
            elif due := self._due(unit):
                self._submit(Unit(due, unit.episode), attempt=1)
        return blocked

    def _due(self, unit: Unit) -> tuple[str, ...]:
        """Return the components of a unit that have to run, and settle the others."""
        due = []
        for name in unit.nodes:
            node = self.plan.nodes[name]
            settled = self.standing.settled(node, unit.episode)
            if settled:
                self._settle(node, unit.episode, settled.ending, reason=settled.reason)
            else:
                due.append(name)
        return tuple(due)

    def _submit(self, unit: Unit, *, attempt: int) -> None:
        if unit.episode and unit.episode not in self.started:
            self.started.add(unit.episode)
            self.host.notify("episode_started", episode=unit.episode)
        task = Task(
            id=next(self.ids),
            episode=unit.episode,
            nodes=unit.nodes,
            scene=self.plan.scene,
            document=self.plan.document,
        )
        self.running[task.id] = (unit, attempt)
        self.watch(task)
        self.pool.submit(task)

    def _handle(self, event: Event) -> None:
        self.watch(event)
        if isinstance(event, Advanced):
            return
        unit, attempt = self.running.pop(event.task)
        if isinstance(event, Done):
            for result in event.results:
                self._enter(self.plan.nodes[result.node], unit.episode, result)
        else:
            self._lost(unit, attempt, event)

    def _lost(self, unit: Unit, attempt: int, event: Lost) -> None:
        """Try again what a dead process was at; at last each component alone, so that only the culprit fails."""
        if attempt < self.plan.run.attempts:
            self._submit(unit, attempt=attempt + 1)
        elif len(unit.nodes) > 1:
            for name in unit.nodes:
                self._submit(Unit((name,), unit.episode), attempt=self.plan.run.attempts)
        else:
            (name,) = unit.nodes
            reason = f"its process {event.how}, {attempt} times in a row."
            self._enter(self.plan.nodes[name], unit.episode, Result(node=name, reason=reason))

    def _enter(self, node: Node, episode: str, result: Result) -> None:
        """Commit a result, or keep why there is none."""
        try:
            if result.staged is None:
                self._fail(node, episode, result)
                return
            export, said = self._place(node, episode, result)
            notes = (*self.scene.commit(result.staged).notes, *said)
        except (StoreError, OSError) as error:
            self._drop(result)
            if is_disk_full(error):
                self.stopped = full_disk_sentence(error)
            else:
                self._settle(node, episode, "failed", reason=sentence(error))
            return
        self.standing.refresh(node, episode)
        self._settle(node, episode, "committed", notes=notes, export=export)

    def _drop(self, result: Result) -> None:
        """Sweep what could not enter; what can't be swept now, the next opening sweeps."""
        with suppress(StoreError, OSError):
            if result.staged:
                self.scene.discard(result.staged)
            for partial, _ in (*result.beside, *([result.export] if result.export else [])):
                Path(partial).unlink(missing_ok=True)

    def _place(self, node: Node, episode: str, result: Result) -> tuple[Path | None, tuple[str, ...]]:
        """Give an exported file its name; say so when a file of somebody else had it."""
        if result.export is None:
            return None, ()
        partial, final = map(Path, result.export)
        foreign = final.exists() and not self.standing.has_exported(node, episode)
        if result.beside:
            withdraw(final, self.disk)
        for text, name in result.beside:  # first: a file that is there has what belongs to it
            place(Path(text), Path(name), self.disk)
        place(partial, final, self.disk)
        said = f"{final.name} was there already, and this scene has no record of it; it was replaced."
        return final, (said,) if foreign else ()

    def _fail(self, node: Node, episode: str, result: Result) -> None:
        if result.disk_full:
            self.stopped = result.reason
            return
        inputs = wanted_inputs(self.plan, node, episode, self.standing.ledger)
        # What it lacked may be in the next rig; a sensor sees none.
        rig = {} if node.role == "sensor" else {RIG: rig_digest(self.plan)}
        reason = portable(result.reason, files_of(self.plan, node, episode), self.plan.scene)
        self.scene.fail(key_of(node, episode), reason, provenance_of(node, {**inputs, **rig}))
        self.standing.refresh(node, episode)
        self._settle(node, episode, "failed", reason=result.reason)

    def _settle(
        self,
        node: Node,
        episode: str,
        ending: Ending,
        *,
        reason: str = "",
        notes: tuple[str, ...] = (),
        export: Path | None = None,
    ) -> None:
        """Keep how a component ended, and tell whoever listens."""
        outcome = Outcome(
            node=node.name, episode=episode, ending=ending, reason=reason, notes=notes, export=export
        )
        self.standing.endings[node.name, episode] = ending
        self.outcomes.append(outcome)
        self.watch(outcome)
        self.host.notify("step_finished", episode=episode, step=node.name, outcome=ending)
