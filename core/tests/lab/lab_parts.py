"""A lab's own plugins, small enough to see through: what the tests of planning and running are made of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

import attrs
import numpy as np

from handloom.api import (
    Exporter,
    FrameStep,
    InputPort,
    Model,
    OutputPort,
    Outputs,
    Ports,
    Sensor,
    Step,
    clock_map_stream,
    clock_map_type,
    hookimpl,
)
from handloom.errors import RecordingError, StepError
from handloom.media import View, index_video
from handloom.streams import Samples, StreamType
from handloom.time import ClockMap

LEVEL = StreamType(kind="scalar", dtype="float64")
VIDEO = StreamType(kind="video", dtype="uint8", shape=(None, None, 3))


def scalars(values: Any, stamps: Any = None, clock: str = "@") -> Samples:
    data = np.asarray(values, dtype=np.float64)
    stamps = np.arange(len(data)) * 10**7 if stamps is None else stamps
    return Samples(type=attrs.evolve(LEVEL, clock=clock), data=data, stamps=np.asarray(stamps, dtype=np.int64))


class Ramp(Sensor):
    """Reads numbers from a text file; a second column becomes the optional stream `other`."""

    summary = "Numbers in a text file."

    @attrs.frozen
    class Config:
        offset: float = 0.0
        record_on: bool = False

    @classmethod
    def ports(cls, config):
        return Ports(
            outputs={"level": OutputPort(type=LEVEL), "other": OutputPort(type=LEVEL, optional=True)},
            files="one text file",
        )

    def read(self, files, progress):
        try:
            rows = [line.split() for path in files for line in path.read_text().splitlines()]
            columns = list(zip(*[[float(word) for word in row] for row in rows], strict=True))
        except (OSError, ValueError) as error:
            raise RecordingError(f"{files[0].name} can't be read as numbers: {error}.") from error
        if self.config.record_on:
            files[0].write_text(files[0].read_text() + "\n7 8 9")
        progress(1.0)
        names = ("level", "other", "undeclared")
        streams = {
            name: scalars(np.array(column) + self.config.offset)
            for name, column in zip(names, columns, strict=False)
        }
        return Outputs(streams=streams, attributes={"rows": len(rows)}, notes=("read to the end.",))


class Clip(Sensor):
    summary = "A video."

    @classmethod
    def ports(cls, config):
        return Ports(outputs={"video": OutputPort(type=VIDEO)}, files="one video")

    def read(self, files, progress):
        indexed = index_video(files)
        return Outputs(streams={"video": indexed.video}, notes=indexed.notes)


class Double(Step):
    summary = "Twice the level, or any other multiple."

    @attrs.frozen
    class Config:
        factor: float = 2.0

    @classmethod
    def ports(cls, config):
        return Ports(
            inputs={"level": InputPort(kinds="scalar")},
            outputs={"level": OutputPort(type=LEVEL, clock_of="level")},
        )

    def run(self, inputs, progress):
        level = inputs.samples("level")
        return Outputs(streams={"level": scalars(level.data * self.config.factor, level.stamps)})


class Longest(Step):
    summary = "Length of the longest episode."
    scope = "scene"

    @classmethod
    def ports(cls, config):
        return Ports(
            inputs={"levels": InputPort(kinds="scalar", many=True)}, outputs={"length": OutputPort(type=LEVEL)}
        )

    def run(self, inputs, progress):
        lengths = [len(stream) for stream in inputs.streams("levels").values()]
        return Outputs(streams={"length": scalars([max(lengths, default=0)])})


class Hostile(Step):
    """Misbehaves as told: kills its process while a file is there, raises, or writes what it did not declare."""

    summary = "A step that misbehaves."

    @attrs.frozen
    class Config:
        how: str = "raise"
        deaths: Path | None = None

    @classmethod
    def ports(cls, config):
        return Ports(
            inputs={"level": InputPort(kinds="scalar")},
            outputs={"level": OutputPort(type=LEVEL, clock_of="level")},
        )

    def run(self, inputs, progress):
        level = inputs.samples("level")
        if self.config.how == "die" and _one_more_death(self.config.deaths):
            os.kill(os.getpid(), signal.SIGKILL)
        if self.config.how == "raise":
            raise ZeroDivisionError("one by zero")
        if self.config.how == "refuse":
            raise StepError("the level never moves; record it again.")
        print("something on standard output")
        _leave_behind(self.config.how)
        names = ("level", "secret") if self.config.how == "undeclared" else ("level",)
        return Outputs(streams={name: scalars(level.data, level.stamps) for name in names})


def _leave_behind(how: str) -> None:
    """Leave something that outlives the task, or close what the worker speaks through."""
    if how == "thread":
        Thread(target=time.sleep, args=(60,)).start()
    if how == "child":
        subprocess.Popen(["sleep", "60"])
    if how == "fork" and os.fork() == 0:
        time.sleep(60)
    if how == "fork and return":
        os.fork()
    if how == "close":
        sys.stdin.close()
        sys.stdout.close()
    if how == "exit":
        raise SystemExit(0)


def _one_more_death(marks: Path) -> bool:
    """Take one mark off the file; say whether there was one. It is never seen empty by another process before."""
    left = marks.stat().st_size
    os.truncate(marks, max(left - 1, 0))
    return left > 0


class Brightness(FrameStep):
    summary = "Mean brightness of every frame."

    @attrs.frozen
    class Config:
        fail_at: int = -1
        record: Path | None = None

    @classmethod
    def ports(cls, config):
        return Ports(
            inputs={"video": InputPort(kinds="video"), "after": InputPort(kinds="scalar", optional=True)},
            outputs={"level": OutputPort(type=LEVEL, clock_of="video")},
        )

    @classmethod
    def views(cls, config):
        return {"small": View(format="gray", width=16, height=16)}

    def start(self, inputs):
        self._rows = []
        if self.config.record:
            with self.config.record.open("a") as file:
                file.write(f"{os.getpid()} {inputs.episode}\n")

    def frame(self, index, stamp, views):
        if index == self.config.fail_at:
            raise ValueError(f"frame {index} is no good")
        self._rows.append((stamp, views.small.mean()))

    def finish(self):
        stamps, means = zip(*self._rows, strict=True)
        return Outputs(streams={"level": scalars(means, stamps)})


class Lines(Exporter):
    summary = "Every stream as lines of text."
    suffix = ".txt"

    @classmethod
    def ports(cls, config):
        return Ports(inputs={"streams": InputPort(many=True)})

    def export(self, inputs, path, progress):
        lines = [f"{name} {len(stream)} {stream.type.clock}" for name, stream in inputs.streams("streams").items()]
        path.write_text("\n".join([inputs.rig.name, *lines]) + "\n", encoding="utf-8")
        return Outputs()


class Labelled(Lines):
    """Puts a text beside its file."""

    @attrs.frozen
    class Config:
        ending: str = ".label"

    def export(self, inputs, path, progress):
        super().export(inputs, path, progress)
        return Outputs(beside={self.config.ending: f"what is in {inputs.episode}"})


class Picky(Lines):
    """Takes streams of one clock only, those that every recording has."""

    @classmethod
    def check(cls, config, types, rig):
        clocks = sorted({type_.clock for type_ in types.values()})
        return () if len(clocks) < 2 else (f"{', '.join(types)} are on {' and '.join(clocks)}; wire one clock.",)


class Dated(Lines):
    """Takes levels whose clock some map joins to "wall"."""

    @classmethod
    def check(cls, config, types, rig):
        lost = [type_.clock for type_ in types.values() if "wall" not in rig.clock_maps.joined_with(type_.clock)]
        return tuple(f"nothing maps clock '{clock}' to 'wall'." for clock in lost)


class Still(Model):
    summary = "Stays where it is."

    @classmethod
    def ports(cls, config):
        return Ports()

    @classmethod
    def contract(cls, config):
        raise NotImplementedError

    def open(self):
        raise NotImplementedError


class Metronome(Step):
    """Finds the map from the level's clock to "wall": as many ns as set."""

    summary = "A clock map of a level."

    @attrs.frozen
    class Config:
        offset_ns: int = 0

    @classmethod
    def ports(cls, config):
        return Ports(
            inputs={"level": InputPort(kinds="scalar")},
            outputs={"map": OutputPort(type=clock_map_type("ramp", "wall"))},
        )

    def run(self, inputs, progress):
        known = ClockMap(
            source="ramp", target="wall", offset_ns=self.config.offset_ns + len(inputs.samples("level"))
        )
        return Outputs(streams={"map": clock_map_stream(known)})


