"""What a component takes and gives, declared before anything is opened, so that a plan can be checked on paper."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from handloom.streams import StreamType


def _as_tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


@attrs.frozen(kw_only=True)
class InputPort:
    """One input, or a bundle of them, described by what fits.

    Attributes:
        kinds: Stream kinds that fit; empty means any.
        unit: The only unit that fits; None means any. Nothing is ever converted silently.
        body: The only pose body that fits; None means any.
        many: Takes every stream that fits (or those listed in the config) instead of exactly one.
        optional: The component also works without it.
    """

    kinds: tuple[str, ...] = attrs.field(default=(), converter=_as_tuple)
    unit: str | None = None
    body: str | None = None
    many: bool = False
    optional: bool = False

    def fits(self, type_: StreamType) -> bool:
        """Say whether a stream of this type may be wired to the port."""
        return (
            (not self.kinds or type_.kind in self.kinds)
            and (self.unit is None or type_.unit == self.unit)
            and (self.body is None or type_.body == self.body)
        )

    def __str__(self) -> str:
        what = " or ".join(self.kinds) or "any stream"
        unit = f" in {self.unit}" if self.unit is not None else ""
        body = f" of {self.body}" if self.body is not None else ""
        return f"{what}{body}{unit}"


@attrs.frozen(kw_only=True)
class OutputPort:
    """One stream a component writes.

    Attributes:
        type: Its type; "@" in clock, frame and body stands for the component's name in the config.
        optional: Not every recording has it; a missing one is no error until somebody needs it.
        clock_of: Name of the input whose clock this output is stamped on; "" when the type names the clock.
        frame_clock_of: Name of the input whose clock is this output's frame, as a clock map's target is; "" when
            the type names the frame.
    """

    type: StreamType
    optional: bool = False
    clock_of: str = ""
    frame_clock_of: str = ""


@attrs.frozen(kw_only=True)
class Ports:
    """All inputs and outputs of a component with a given config.

    Attributes:
        inputs: By the name used in `inputs.NAME = "device.stream"`.
        outputs: By the name used after the dot in "device.stream".
        files: What recorded files it reads, one line for people ("one MP4, or its chapters"); "" for none.
    """

    inputs: Mapping[str, InputPort] = attrs.field(factory=dict)
    outputs: Mapping[str, OutputPort] = attrs.field(factory=dict)
    files: str = ""
