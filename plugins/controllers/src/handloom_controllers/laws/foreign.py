"""A compiled law of any distribution: the address of its table, stepped from Python."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from handloom.errors import HandloomError
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.native import structs


class ForeignLaw:
    """A law behind an `hl_law_v1`.

    Args:
        address: Of the table.
        owner: What keeps everything behind the address alive.

    Attributes:
        address: Of the table.

    Raises:
        HandloomError: The table is of another ABI or size.
    """

    def __init__(self, address: int, owner: Any) -> None:
        self.address, self._owner = address, owner
        dtype = structs.STRUCTS["hl_law_v1"]
        table = np.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype=dtype)[0]
        if (int(table["abi"]), int(table["struct_size"])) != (structs.ABI, dtype.itemsize):
            raise HandloomError(
                f"The law's table is of ABI {table['abi']} with {table['struct_size']} bytes; expected ABI "
                f"{structs.ABI} with {dtype.itemsize}. Compile it against this handloom_rt.h."
            )
        self._self = int(table["self"])
        self._step = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 4)(int(table["step"]))

    def step(self, state: Struct, reference: Struct, command: Struct) -> int:
        """Fill an `hl_command` from an `hl_state` and an `hl_reference`; returns HL_OK or HL_ERROR_*."""
        addresses = (buffer.ctypes.data for buffer in (state, reference, command))
        return int(self._step(self._self, *addresses))
