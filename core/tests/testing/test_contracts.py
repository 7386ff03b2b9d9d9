"""The contracts pass what keeps them and catch what does not: each bad part below breaks one rule."""

from __future__ import annotations

import inspect
import itertools
import re
import time
from importlib import import_module
from typing import ClassVar

import attrs
import numpy as np
import pytest

from handloom.api import Exporter, FrameStep, InputPort, OutputPort, Outputs, Ports, Sensor, Step
from handloom.errors import RecordingError
from handloom.media import View
from handloom.streams import Samples, StreamType, Video
from handloom.testing import (
    ExporterContract,
    FrameStepContract,
    MemoryInputs,
    SensorContract,
    StepContract,
    synthetic_episode,
)

SCALAR = StreamType(kind="scalar", dtype="float64", unit="m")
_counter = itertools.count()

PROBED = ("test_listing_imports_no_heavy_library", "test_making_one_opens_nothing")
"""What starts a process of its own; tested further below."""


def _scalar(values, clock="@", **attributes):
    data = np.asarray(values, dtype=np.float64)
    return Samples(
        type=attrs.evolve(SCALAR, clock=clock), data=data, stamps=np.arange(len(data)), attributes=attributes
    )


class GoodSensor(Sensor):
    summary = "Reads one number a line"

    @classmethod
    def ports(cls, config):
        return Ports(outputs={"number": OutputPort(type=SCALAR)}, files="one text file")

    def read(self, files, progress):
        progress(0.0)
        try:
            values = [float(line) for line in files[0].read_text().split()]
        except FileNotFoundError:
            raise RecordingError(f"{files[0].name}: there is no such file.") from None
        progress(1.0)
        return Outputs(streams={"number": _scalar(values)})


class GoodStep(Step):
    summary = "Doubles"

    @classmethod
    def ports(cls, config):
        return Ports(
            inputs={"width": InputPort(kinds="scalar")},
            outputs={"twice": OutputPort(type=SCALAR, clock_of="width")},
        )

    def run(self, inputs, progress):
        width = inputs.samples("width")
        return Outputs(streams={"twice": attrs.evolve(width, data=2 * width.data)})


class GoodFrameStep(FrameStep):
    summary = "Mean brightness"

    @classmethod
    def ports(cls, config):
        brightness = StreamType(kind="scalar", dtype="float64")
        return Ports(
            inputs={"video": InputPort(kinds="video")},
            outputs={"brightness": OutputPort(type=brightness, clock_of="video")},
        )

    @classmethod
    def views(cls, config):
        return {"gray": View(format="gray", width=8, height=6)}

    def start(self, inputs):
        self.video = inputs.video("video")
        self.found = []

    def frame(self, index, stamp, views):
        self.found.append(views.gray.mean())

    def finish(self):
        type_ = StreamType(kind="scalar", dtype="float64", clock=self.video.type.clock)
        return Outputs(streams={"brightness": Samples(
            type=type_, data=np.array(self.found), stamps=self.video.stamps
        )})  # fmt: skip


class GoodExporter(Exporter):
    summary = "Writes numbers"
    suffix = ".txt"

    @classmethod
    def ports(cls, config):
        return Ports(inputs={"width": InputPort(kinds="scalar")})

    def export(self, inputs, path, progress):
        path.write_text(" ".join(str(value) for value in inputs.samples("width").data))
        return Outputs()


class SensorHarness(SensorContract):
    component = GoodSensor

    def files(self, tmp_path):
        path = tmp_path / "numbers.txt"
        if not path.exists():
            path.write_text("1 2 3")
        return (path,)


class StepHarness(StepContract):
    component = GoodStep

    def inputs(self, tmp_path):
        return synthetic_episode().inputs(width="gripper.width")


class FrameStepHarness(FrameStepContract):
    component = GoodFrameStep

    def inputs(self, tmp_path):
        type_ = StreamType(kind="video", dtype="uint8", shape=(48, 64, 3), clock="camera")
        count = np.arange(5, dtype=np.int64)
        video = Video(type=type_, files=(), pts=count, stamps=count * 100, keyframes=np.ones(5, bool))
        return MemoryInputs(wired={"video": video})


