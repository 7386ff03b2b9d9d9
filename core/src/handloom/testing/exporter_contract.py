"""What every exporter keeps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handloom.api import Inputs, Outputs, Rig
from handloom.errors import StepError
from handloom.streams import Samples, Stream, Video
from handloom.testing.component_contract import ComponentContract
from handloom.testing.outputs import check_outputs, json_text
from handloom.testing.refusal import Rising, no_progress, sentence_from


class ExporterContract(ComponentContract):
    """Inherit, name your class as `component`, and return a small episode from `inputs`."""

    @abstractmethod
    def inputs(self, tmp_path: Path) -> Inputs:
        """Return the inputs of one small episode; may write its media into `tmp_path`."""

    def export(self, tmp_path: Path, name: str = "first") -> Path:
        """Export into a folder of its own; return the path that was asked for."""
        folder = tmp_path / "exports" / name
        folder.mkdir(parents=True)
        path = folder / f"episode{self.component.suffix}"  # type: ignore[attr-defined]
        check_outputs(self.make().export(self.inputs(tmp_path), path, no_progress), self.ports())
        return path

    def test_it_writes_only_the_path_it_is_given(self, tmp_path: Path) -> None:
        """A file or a folder of that name, and nothing beside it."""
        path = self.export(tmp_path)
        assert path.exists(), f"{path.name} was not written"
        assert sorted(path.parent.iterdir()) == [path]

    def test_the_same_inputs_give_the_same_bytes(self, tmp_path: Path) -> None:
        """An export is deterministic: no time of day, no random name, no unsorted set in it."""
        first, second = self.export(tmp_path), self.export(tmp_path, "second")
        assert contents(first) == contents(second)

    def test_progress_rises(self, tmp_path: Path) -> None:
        """It stays between 0 and 1."""
        progress = Rising()
        path = tmp_path / f"progress{self.component.suffix}"  # type: ignore[attr-defined]
        self.make().export(self.inputs(tmp_path), path, progress)
        progress.check()

    def test_no_path_of_this_machine_is_kept(self, tmp_path: Path) -> None:
        """What it answers goes into a store, which can be moved."""
        path = tmp_path / f"paths{self.component.suffix}"  # type: ignore[attr-defined]
        outputs: Outputs = self.make().export(self.inputs(tmp_path), path, no_progress)
        assert str(tmp_path) not in json_text(outputs)

    def test_a_failure_leaves_nothing_beside_its_path(self, tmp_path: Path) -> None:
        """The runner sweeps the path away; of anything else it knows nothing."""
        folder = tmp_path / "failed"
        folder.mkdir()
        path = folder / f"episode{self.component.suffix}"  # type: ignore[attr-defined]
        failing = FailingInputs(self.inputs(tmp_path))
        sentence_from(lambda: self.make().export(failing, path, no_progress))
        assert [entry.name for entry in sorted(folder.iterdir()) if entry != path] == []


class FailingInputs:
    """Inputs whose streams can't be read: each attempt raises a StepError."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs

    @property
    def episode(self) -> str:
        """The episode's id."""
        return self._inputs.episode

    @property
    def episodes(self) -> tuple[str, ...]:
        """The scene's episodes."""
        return self._inputs.episodes

    def of(self, episode: str) -> FailingInputs:
        """Return inputs of one episode that fail as well."""
        return FailingInputs(self._inputs.of(episode))

    @property
    def files(self) -> tuple[Path, ...]:
        """The recorded files."""
        return self._inputs.files

    @property
    def rig(self) -> Rig:
        """The described hardware."""
        return self._inputs.rig

    def samples(self, port: str) -> Samples:
        """Refuse."""
        raise StepError(f"Port '{port}' can't be read: this test makes it fail.")

    def video(self, port: str) -> Video:
        """Refuse."""
        raise StepError(f"Port '{port}' can't be read: this test makes it fail.")

    def streams(self, port: str) -> Mapping[str, Stream]:
        """Refuse."""
        raise StepError(f"Port '{port}' can't be read: this test makes it fail.")

    def attributes(self, port: str) -> Mapping[str, Any]:
        """Pass through."""
        return self._inputs.attributes(port)


def contents(path: Path) -> dict[str, bytes]:
    """Return the bytes of a file, or of all files below a folder, by their place in it."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {
        entry.relative_to(path).as_posix(): entry.read_bytes()
        for entry in sorted(path.rglob("*"))
        if entry.is_file()
    }
