"""The laws: what turns the reference of a cycle into joint commands, compiled and, to be read, in numpy."""

from handloom_controllers.laws.compiled import CompiledFollowing, CompiledImpedance, CompiledLaw
from handloom_controllers.laws.following_numpy import NumpyFollowing
from handloom_controllers.laws.foreign import ForeignLaw
from handloom_controllers.laws.impedance_numpy import NumpyImpedance
from handloom_controllers.laws.struct_law import StructLaw, TableLaw

__all__ = [
    "CompiledFollowing",
    "CompiledImpedance",
    "CompiledLaw",
    "ForeignLaw",
    "NumpyFollowing",
    "NumpyImpedance",
    "StructLaw",
    "TableLaw",
]
