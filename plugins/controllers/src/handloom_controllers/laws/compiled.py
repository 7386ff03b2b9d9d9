"""The compiled laws, made and stepped from Python."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from handloom.errors import HandloomError
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.native import Library


class CompiledLaw:
    """A law of the compiled library; it lives as long as this object.

    Attributes:
        address: Of its `hl_law_v1`.
    """

    def __init__(self, library: Library, name: str, *settings: Struct) -> None:
        self._library, self._name = library, name
        self._handle = library.call(f"hl_{name}_create", *settings)
        if not self._handle:
            raise HandloomError(
                f"The compiled law hl_{name} refuses its settings: a number in them is not finite or out of range."
            )
        self.address = library.call(f"hl_{name}_law", self._handle)
        weakref.finalize(self, library.call, f"hl_{name}_destroy", self._handle)

    def step(self, state: Struct, reference: Struct, command: Struct) -> int:
        """Fill an `hl_command` from an `hl_state` and an `hl_reference`; returns HL_OK or HL_ERROR_*."""
        return self.bound(state, reference, command)()

    def bound(self, state: Struct, reference: Struct, command: Struct) -> Callable[[], int]:
        """Return `step` with these buffers fixed: the fast way to call it again and again."""
        return self._library.bound("hl_law_step", self.address, state, reference, command)

    def bound_many(self, states: Struct, references: Struct, lost: Any, commands: Struct, statuses: Any) -> Any:
        """Return `hl_law_step_many` with these arrays fixed."""
        return self._library.bound(
            "hl_law_step_many", self.address, len(states), states, references, lost, commands, statuses
        )


class CompiledImpedance(CompiledLaw):
    """The Cartesian impedance law."""

    def __init__(self, library: Library, config: Struct, gains: Struct) -> None:
        super().__init__(library, "impedance", config, gains)

    def set_gains(self, gains: Struct) -> None:
        """Blend to other gains; may be called from any thread while the loop steps the law.

        Raises:
            HandloomError: They are negative or not finite.
        """
        if self._library.call("hl_impedance_set_gains", self._handle, gains):
            raise HandloomError("Gains must be finite and not negative; the law keeps those it has.")


class CompiledFollowing(CompiledLaw):
    """Cartesian following for position-controlled arms."""

    def __init__(self, library: Library, config: Struct) -> None:
        super().__init__(library, "following", config)
