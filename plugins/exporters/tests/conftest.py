"""What the exporters' tests share: an episode given by hand, and an MCAP reader that is not the writer's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from handloom.api import Rig
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs


@attrs.frozen(kw_only=True)
class ReadBack:
    """What an MCAP file holds.

    Attributes:
        messages: (topic, schema name, log time, decoded message), in the file's order.
        metadata: Records by name.
        channels: Channel metadata by topic.
    """

    messages: list[tuple[str, str, int, Any]]
    metadata: dict[str, dict[str, str]]
    channels: dict[str, dict[str, str]]

    @property
    def topics(self):
        return sorted({topic for topic, *_ in self.messages})

    def of(self, topic):
        return [(log_time, message) for name, _, log_time, message in self.messages if name == topic]


@pytest.fixture
def episode_inputs() -> Callable[..., MemoryInputs]:
    def inputs(all_streams, rig=None):
        return MemoryInputs(wired={"streams": all_streams}, rig=rig or Rig(), episode="episode-001")

    return inputs


@pytest.fixture
def read_mcap() -> Callable[[Path], ReadBack]:
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    def read(path: Path) -> ReadBack:
        import json

        with path.open("rb") as file:
            reader = make_reader(file, validate_crcs=True)
            decode, decoders = DecoderFactory(), {}
            messages, channels = [], {}
            for schema, channel, message in reader.iter_messages(log_time_order=False):
                if channel.message_encoding == "json":
                    value = json.loads(message.data)
                else:
                    if channel.id not in decoders:
                        decoders[channel.id] = decode.decoder_for(channel.message_encoding, schema)
                    value = decoders[channel.id](message.data)
                channels[channel.topic] = channel.metadata
                messages.append((channel.topic, schema.name, message.log_time, value))
            metadata = {record.name: record.metadata for record in reader.iter_metadata()}
        return ReadBack(messages=messages, metadata=metadata, channels=channels)

    return read


@pytest.fixture
def make_samples() -> Callable[..., Samples]:
    def make(data: Any, stamps: Any, *, clock: str = "camera", **type_values: Any) -> Samples:
        data = np.asarray(data)
        type_ = StreamType(dtype=str(data.dtype), shape=data.shape[1:], clock=clock, **type_values)
        tracked = np.isfinite(data).all(axis=1) if type_.kind == "pose" else None
        return Samples(type=type_, data=data, stamps=np.asarray(stamps, dtype=np.int64), tracked=tracked)

    return make


@pytest.fixture
def decode_payloads() -> Callable[[Any], list[tuple[int, Any]]]:
    """Decode the messages of a protobuf topic without a file."""
    from mcap.records import Schema
    from mcap_protobuf.decoder import DecoderFactory

    def decode(topic):
        schema = Schema(id=1, name=topic.schema.name, encoding=topic.schema.encoding, data=topic.schema.data)
        decoder = DecoderFactory().decoder_for("protobuf", schema)
        return [(log_time, decoder(payload)) for log_time, payload in topic.messages]

    return decode
