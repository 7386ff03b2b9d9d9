from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from handloom.errors import StoreError
from handloom.store import Disk, arrays
from handloom.store.arrays import read_array, write_array

DTYPES = sorted(arrays._DTYPES)
ANY = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=9))
)


def _getter(folder):
    return lambda path: (folder / path).read_bytes()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(array=ANY, chunk_bytes=st.sampled_from([1, 64, 4 << 20]))
def test_our_reader_and_zarr_read_what_was_written(tmp_path_factory, array, chunk_bytes, monkeypatch):
    monkeypatch.setattr(arrays, "_CHUNK_BYTES", chunk_bytes)
    folder = tmp_path_factory.mktemp("array")
    digest = write_array(Disk(), folder / "x", array)
    read = read_array(_getter(folder), "x", digest)
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)
    np.testing.assert_array_equal(zarr.open_array(folder / "x", mode="r")[...], array)


def test_arrays_that_are_not_contiguous_or_not_little_endian_are_kept(tmp_path):
    for number, array in enumerate([np.arange(60).reshape(6, 10)[::2, ::3], np.arange(5, dtype=">i4")]):
        digest = write_array(Disk(), tmp_path / str(number), array)
        np.testing.assert_array_equal(read_array(_getter(tmp_path), str(number), digest), array)


def test_long_arrays_are_split_evenly_into_few_chunks(tmp_path):
    array = np.arange(1_100_000, dtype=np.int64)
    write_array(Disk(), tmp_path / "x", array)
    chunks = sorted(tmp_path.glob("x/c.*"))
    assert [c.name for c in chunks] == ["c.0", "c.1", "c.2"]
    assert zarr.open_array(tmp_path / "x", mode="r").chunks == (366_667,)


def test_a_thread_writes_the_same_bytes_as_the_main_thread(tmp_path):
    array = np.random.default_rng(0).integers(0, 900, 400_000).astype(np.int16)
    digest = write_array(Disk(), tmp_path / "x", array)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(write_array, Disk(), tmp_path / "y", array).result() == digest


def test_text_and_dates_are_refused(tmp_path):
    with pytest.raises(StoreError, match="keeps bool, float32"):
        write_array(Disk(), tmp_path / "x", np.array(["a"]))


def test_a_missing_float_chunk_is_nan_for_plain_zarr(tmp_path):
    write_array(Disk(), tmp_path / "x", np.ones((4, 2)))
    (tmp_path / "x" / "c.0.0").unlink()
    assert np.isnan(zarr.open_array(tmp_path / "x", mode="r")[...]).all()


def test_an_array_of_another_form_is_left_to_zarr(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(4))
    with pytest.raises(StoreError, match="read it with zarr"):
        read_array(_getter(tmp_path), "x", "")
