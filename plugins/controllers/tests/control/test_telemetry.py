"""The telemetry file is a plain array, whole at any instant."""

import errno
import resource
import shutil
import signal
from unittest.mock import Mock

import numpy as np
import pytest

from handloom.errors import RecordingError
from handloom_controllers.control import telemetry
from handloom_controllers.control.telemetry import DTYPE, TelemetryWriter, read_telemetry


def test_what_was_appended_is_read_back_by_numpy_alone(tmp_path, made_up):
    records = made_up(50)
    with TelemetryWriter(tmp_path / "new" / "telemetry.npy") as writer:
        for first in (0, 10, 20):
            writer.append(records[first : first + 10])
        writer.append(records[30:30])
        writer.append(records[30:])
    read = np.load(writer.path, allow_pickle=False)
    assert np.array_equal(read.view("u1"), records.view("u1"))
    assert read["T_base_tcp"].shape == (50, 7)


def test_it_is_whole_after_each_append_whatever_happens_then(tmp_path, made_up):
    records, copy = made_up(30), tmp_path / "copy.npy"
    with TelemetryWriter(tmp_path / "telemetry.npy") as writer:
        shutil.copy(writer.path, copy)
        assert len(read_telemetry(copy)) == 0
        writer.append(records[:20])
        shutil.copy(writer.path, copy)
        with copy.open("ab") as torn:  # killed inside the next append: bytes are there that no header tells of
            torn.write(records[20:].tobytes()[:1000])
        assert np.array_equal(read_telemetry(copy)["stamp_ns"], records["stamp_ns"][:20])


def test_a_new_motion_replaces_the_old_one(tmp_path, made_up):
    for count in (30, 10):
        with TelemetryWriter(tmp_path / "telemetry.npy") as writer:
            writer.append(made_up(count))
    assert len(read_telemetry(writer.path)) == 10


def test_a_file_that_another_motion_writes_is_left_to_it(tmp_path, made_up):
    with TelemetryWriter(tmp_path / "telemetry.npy") as first:
        first.append(made_up(10))
        with pytest.raises(RecordingError, match="another motion is writing it; wait for its end, or give"):
            TelemetryWriter(first.path).open()
        first.append(made_up(20))
    assert len(read_telemetry(first.path)) == 30
    assert [path.name for path in tmp_path.iterdir()] == ["telemetry.npy"]


def test_whoever_reads_a_motion_keeps_it_when_a_new_one_begins(tmp_path, made_up):
    with TelemetryWriter(tmp_path / "telemetry.npy") as first:
        first.append(made_up(2000))
    read = read_telemetry(first.path)
    with TelemetryWriter(first.path):  # were the file emptied, the next line would end the process
        assert np.array_equal(read["stamp_ns"], made_up(2000)["stamp_ns"])


def test_a_disk_without_any_room_is_told_in_a_sentence(tmp_path, monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(telemetry, "_header", Mock(side_effect=full))
    with pytest.raises(RecordingError, match=r"telemetry\.npy: no telemetry can be written \(No space left"):
        TelemetryWriter(tmp_path / "telemetry.npy").open()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"PK\x03\x04 is how a zip begins", None])
def test_another_file_is_refused_with_its_name(tmp_path, content):
    file = tmp_path / "telemetry.npy"
    if content is None:
        np.save(file, np.zeros(3))
    else:
        file.write_bytes(content)
    with pytest.raises(RecordingError, match=r"telemetry\.npy"):
        read_telemetry(file)


@pytest.mark.parametrize("shape", [(), (2, 5)])
def test_records_that_are_no_list_are_refused(tmp_path, shape):
    np.save(tmp_path / "telemetry.npy", np.zeros(shape, dtype=DTYPE))
    with pytest.raises(RecordingError, match="not the telemetry"):
        read_telemetry(tmp_path / "telemetry.npy")


def test_records_are_those_of_the_loop():
    assert DTYPE.itemsize == 768
    assert "lateness_ns" in DTYPE.names


def test_a_disk_that_fills_up_is_told_in_a_sentence_and_costs_nothing_before(tmp_path, made_up):
    records = made_up(4000)
    with TelemetryWriter(tmp_path / "telemetry.npy") as writer:
        writer.append(records[:10])
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(RecordingError, match=r"telemetry\.npy: .*The first 10 records are whole"):
                writer.append(records[10:])
            with pytest.raises(RecordingError):
                writer.append(records[10:])
            writer.close()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
    assert np.array_equal(read_telemetry(writer.path)["stamp_ns"], records["stamp_ns"][:10])
