"""What every step keeps: plain ones, pose sources, and those that look at frames."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path

import attrs
import numpy as np

from handloom.api import Inputs, Outputs
from handloom.media import View, Views
from handloom.streams import Samples
from handloom.testing.component_contract import ComponentContract
from handloom.testing.memory_inputs import MemoryInputs
from handloom.testing.outputs import check_outputs, digest, json_text
from handloom.testing.refusal import Rising, no_progress, sentence_from


class _InputsContract(ComponentContract):
    """What steps and frame steps share: they are given inputs and give outputs."""

    @abstractmethod
    def inputs(self, tmp_path: Path) -> MemoryInputs:
        """Return the inputs of one small episode, the same each time; may write files into `tmp_path`."""

    @abstractmethod
    def run(self, inputs: Inputs) -> Outputs:
        """Run a fresh step."""

    def test_the_inputs_of_this_test_fit_the_ports(self, tmp_path: Path) -> None:
        """A port that is not optional is wired, to something that fits."""
        inputs = self.inputs(tmp_path)
        for name, port in self.ports().inputs.items():
            assert port.optional or name in inputs.wired, f"nothing is wired to port '{name}'"
            for full, stream in inputs.streams(name).items():
                assert port.fits(stream.type), f"{full} ({stream.type}) does not fit port '{name}' ({port})"

    def test_outputs_are_as_declared(self, tmp_path: Path) -> None:
        """Every declared stream is there, of its type, with int64 stamps in order; lost poses are NaN."""
        inputs = self.inputs(tmp_path)
        clocks = {
            port: next(iter(streams.values())).type.clock
            for port in self.ports().inputs
            if (streams := inputs.streams(port))
        }
        check_outputs(self.run(inputs), self.ports(), clocks)

    def test_the_same_inputs_give_the_same_bytes(self, tmp_path: Path) -> None:
        """A step is pure."""
        first, second = (digest(self.run(self.inputs(tmp_path))) for _ in range(2))
        assert first == second

    def test_no_path_of_this_machine_is_kept(self, tmp_path: Path) -> None:
        """A store can be moved; what goes into it holds no absolute path."""
        assert str(tmp_path) not in json_text(self.run(self.inputs(tmp_path)))


class StepContract(_InputsContract):
    """Inherit, name your class as `component`, and return a small episode from `inputs`."""

    def run(self, inputs: Inputs) -> Outputs:
        """Run a fresh step."""
        outputs: Outputs = self.make().run(inputs, no_progress)
        return outputs

    def test_progress_rises(self, tmp_path: Path) -> None:
        """It stays between 0 and 1."""
        progress = Rising()
        self.make().run(self.inputs(tmp_path), progress)
        progress.check()


class PoseSourceContract(StepContract):
    """Inherit, name your class as `component`, and return a small episode from `inputs`."""

    def test_it_gives_poses(self, tmp_path: Path) -> None:
        """A pose source has a pose among its outputs, with a frame and a body."""
        poses = [s for s in self.run(self.inputs(tmp_path)).streams.values() if s.type.kind == "pose"]
        assert poses, "no output is a pose"
        assert all(pose.type.frame and pose.type.body for pose in poses), "a pose T_a_b needs names for a and b"

    def test_some_pose_is_tracked(self, tmp_path: Path) -> None:
        """A test on an episode that is lost altogether would show nothing."""
        poses = [s for s in self.run(self.inputs(tmp_path)).streams.values() if s.type.kind == "pose"]
        assert any(isinstance(p, Samples) and p.tracked is not None and p.tracked.any() for p in poses)

    def test_a_missing_file_gives_a_sentence(self, tmp_path: Path) -> None:
        """Only for those that read files."""
        inputs = self.inputs(tmp_path)
        if not inputs.files:
            return
        missing = tuple(tmp_path / "not there" / path.name for path in inputs.files)
        sentence_from(lambda: self.run(attrs.evolve(inputs, files=missing)))


class FrameStepContract(_InputsContract):
    """Inherit, name your class as `component`, and return an episode with a video from `inputs`."""

    def pictures(self, index: int, views: Mapping[str, View]) -> Views:
        """Return the pictures of a frame; noise from the index as a seed unless overridden."""
        noise = np.random.default_rng(index)
        due = {name: view for name, view in sorted(views.items()) if index % view.every == 0}
        made = {name: noise.integers(0, 256, _size(view), dtype=np.uint8) for name, view in due.items()}
        for picture in made.values():
            picture.flags.writeable = False
        return Views(made)

    def run(self, inputs: Inputs) -> Outputs:
        """Feed a fresh step all frames of its video."""
        return self.feed(self.make(), inputs)

    def feed(self, step: object, inputs: Inputs) -> Outputs:
        """Feed a step all frames of its video."""
        component = self.component
        views = component.views(self.config())  # type: ignore[attr-defined]
        step.start(inputs)  # type: ignore[attr-defined]
        stamps = inputs.video(component.video).stamps  # type: ignore[attr-defined]
        for index, stamp in enumerate(stamps.tolist()):
            step.frame(index, stamp, self.pictures(index, views))  # type: ignore[attr-defined]
        outputs: Outputs = step.finish()  # type: ignore[attr-defined]
        return outputs

    def test_the_video_is_one_of_its_inputs(self) -> None:
        """The decode pass asks for it by that name."""
        assert self.component.video in self.ports().inputs  # type: ignore[attr-defined]

    def test_a_second_episode_does_not_remember_the_first(self, tmp_path: Path) -> None:
        """`start` begins anew."""
        step = self.make()
        first = digest(self.feed(step, self.inputs(tmp_path)))
        assert digest(self.feed(step, self.inputs(tmp_path))) == first


def _size(view: View) -> tuple[int, ...]:
    height, width = view.height or 48, view.width or 64
    return (height, width, 3) if view.format == "rgb" else (height, width)
