"""Load the arm's compiled library and check that it goes with this package and with the MuJoCo in this process."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom_simulation.arm.compiling import ArmBuildError, compiled
from handloom_simulation.arm.structs import STRUCTS

_ADDRESS = ctypes.c_void_p
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "hl_arm_create": (_ADDRESS, _ADDRESS),
    "hl_arm_destroy": (None, _ADDRESS),
    "hl_arm_robot": (_ADDRESS, _ADDRESS),
    "hl_arm_restart": (None, _ADDRESS),
    "hl_arm_push": (None, _ADDRESS, _ADDRESS, ctypes.c_int64),
    "hl_arm_grasp": (None, _ADDRESS, ctypes.c_double, ctypes.c_double),
    "hl_arm_truth_of": (None, _ADDRESS, _ADDRESS),
    "hl_arm_forget_peaks": (None, _ADDRESS),
    "hl_arm_mujoco_version": (ctypes.c_int32,),
    "hl_arm_size_of": (ctypes.c_uint32, ctypes.c_char_p),
}
"""Result and arguments of each function of hl_arm.h."""


@cache
def library() -> Any:
    """Return the library, built where it was not, with its functions' signatures set.

    Raises:
        ArmBuildError: It can't be built or loaded, or goes with another MuJoCo.
    """
    import mujoco  # its shared library must be there before ours is loaded

    path = compiled()
    loaded = _load(path)
    version = loaded.hl_arm_mujoco_version()
    if version != mujoco.mj_version():
        raise ArmBuildError(
            f"{path} was built for MuJoCo {version}; this process runs {mujoco.mj_version()}. Delete that file."
        )
    for name, dtype in STRUCTS.items():
        size = loaded.hl_arm_size_of(name.encode())
        if size != dtype.itemsize:
            raise ArmBuildError(
                f"{path}: {name} has {size} bytes, this package takes it for {dtype.itemsize}. Delete that file."
            )
    return loaded


def _load(path: Path) -> Any:
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise ArmBuildError(f"{path} can't be loaded: {error}. Delete it, so that it is built again.") from error
    for name, (result, *arguments) in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def address(array: npt.NDArray[Any]) -> int:
    """Return where an array's memory begins; the caller keeps the array alive."""
    return int(array.ctypes.data)


class RobotTable:
    """The three functions behind an `hl_robot_v1`, callable from Python; they run without the GIL."""

    def __init__(self, table: int) -> None:
        from handloom_controllers.native.structs import STRUCTS as CONTRACT

        dtype = CONTRACT["hl_robot_v1"]
        row = np.frombuffer(ctypes.string_at(table, dtype.itemsize), dtype=dtype)[0]
        self._self = int(row["self"])
        self._read = ctypes.CFUNCTYPE(ctypes.c_int32, _ADDRESS, _ADDRESS)(int(row["read"]))
        self._write = ctypes.CFUNCTYPE(ctypes.c_int32, _ADDRESS, _ADDRESS)(int(row["write"]))
        self._stop = ctypes.CFUNCTYPE(None, _ADDRESS)(int(row["stop"]))

    def read(self, state: npt.NDArray[np.void]) -> int:
        """Fill an `hl_state`."""
        return int(self._read(self._self, address(state)))

    def write(self, command: npt.NDArray[np.void]) -> int:
        """Hand over an `hl_command`."""
        return int(self._write(self._self, address(command)))

    def stop(self) -> None:
        """Come to rest."""
        self._stop(self._self)
