"""What fits a port: kind, unit and body, each only where the port asks for it."""

import attrs
import pytest

from handloom.api import InputPort
from handloom.streams import POSE

TOOL = attrs.evolve(POSE, frame="map", body="tool")


@pytest.mark.parametrize(
    ("port", "fits"),
    [
        (InputPort(), True),
        (InputPort(kinds="pose"), True),
        (InputPort(kinds=("scalar", "vector")), False),
        (InputPort(unit="m"), True),
        (InputPort(unit="mm"), False),
        (InputPort(body="tool"), True),
        (InputPort(body="camera"), False),
        (InputPort(kinds="pose", unit="m", body="tool"), True),
    ],
)
def test_a_stream_fits_where_nothing_that_is_asked_differs(port, fits):
    assert port.fits(TOOL) is fits


def test_a_port_reads_as_a_person_would_say_it():
    assert str(InputPort(kinds=("pose", "vector"), body="tool", unit="m")) == "pose or vector of tool in m"