class ExporterHarness(ExporterContract):
    component = GoodExporter

    def inputs(self, tmp_path):
        return synthetic_episode().inputs(width="gripper.width")


class TestGoodSensor(SensorHarness):
    pass


class TestGoodStep(StepHarness):
    pass


class TestGoodFrameStep(FrameStepHarness):
    pass


class TestGoodExporter(ExporterHarness):
    pass


def _broken(harness, tmp_path, component_):
    """Return the names of the tests that fail for a component."""

    class Harness(harness):
        component: ClassVar[type] = component_

    failed = []
    for name, test in inspect.getmembers(Harness, inspect.isfunction):
        if not name.startswith("test_") or name in PROBED:
            continue
        folder = tmp_path / name
        folder.mkdir()
        arguments = {"tmp_path": folder} if "tmp_path" in inspect.signature(test).parameters else {}
        try:
            test(Harness(), **arguments)
        except (AssertionError, AttributeError, ValueError, OSError):
            failed.append(name)
    return failed


class TwoLines(GoodSensor):
    summary = "Reads\nnumbers"


class NoVersion(GoodSensor):
    version = 0


@attrs.define
class _Mutable:
    rate_hz: float = 1.0


class MutableConfig(GoodSensor):
    Config = _Mutable


class Undeclared(GoodStep):
    def run(self, inputs, progress):
        outputs = super().run(inputs, progress)
        return attrs.evolve(outputs, streams={**outputs.streams, "more": _scalar([1])})


class WrongUnit(GoodSensor):
    def read(self, files, progress):
        type_ = attrs.evolve(SCALAR, unit="mm")
        number = super().read(files, progress).streams["number"]
        return Outputs(streams={"number": attrs.evolve(number, type=type_)})


class WrongClock(GoodSensor):
    def read(self, files, progress):
        super().read(files, progress)
        return Outputs(streams={"number": _scalar([1], clock="host")})


class HalfSentence(GoodSensor):
    def read(self, files, progress):
        return attrs.evolve(super().read(files, progress), notes=("3 lost",))


class Random(GoodSensor):
    def read(self, files, progress):
        super().read(files, progress)
        return Outputs(streams={"number": _scalar([next(_counter)])})


class FallingProgress(GoodSensor):
    def read(self, files, progress):
        progress(0.5)
        return super().read(files, progress)


class RawError(GoodSensor):
    def read(self, files, progress):
        files[0].read_text()
        return super().read(files, progress)


class KeepsPath(GoodSensor):
    def read(self, files, progress):
        return attrs.evolve(super().read(files, progress), attributes={"from": str(files[0])})


class WritesBeside(GoodSensor):
    def read(self, files, progress):
        outputs = super().read(files, progress)
        files[0].with_suffix(".index").write_text("")
        return outputs


@pytest.mark.parametrize(
    ("component", "rule"),
    [
        (TwoLines, "summary_is_one_line"),
        (NoVersion, "version_counts_from_one"),
        (MutableConfig, "config_is_frozen"),
        (WrongUnit, "outputs_are_as_declared"),
        (WrongClock, "outputs_are_as_declared"),
        (HalfSentence, "outputs_are_as_declared"),
        (Random, "the_same_files_give_the_same_bytes"),
        (FallingProgress, "progress_rises"),
        (RawError, "a_missing_file_gives_a_sentence_with_its_name"),
        (KeepsPath, "no_path_of_this_machine_is_kept"),
        (WritesBeside, "the_recording_stays_as_it_is"),
    ],
)
def test_a_sensor_that_breaks_a_rule_fails_that_test_and_no_other(tmp_path, component, rule):
    assert _broken(SensorHarness, tmp_path, component) == [f"test_{rule}"]


class WritesItsInputs(GoodStep):
    def run(self, inputs, progress):
        inputs.samples("width").data[:] = 0
        return super().run(inputs, progress)


class OtherClock(GoodStep):
    def run(self, inputs, progress):
        return Outputs(streams={"twice": _scalar([1], clock="somewhere")})


