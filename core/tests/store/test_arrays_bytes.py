"""The bytes of arrays: the same for the same numbers, whichever thread writes them."""

import threading

import numpy as np

from handloom.store.arrays import write_array
from handloom.store.disk import Disk


def test_equal_arrays_have_equal_bytes_however_often_they_are_written(tmp_path):
    sound = np.round(np.random.default_rng(0).standard_normal((400_000, 2)), 2).astype(np.float32)
    digests = {write_array(Disk(), tmp_path / str(number), sound) for number in range(8)}
    other = threading.Thread(target=lambda: digests.add(write_array(Disk(), tmp_path / "other", sound)))
    other.start()
    other.join()
    assert len(digests) == 1
