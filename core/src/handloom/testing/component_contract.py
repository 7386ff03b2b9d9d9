"""What every component keeps, whatever its family."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from handloom.api import Component, Ports
from handloom.testing.probe import look_at


class ComponentContract:
    """Inherit the contract of your family instead; this is what they share.

    Attributes:
        component: The class under test.
    """

    component: ClassVar[type[Component]]

    def config(self) -> Any:
        """Return the settings to test with; the defaults unless overridden."""
        return self.component.Config()

    def ports(self) -> Ports:
        """Return the ports under these settings."""
        return self.component.ports(self.config())

    def make(self) -> Any:
        """Return a fresh component."""
        return self.component(self.config())

    def test_summary_is_one_line(self) -> None:
        """A list of plugins shows it beside the kind."""
        summary = self.component.summary
        assert summary.strip() == summary, "summary has blanks around it"
        assert summary, "summary is empty"
        assert len(summary.splitlines()) == 1, "summary has several lines"

    def test_version_counts_from_one(self) -> None:
        """It is part of what makes old results stale."""
        assert isinstance(self.component.version, int)
        assert self.component.version >= 1

    def test_config_is_frozen(self) -> None:
        """Settings are hashed; they may not change afterwards."""
        config = self.config()
        assert isinstance(config, self.component.Config)
        assert attrs.has(self.component.Config), "Config is not an attrs class"
        name = next((field.name for field in attrs.fields(self.component.Config)), "anything")
        try:
            setattr(config, name, None)
        except (attrs.exceptions.FrozenInstanceError, AttributeError):
            return
        raise AssertionError("Config can be changed; make it with @attrs.frozen")

    def test_ports_are_the_same_each_time(self) -> None:
        """A plan asks more than once."""
        assert isinstance(self.ports(), Ports)
        assert self.ports() == self.ports()

    def test_every_input_an_output_takes_its_clock_from_exists(self) -> None:
        """`clock_of` and `frame_clock_of` name input ports."""
        ports = self.ports()
        for name, port in ports.outputs.items():
            for source in (port.clock_of, port.frame_clock_of):
                assert not source or source in ports.inputs, (
                    f"output '{name}' takes its clock from input '{source}', which is not declared"
                )

    def test_listing_imports_no_heavy_library(self) -> None:
        """Import heavy libraries inside the function that needs them."""
        seen = look_at(self.component, self.config())
        assert not seen["heavy"], f"importing the module and asking for ports imports {seen['heavy']}"

    def test_making_one_opens_nothing(self) -> None:
        """No file, device, socket, process, thread or heavy library in the constructor."""
        seen = look_at(self.component, self.config())
        assert not seen["opened"], f"the constructor opens {seen['opened']}"
        assert not seen["heavy_later"], f"the constructor imports {seen['heavy_later']}"