def test_a_step_may_not_write_its_inputs(tmp_path):
    assert "test_the_same_inputs_give_the_same_bytes" in _broken(StepHarness, tmp_path, WritesItsInputs)


def test_a_step_gives_what_it_declares_and_nothing_else(tmp_path):
    assert _broken(StepHarness, tmp_path, Undeclared) == ["test_outputs_are_as_declared"]


def test_a_sensor_may_give_more_than_it_declares(tmp_path):
    class More(GoodSensor):
        def read(self, files, progress):
            outputs = super().read(files, progress)
            return attrs.evolve(outputs, streams={**outputs.streams, "more": _scalar([1])})

    assert _broken(SensorHarness, tmp_path, More) == []


def test_a_step_stamps_on_the_clock_it_declared(tmp_path):
    assert _broken(StepHarness, tmp_path, OtherClock) == ["test_outputs_are_as_declared"]


class Remembers(GoodFrameStep):
    episodes = 0

    def start(self, inputs):
        super().start(inputs)
        self.episodes += 1

    def frame(self, index, stamp, views):
        self.found.append(views.gray.mean() * self.episodes)


def test_a_frame_step_begins_each_episode_anew(tmp_path):
    assert _broken(FrameStepHarness, tmp_path, Remembers) == ["test_a_second_episode_does_not_remember_the_first"]


class LeavesTemporary(GoodExporter):
    def export(self, inputs, path, progress):
        path.with_suffix(".tmp").write_text("")
        outputs = super().export(inputs, path, progress)
        path.with_suffix(".tmp").unlink()
        return outputs


class Dated(GoodExporter):
    def export(self, inputs, path, progress):
        outputs = super().export(inputs, path, progress)
        path.write_text(f"{path.read_text()} made at {time.time_ns()}")
        return outputs


class TwoFiles(GoodExporter):
    def export(self, inputs, path, progress):
        outputs = super().export(inputs, path, progress)
        path.with_suffix(".json").write_text("{}")
        return outputs


@pytest.mark.parametrize(
    ("component", "rule"),
    [
        (LeavesTemporary, "a_failure_leaves_nothing_beside_its_path"),
        (Dated, "the_same_inputs_give_the_same_bytes"),
        (TwoFiles, "it_writes_only_the_path_it_is_given"),
    ],
)
def test_an_exporter_that_breaks_a_rule_fails_that_test_and_no_other(tmp_path, component, rule):
    assert _broken(ExporterHarness, tmp_path, component) == [f"test_{rule}"]


SOURCE = """
{early}
from handloom.api import Ports, Sensor


class Made(Sensor):
    summary = "Made by a test"

    def __init__(self, config=None):
        super().__init__(config)
        {late}

    @classmethod
    def ports(cls, config):
        return Ports()

    def read(self, files, progress): ...
"""


@pytest.mark.parametrize(
    ("early", "late", "rule", "words"),
    [
        ("", "pass", "", ""),
        ("import scipy", "pass", "listing_imports_no_heavy_library", "scipy"),
        ("", "import scipy", "making_one_opens_nothing", "imports .*scipy"),
        ("", "open(__file__).close()", "making_one_opens_nothing", "opens .*open .*made"),
        ("import threading", "threading.Thread(target=threading.Event().wait, daemon=True).start()",
         "making_one_opens_nothing", "a thread"),
    ],
)  # fmt: skip
def test_what_listing_and_making_do_is_seen(tmp_path, monkeypatch, early, late, rule, words):
    name = f"made_{next(_counter)}"
    (tmp_path / f"{name}.py").write_text(SOURCE.format(early=early, late=late))
    monkeypatch.syspath_prepend(tmp_path)

    class Harness(SensorHarness):
        component = import_module(name).Made

    failed = {}
    for probed in PROBED:
        try:
            getattr(Harness(), probed)()
        except AssertionError as error:
            failed[probed] = str(error)
    assert list(failed) == ([f"test_{rule}"] if rule else [])
    assert all(re.search(words, message) for message in failed.values())