class OnWall(Step):
    summary = "A level's first stamp on the wall clock."

    @classmethod
    def ports(cls, config):
        return Ports(
            inputs={
                "level": InputPort(kinds="scalar"),
                "clock_maps": InputPort(kinds="clock_map", many=True, optional=True),
            },
            outputs={"level": OutputPort(type=LEVEL, clock_of="level")},
        )

    def run(self, inputs, progress):
        level = inputs.samples("level")
        first = inputs.rig.clock_maps.between(level.type.clock, "wall").apply(level.stamps[:1])
        return Outputs(streams={"level": scalars(first)})


class Book(Lines):
    """One file of all episodes, each read alone."""

    scope = "scene"
    suffix = ".book"

    @classmethod
    def ports(cls, config):
        return Ports(inputs={"level": InputPort(kinds="scalar", many=True)})

    def export(self, inputs, path, progress):
        lines = []
        for episode in inputs.episodes:
            one = inputs.of(episode)
            try:
                lines.append(f"{one.episode} {len(one.samples('level'))} {sorted(one.streams('level'))}")
            except StepError as error:
                lines.append(f"{episode}: {error}")
        path.write_text("\n".join(lines), encoding="utf-8")
        return Outputs()


class Sheaf(Sensor):
    """A folder of text files, joined into one file before it is read."""

    summary = "Numbers in the text files of a folder."

    @classmethod
    def ports(cls, config):
        return Ports(outputs={"level": OutputPort(type=LEVEL)}, files="one folder")

    def prepare(self, files, folder):
        joined = folder / "joined.txt"
        joined.write_text("\n".join(path.read_text() for path in sorted(files[0].glob("*.txt"))))
        return (joined,)

    def read(self, files, progress):
        return Outputs(streams={"level": scalars([float(line) for line in files[0].read_text().split()])})


KINDS = {
    "dated": Dated,
    "book": Book,
    "metronome": Metronome,
    "on_wall": OnWall,
    "sheaf": Sheaf,
    "ramp": Ramp,
    "clip": Clip,
    "double": Double,
    "longest": Longest,
    "hostile": Hostile,
    "brightness": Brightness,
    "labelled": Labelled,
    "lines": Lines,
    "picky": Picky,
    "still": Still,
}


@hookimpl
def sensor(kind):
    return KINDS[kind]


@hookimpl
def step(kind):
    return KINDS[kind]


@hookimpl
def exporter(kind):
    return KINDS[kind]


@hookimpl
def model(kind):
    return KINDS[kind]
