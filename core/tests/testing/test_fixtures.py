"""The fixture hides what is installed."""

from __future__ import annotations

import pytest

from handloom.api import OutputPort, Outputs, Ports, Sensor
from handloom.errors import PluginError
from handloom.host import Host
from handloom.streams import StreamType

pytest_plugins = ("handloom.testing.fixtures",)


class Silent(Sensor):
    summary = "Hears nothing"

    @classmethod
    def ports(cls, config):
        type_ = StreamType(kind="scalar", dtype="float64")
        return Ports(outputs={"nothing": OutputPort(type=type_, optional=True)})

    def read(self, files, progress):
        return Outputs()


def test_only_the_given_plugins_are_found(only_these_plugins):
    host = only_these_plugins(sensors={"silent": Silent})
    assert host.kinds("sensors") == ("silent",)
    assert host.kinds("exporters") == ()
    assert host.load("sensors", "silent").component is Silent
    assert Host().kinds("sensors") == ("silent",)
    with pytest.raises(PluginError):
        host.load("sensors", "gopro")


def test_a_module_is_named_as_in_an_entry_point(only_these_plugins):
    host = only_these_plugins(sensors={"broken": "no.such.module"})
    with pytest.raises(PluginError, match=r"no\.such"):
        host.load("sensors", "broken")


def test_a_family_that_does_not_exist_is_refused(only_these_plugins):
    with pytest.raises(AssertionError, match="is no family"):
        only_these_plugins(sensor={"silent": Silent})
