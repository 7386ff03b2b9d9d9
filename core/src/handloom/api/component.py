"""What every plugin class has in common: a frozen Config, a summary, ports, and a harmless constructor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import attrs

from handloom.api.ports import Ports


@attrs.frozen
class NoConfig:
    """The Config of a component that has nothing to set."""


class Component(ABC):
    """Base of all components.

    Attributes:
        Config: Frozen attrs class of the settings; units are in the names (`rate_hz`).
        summary: One line that says what it is for.
        version: Raised whenever the same settings and inputs would give other outputs; makes old results stale.
    """

    Config: ClassVar[type] = NoConfig
    summary: ClassVar[str] = ""
    version: ClassVar[int] = 1

    def __init__(self, config: Any = None) -> None:
        self.config = self.Config() if config is None else config

    @classmethod
    @abstractmethod
    def ports(cls, config: Any) -> Ports:
        """Declare inputs and outputs without opening a device, a file or a heavy library."""
