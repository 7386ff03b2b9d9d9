"""What a class must have is checked without making an instance."""

import attrs
import pytest

from handloom.api import Component, FrameStep, Outputs, Ports, PoseSource, Sensor, Step
from handloom.host.contract import problem_of


@attrs.frozen
class Frozen:
    rate_hz: float


@attrs.define
class Thawed:
    rate_hz: float = attrs.field(default=1.0, validator=attrs.validators.instance_of(float))


class Good(Sensor):
    Config = Frozen
    summary = "Reads nothing"

    @classmethod
    def ports(cls, config):
        return Ports()

    def read(self, files, progress):
        return Outputs()


class GoodStep(Step):
    summary = "Does nothing"

    @classmethod
    def ports(cls, config):
        return Ports()

    def run(self, inputs, progress):
        return Outputs()


def _like(base, **changes):
    return type("Changed", (base,), changes)


def test_a_class_that_keeps_the_contract_has_no_problem():
    assert problem_of("sensors", Good) == ""
    assert problem_of("steps", GoodStep) == ""
    assert problem_of("calibrations", Good) == ""


@pytest.mark.parametrize(
    ("family", "answer", "problem"),
    [
        ("sensors", Good(Frozen(rate_hz=1.0)), "not a class"),
        ("sensors", GoodStep, "must derive from handloom.api.Sensor"),
        ("pose_sources", GoodStep, "must derive from handloom.api.PoseSource"),
        ("steps", Good, "must derive from handloom.api.Step or handloom.api.FrameStep"),
        ("steps", FrameStep, "lacks `finish`, `frame`, `ports`, `start`, `views`"),
        ("calibrations", dict, "must derive from handloom.api.Component"),
        ("robots", Good, "must derive from handloom.api.Robot"),
        ("controllers", Good, "must derive from handloom.api.Controller or handloom.api.Law"),
        ("sensors", _like(Good, Config=Thawed), "must be a class made by `@attrs.frozen`"),
        ("sensors", _like(Good, Config=dict), "must be a class made by `@attrs.frozen`"),
        ("sensors", _like(Good, summary=""), "summary must be one line"),
        ("sensors", _like(Good, summary="a\nb"), "summary must be one line"),
        ("sensors", _like(Good, version=0), "version must be a whole number"),
        ("sensors", _like(Good, version=True), "version must be a whole number"),
        ("sensors", _like(Good, ports=lambda config: Ports()), "ports must be a `@classmethod`"),
        ("commands", 3, "not a function"),
    ],
)
def test_each_breach_is_a_sentence(family, answer, problem):
    assert problem in problem_of(family, answer)


def test_a_component_that_sets_nothing_is_frozen_too():
    assert problem_of("pose_sources", _like(PoseSource, ports=GoodStep.__dict__["ports"], run=GoodStep.run)) == (
        "Changed.summary must be one line that says what it is for; found ''."
    )
    assert issubclass(PoseSource, Component)
