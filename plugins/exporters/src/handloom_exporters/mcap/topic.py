"""One topic of an MCAP file: a name, what its messages mean, and the messages in order of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

Message = tuple[int, bytes]
"""Log time in ns on the file's axis, and the encoded message."""


@attrs.frozen(kw_only=True, eq=False)
class Topic:
    """One channel of the file.

    Attributes:
        name: Topic as Foxglove shows it, "/camera/gyroscope".
        schema: A `foxglove.Schema` for protobuf messages, or a JSON schema as a dict for JSON messages.
        messages: The messages; log times never decrease.
        metadata: Unit, frame and clock of the stream, kept with the channel.
    """

    name: str
    schema: Any
    messages: Iterator[Message]
    metadata: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def encoding(self) -> str:
        """Encoding of the messages, as MCAP names it."""
        return "json" if isinstance(self.schema, dict) else "protobuf"


def topic_name(stream: str) -> str:
    """Return the topic of a stream: "camera.gyroscope" is "/camera/gyroscope"."""
    return "/" + stream.replace(".", "/")


def timestamp(log_time: int) -> Any:
    """Return a log time, ns, as the timestamp that Foxglove's own messages carry."""
    from foxglove.messages import Timestamp

    sec, nsec = divmod(log_time, 1_000_000_000)
    return Timestamp(sec=sec, nsec=nsec)
