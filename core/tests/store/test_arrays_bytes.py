"""The bytes of arrays: the same for the same numbers, whichever thread writes them."""

import subprocess
import sys

PROGRAM = """
import sys, threading
from pathlib import Path
import numpy as np
from handloom.store.arrays import write_array
from handloom.store.disk import Disk

sound = np.round(np.random.default_rng(0).standard_normal((400_000, 2)), 2).astype(np.float32)
folder = Path(sys.argv[1])
digests = {write_array(Disk(), folder / str(number), sound) for number in range(8)}
other = threading.Thread(target=lambda: digests.add(write_array(Disk(), folder / "other", sound)))
other.start()
other.join()
print(len(digests))
"""


def test_equal_arrays_have_equal_bytes_however_often_they_are_written(tmp_path):
    # A process of its own: importing zarr, as other tests do, changes how many threads blosc takes.
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "1"
