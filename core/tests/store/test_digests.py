import os

import numpy as np
import pytest

from handloom.errors import StoreError
from handloom.store import FileHashes, settings_hash
from handloom.store import digests as digests_module
from handloom.store.media import media_name


def test_a_source_is_hashed_once_until_it_changes(film, monkeypatch):
    calls = []
    real = digests_module.hash_file
    monkeypatch.setattr(digests_module, "hash_file", lambda path: calls.append(path) or real(path))
    hashes = FileHashes()
    first = hashes.of(film)
    assert hashes.of(film) is first
    assert len(calls) == 1
    film.write_bytes(b"another take")
    assert hashes.of(film).sha256 != first.sha256
    assert len(calls) == 2


def test_a_remembered_digest_counts_until_the_file_changes(film):
    source = FileHashes().of(film)
    hashes = FileHashes()
    hashes.remember(film, source)
    assert hashes.of(film) is source
    film.write_bytes(b"another take")
    assert hashes.of(film).sha256 != source.sha256


def test_a_source_is_the_same_after_a_touch_and_another_after_a_change(film):
    source = FileHashes().of(film)
    os.utime(film, ns=(1, 1))
    assert source.is_still(film)
    data = film.read_bytes()
    film.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    assert not source.is_still(film)
    film.unlink()
    assert not source.is_still(film)


def test_a_missing_source_is_a_sentence(tmp_path):
    with pytest.raises(StoreError, match="can't be read"):
        FileHashes().of(tmp_path / "nothing.mp4")


def test_media_are_named_by_content_and_ending(film):
    source = FileHashes().of(film)
    assert media_name(source) == f"{source.sha256[:32]}.mp4"


def test_settings_are_the_same_in_any_order_and_as_numpy_scalars():
    assert settings_hash({"a": 1, "b": [1.5]}) == settings_hash({"b": (np.float32(1.5),), "a": np.int64(1)})
    assert settings_hash({"a": 1}) != settings_hash({"a": 2})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.zeros(2), {1, 2}, object()])
def test_what_is_not_json_is_refused(value):
    with pytest.raises(StoreError, match="can't be kept as JSON"):
        settings_hash({"a": value})


def test_text_that_no_file_holds_and_tables_without_end_are_no_json():
    deep: dict = {}
    for _ in range(100_000):
        deep = {"deep": deep}
    for values in ("\udcff", deep):
        with pytest.raises(StoreError, match="The settings can't be kept as JSON"):
            settings_hash({"value": values})
