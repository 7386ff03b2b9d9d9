"""Three compilers in one process: cppyy's, numba's, and the libraries that come beside them, in any order."""

import subprocess
import sys

import pytest

USES = {
    "cppyy": "import cppyy; cppyy.cppdef('int seven() { return 7; }'); assert cppyy.gbl.seven() == 7",
    "numba": "import numba; assert numba.njit(lambda x: x + 1)(6) == 7",
    "mujoco": "import mujoco; assert mujoco.MjModel.from_xml_string('<mujoco/>').nq == 0",
    "cv2": "import cv2, numpy; assert cv2.countNonZero(numpy.ones((7, 1), numpy.uint8)) == 7",
}
AGAIN = "cppyy.cppdef('double half(double x) { return x / 2; }'); assert cppyy.gbl.half(3) == 1.5"


@pytest.mark.parametrize(
    "order",
    [
        ("cppyy", "numba", "mujoco", "cv2"),
        ("numba", "cppyy", "cv2", "mujoco"),
        ("mujoco", "cv2", "numba", "cppyy"),
        ("cv2", "mujoco", "cppyy", "numba"),
    ],
)
def test_they_live_in_one_process(native_once, order):
    if native_once.backend != "cppyy":
        pytest.skip("cppyy is not in this process")
    for name in order[1:]:
        if name != "cppyy":
            pytest.importorskip(name)
    code = "\n".join([*(USES[name] for name in order), AGAIN])
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
