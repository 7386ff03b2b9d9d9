"""The ZIP file: readable by Python, past 65535 entries and 4 GiB, and no ZIP file until it is finished."""

import io
import zipfile

import pytest

from handloom_exporters.umi.stored_zip import StoredZip


def written(entries, **limits):
    file = io.BytesIO()
    archive = StoredZip(file, **limits)
    for name, data in entries:
        archive.add(name, data)
    archive.finish()
    return file


ENTRIES = [("a/.zgroup", b"{}"), ("a/0.0", b"\x00\xff" * 999), ("empty", b"")]


@pytest.mark.parametrize("limit", [0xFFFFFFFF, 30])
def test_what_was_written_is_read_back(limit):
    file = written(ENTRIES, offset_limit=limit)
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        assert [(entry.filename, archive.read(entry)) for entry in archive.infolist()] == ENTRIES
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o100644}


def test_more_entries_than_16_bits_count_are_read_back():
    entries = [(str(number), b"") for number in range(66_000)]
    with zipfile.ZipFile(written(entries)) as archive:
        assert len(archive.infolist()) == 66_000


def test_the_same_entries_give_the_same_bytes():
    assert written(ENTRIES).getvalue() == written(ENTRIES).getvalue()


def test_an_unfinished_file_is_no_zip_file():
    file = io.BytesIO()
    archive = StoredZip(file)
    for name, data in ENTRIES:
        archive.add(name, data)
    assert not zipfile.is_zipfile(file)
