"""What a component made is held against what it declared, before anything of it is kept."""

import attrs
import numpy as np
import pytest

from handloom.api import Outputs
from handloom.errors import StreamError
from handloom.run.outputs import checked
from handloom.streams import Samples, StreamType

PIPELINE = """
[episodes.one]
ramp = "one.txt"
[sensors.ramp]
kind = "ramp"
[steps.twice]
kind = "double"
inputs.level = "ramp.level"
"""


@pytest.fixture
def twice(lab):
    return lab.plan(PIPELINE).nodes["twice"]


def level(node, **changes):
    declared = attrs.evolve(node.ports.outputs["level"].type, **changes)
    return Samples(type=declared, data=np.zeros(3, declared.dtype), stamps=np.arange(3))


def test_a_stream_gets_the_clock_of_the_input_it_follows(twice):
    assert checked(twice, Outputs(streams={"level": level(twice)}))["level"].type.clock == "ramp"


def test_a_stream_that_was_promised_and_not_written_is_refused(twice):
    with pytest.raises(StreamError, match="'double' declares level but did not write it"):
        checked(twice, Outputs())


@pytest.mark.parametrize("change", [{"unit": "furlong"}, {"dtype": "float32"}, {"clock": "another"}])
def test_a_stream_of_another_type_than_promised_is_refused(twice, change):
    with pytest.raises(StreamError, match=r"'double' declares level as .* but wrote"):
        checked(twice, Outputs(streams={"level": level(twice, **change)}))


def test_a_step_writes_nothing_it_did_not_promise(twice):
    streams = {"level": level(twice), "more": level(twice)}
    with pytest.raises(StreamError, match="wrote a stream 'more' that it does not declare"):
        checked(twice, Outputs(streams=streams))


def test_a_sensor_may_write_more_than_it_promised(lab):
    ramp = lab.plan(PIPELINE).nodes["ramp"]
    more = Samples(type=StreamType(kind="scalar", dtype="float64"), data=np.zeros(2), stamps=np.arange(2))
    streams = {name: level_of(port.type) for name, port in ramp.ports.outputs.items()}
    assert checked(ramp, Outputs(streams={**streams, "more": more}))["more"].type.clock == "ramp"


def level_of(type_):
    shape = tuple(length or 1 for length in type_.shape)
    return Samples(type=type_, data=np.zeros((2, *shape), type_.dtype), stamps=np.arange(2))
