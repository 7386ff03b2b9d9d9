"""What it costs to have the law at hand: loading the compiled library, against compiling Eigen at run time.

Both begin when cppyy and numpy are imported, in a process of their own, and end when the first call has returned.
CPU time counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from statistics import median

from benchmarks.harness import Bar, Measured

ROUNDS, QUICK_ROUNDS = 5, 1

LOAD = """
import json, time
before = time.process_time()
import cppyy
imported = time.process_time()
import numpy
from handloom_controllers.native import library
ready = time.process_time()
library("cppyy").call("hl_abi")
print(json.dumps([time.process_time() - ready, imported - before]))
"""

LAW = """
#include <Eigen/Dense>
// A law's hot path: damped nullspace projection of a torque, and the wrench of a pose error.
inline double torque_norm(const double* jacobian, const double* error, const double* posture) {
  const Eigen::Map<const Eigen::Matrix<double, 6, 7, Eigen::RowMajor>> J(jacobian);
  const Eigen::Map<const Eigen::Matrix<double, 6, 1>> e(error);
  const Eigen::Map<const Eigen::Matrix<double, 7, 1>> z(posture);
  Eigen::Matrix<double, 6, 6> damped = J * J.transpose();
  damped.diagonal().array() += 0.04;
  const Eigen::Matrix<double, 7, 1> tau = J.transpose() * (e - damped.llt().solve(J * z)) + z;
  return tau.norm();
}
"""

COMPILE = """
import json, sys, time
import cppyy
import numpy as np
imported = time.process_time()
cppyy.add_include_path(sys.argv[1])
cppyy.include(sys.argv[2])
told = cppyy.gbl.torque_norm(np.eye(6, 7).ravel(), np.ones(6), np.ones(7))
assert np.isfinite(told)
print(json.dumps([time.process_time() - imported]))
"""


def control_bars(*, quick: bool) -> list[Bar]:
    """Return the bar."""
    return [
        Bar(
            name="library and headers through cppyy, against Eigen compiled by cppyy",
            goal=50,
            compare=">=",
            unit="x: compiling / loading",
            measure=partial(measure_load, rounds=QUICK_ROUNDS if quick else ROUNDS),
        )
    ]


def measure_load(*, rounds: int) -> Measured:
    """Load and compile in turn, each time in a fresh process."""
    load, compile_, import_ = [], [], []
    eigen = eigen_folder()
    with tempfile.TemporaryDirectory() as folder:
        header = Path(folder) / "law.hpp"
        header.write_text(LAW)
        _child(LOAD)  # the verdict of the probe and the files of the disk are there before the first round
        for _ in range(rounds):
            loaded, imported = _child(LOAD)
            load.append(loaded)
            import_.append(imported)
            compile_ += _child(COMPILE, str(eigen), str(header))
    figures = {
        "load_cpu_s": median(load),
        "compile_cpu_s": median(compile_),
        "import_cppyy_cpu_s": median(import_),
    }
    value = median(theirs / ours for theirs, ours in zip(compile_, load, strict=True))
    return Measured(value=value, figures=figures)


def eigen_folder() -> Path:
    """Return the folder that holds `Eigen/Dense`.

    Raises:
        FileNotFoundError: There is none.
    """
    places = [Path("/usr/include/eigen3")]
    if named := os.environ.get("HANDLOOM_EIGEN"):
        places.insert(0, Path(named) / "include" / "eigen3")
    with suppress(PackageNotFoundError):
        places.insert(0, Path(str(distribution("cmeel-eigen").locate_file("cmeel.prefix/include/eigen3"))))
    found = next((place for place in places if (place / "Eigen" / "Dense").is_file()), None)
    if found is None:
        raise FileNotFoundError("Eigen's headers are needed to compare with: pip install cmeel-eigen")
    return found


def _child(code: str, *arguments: str) -> list[float]:
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    if ended.returncode:
        raise RuntimeError(f"A process of the benchmark failed:\n{ended.stderr}")
    values: list[float] = json.loads(ended.stdout.splitlines()[-1])
    return values
