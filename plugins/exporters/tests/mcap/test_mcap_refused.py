"""What the system refuses while an MCAP file is written: one error that names it, and no file."""

import errno
import sys

import numpy as np
import pytest

from handloom.testing import MemoryInputs
from handloom_exporters.mcap import McapConfig, McapExporter

MS = 1_000_000
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of a file")


@pytest.fixture
def largest_file():
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    yield 20_000
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@needs_limits
@pytest.mark.parametrize("compression", ["none", "zstd"])
@pytest.mark.parametrize("rows", [600, 60_000])
def test_a_file_with_no_room_is_an_error_of_the_system(
    tmp_path, make_samples, largest_file, capfd, rows, compression
):
    noise = np.random.default_rng(0).normal(size=(rows, 3))
    streams = {"imu.acceleration": make_samples(noise, np.arange(rows) * MS, kind="acceleration", unit="m/s^2")}
    path = tmp_path / "a.mcap"
    with pytest.raises(OSError) as caught:
        McapExporter(McapConfig(compression=compression)).export(
            MemoryInputs(wired={"streams": streams}), path, lambda share: None
        )
    assert caught.value.errno == errno.EFBIG
    assert not path.exists()
    assert capfd.readouterr().err.count("\n") < 5


def test_a_folder_that_takes_no_file_is_named(tmp_path, make_samples):
    streams = {"imu.acceleration": make_samples(np.zeros((3, 3)), np.arange(3), kind="acceleration")}
    with pytest.raises(FileNotFoundError) as caught:
        McapExporter(McapConfig()).export(
            MemoryInputs(wired={"streams": streams}), tmp_path / "gone" / "a.mcap", lambda share: None
        )
    assert caught.value.filename == str(tmp_path / "gone" / "a.mcap")
