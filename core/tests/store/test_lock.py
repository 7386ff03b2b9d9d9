import os
import signal
import subprocess
import sys
import time

import pytest

from handloom.store import Scene


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_worker_that_outlives_the_writer_does_not_keep_the_lock(bench):
    scene = bench.scene()
    worker = os.fork()
    if not worker:
        time.sleep(60)
        os._exit(0)
    try:
        time.sleep(0.05)
        scene.close()
        bench.scene().close()
    finally:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)


def test_importing_the_store_loads_neither_zarr_nor_a_codec():
    code = "import sys, handloom.store; print([n for n in ('zarr', 'numcodecs', 'av') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_scene_object_does_nothing_before_it_is_opened(tmp_path):
    Scene(tmp_path / "nowhere", mode="w")
    assert not (tmp_path / "nowhere").exists()
