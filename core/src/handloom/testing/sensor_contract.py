"""What every sensor keeps."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from handloom.api import Outputs, Sensor
from handloom.testing.component_contract import ComponentContract
from handloom.testing.outputs import check_outputs, digest, json_text
from handloom.testing.refusal import Rising, no_progress, sentence_from


class SensorContract(ComponentContract):
    """Inherit, name your class as `component`, and return a small real recording from `files`."""

    @abstractmethod
    def files(self, tmp_path: Path) -> tuple[Path, ...]:
        """Return the files of one recording; may write them into `tmp_path`."""

    def read(self, tmp_path: Path) -> Outputs:
        """Read the recording with a fresh sensor, as the runner does: what it makes of its files first."""
        sensor: Sensor = self.make()
        scratch = tmp_path / "prepared"
        scratch.mkdir(exist_ok=True)
        return sensor.read(sensor.prepare(self.files(tmp_path), scratch), no_progress)

    def test_outputs_are_as_declared(self, tmp_path: Path) -> None:
        """Every declared stream is there, of its type, with int64 stamps in order; lost poses are NaN."""
        check_outputs(self.read(tmp_path), self.ports(), more=True)

    def test_the_same_files_give_the_same_bytes(self, tmp_path: Path) -> None:
        """Reading is deterministic."""
        assert digest(self.read(tmp_path)) == digest(self.read(tmp_path))

    def test_progress_rises(self, tmp_path: Path) -> None:
        """It stays between 0 and 1."""
        progress = Rising()
        self.make().read(self.files(tmp_path), progress)
        progress.check()

    def test_a_missing_file_gives_a_sentence_with_its_name(self, tmp_path: Path) -> None:
        """The person who recorded shall find the file."""
        missing = tuple(tmp_path / "not there" / path.name for path in self.files(tmp_path))
        message = sentence_from(lambda: self.make().read(missing, no_progress))
        assert any(path.name in message for path in missing), f"the message names no file: {message}"

    def test_no_path_of_this_machine_is_kept(self, tmp_path: Path) -> None:
        """A store can be moved; what goes into it holds no absolute path."""
        text = json_text(self.read(tmp_path))
        for path in self.files(tmp_path):
            assert str(path.resolve().parent) not in text, f"attributes or notes hold {path.resolve().parent}"

    def test_the_recording_stays_as_it_is(self, tmp_path: Path) -> None:
        """A sensor reads; it writes nothing beside its files."""
        files = self.files(tmp_path)
        before = _listing(files)
        self.make().read(files, no_progress)
        assert _listing(files) == before


def _listing(files: tuple[Path, ...]) -> dict[str, tuple[int, int]]:
    folders = sorted({path.parent for path in files})
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for folder in folders
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
