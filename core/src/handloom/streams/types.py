"""What a stream carries: kind, dtype, shape, unit, frame and clock, as a value that can be compared and stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from handloom.errors import StreamError, did_you_mean
from handloom.streams.kinds import KINDS

OWN = "@"
"""Stands for the device's own name in a declared clock or frame, until `StreamType.bind` puts the name there."""


def _known_kind(_: object, __: object, kind: str) -> None:
    if kind not in KINDS:
        raise StreamError(f"Stream kind '{kind}' is unknown{did_you_mean(kind, KINDS)}")


def _as_shape(shape: Any) -> tuple[int | None, ...]:
    return tuple(shape)


@attrs.frozen(kw_only=True)
class StreamType:
    """The type of a stream.

    Attributes:
        kind: One of `KINDS`.
        dtype: numpy name of one element, e.g. "float64".
        shape: Shape of one sample; None where the length is known only from the recording.
        unit: Unit of the elements; "1" for none.
        frame: Coordinate frame the values are expressed in; for a pose the parent `a` of `T_a_b`; "" for none.
        body: For a pose the child `b` of `T_a_b`; "" otherwise.
        clock: Name of the clock the stamps are on. "@" is the device's own clock.
    """

    kind: str = attrs.field(validator=_known_kind)
    dtype: str
    shape: tuple[int | None, ...] = attrs.field(default=(), converter=_as_shape)
    unit: str = "1"
    frame: str = ""
    body: str = ""
    clock: str = OWN

    def bind(self, device: str) -> StreamType:
        """Put the device's name in place of "@" in clock, frame and body."""
        return attrs.evolve(
            self,
            clock=self.clock.replace(OWN, device),
            frame=self.frame.replace(OWN, device),
            body=self.body.replace(OWN, device),
        )

    def allows(self, shape: tuple[int | None, ...]) -> bool:
        """Say whether a sample may have this shape: as many axes, and the lengths that are not left open."""
        return len(shape) == len(self.shape) and all(
            want is None or want == have for want, have in zip(self.shape, shape, strict=True)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the type as plain JSON values, the form a store keeps."""
        return {**attrs.asdict(self), "shape": list(self.shape)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> StreamType:
        """Read what `to_json` wrote.

        Raises:
            StreamError: The values are not those of a stream type.
        """
        try:
            return cls(**values)
        except TypeError as error:
            raise StreamError(f"{dict(values)!r} is not a stream type: {error}.") from error

    def __str__(self) -> str:
        shape = "x".join("n" if length is None else str(length) for length in self.shape) or "1"
        where = f" in {self.frame}" if self.frame else ""
        body = f" of {self.body}" if self.body else ""
        return f"{self.kind}{body} [{self.dtype} {shape}, {self.unit}]{where} on clock {self.clock}"


VIDEO = StreamType(kind="video", dtype="uint8", shape=(None, None, 3))
"""Any video: RGB pictures (H, W, 3) whose size only the recording tells."""

AUDIO = StreamType(kind="audio", dtype="float32", shape=(None,))
"""Any sound, with as many channels as the recording has.

float32 for every recorder: it holds whole numbers of up to 24 bits exactly, so that one dtype serves 16- and
24-bit files and nothing downstream has to ask; a note counts the values of deeper recordings that were rounded.
"""

POSE = StreamType(kind="pose", dtype="float64", shape=(7,), unit="m")
"""A pose before its frame, body and clock are named; use `attrs.evolve`."""
