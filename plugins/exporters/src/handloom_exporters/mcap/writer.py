"""Write topics into one MCAP file, in order of time over all of them, without holding them in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from heapq import merge
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from handloom.api import Progress
from handloom_exporters.mcap.sink import Sink
from handloom_exporters.mcap.topic import Topic

Compression = Literal["none", "lz4", "zstd"]
MetadataRecords = Mapping[str, Mapping[str, str]]

_PROGRESS_EVERY = 512


def write(
    path: Path,
    topics: Sequence[Topic],
    *,
    compression: Compression,
    span: tuple[int, int],
    describe: Callable[[Counter[str]], MetadataRecords],
    progress: Progress,
) -> Counter[str]:
    """Write the file; when anything fails, nothing is left at `path`.

    Args:
        path: Where to write.
        topics: What to write; equal log times keep this order.
        compression: Of the chunks.
        span: First and last log time, ns, for the progress.
        describe: Called with the messages written in each topic; returns the metadata records.
        progress: Told the share done.

    Returns:
        How many messages each topic got.
    """
    from foxglove import Context

    context = Context()
    counts: Counter[str] = Counter()
    with _unfinished_is_removed(path, context, compression) as (file, sink):
        channels = [_channel(topic, context) for topic in topics]
        numbers: Counter[int] = Counter()
        for done, (log_time, number, payload) in enumerate(merge(*_numbered(topics))):
            channels[number].log(payload, log_time)
            sink.check()
            numbers[number] += 1
            if done % _PROGRESS_EVERY == 0:
                progress(_share(log_time, span))
        for number, topic in enumerate(topics):
            counts[topic.name] += numbers[number]
        for name, record in describe(counts).items():
            file.write_metadata(name, dict(record))
        progress(1.0)
    return counts


def _channel(topic: Topic, context: Any) -> Any:
    """Return the channel itself: its wrapper would look at the type of every message again."""
    from foxglove import Channel

    channel = Channel(
        topic.name,
        schema=topic.schema,
        message_encoding=topic.encoding,
        metadata=dict(topic.metadata),
        context=context,
    )
    return channel.base


@contextmanager
def _unfinished_is_removed(path: Path, context: Any, compression: Compression) -> Iterator[tuple[Any, Sink]]:
    """Open the file; take it away again when the body fails, since closing it would make it look finished."""
    from foxglove import open_mcap

    with path.open("wb") as raw:
        sink = Sink(raw)
        file = open_mcap(cast(BinaryIO, sink), context=context, writer_options=_options(compression))
        try:
            yield file, sink
            file.close()
            sink.check()
            raw.flush()
        except BaseException:
            with suppress(Exception):  # it can only complain of what went wrong before
                file.close()
            path.unlink(missing_ok=True)
            with suppress(OSError):
                raw.close()
            raise


def _options(compression: Compression) -> Any:
    from foxglove.mcap import MCAPCompression, MCAPWriteOptions

    known = {"none": None, "lz4": MCAPCompression.Lz4, "zstd": MCAPCompression.Zstd}
    # One thread: with several the chunks' bytes would depend on how many processors there are.
    # Every chunk has a checksum already; one more over all the data would guard the same bytes again.
    return MCAPWriteOptions(
        compression=known[compression],
        compression_threads=0,
        calculate_data_section_crc=False,
    )


def _numbered(topics: Sequence[Topic]) -> list[Iterator[tuple[int, int, bytes]]]:
    """Put the topic's number between time and message, so that a merge never compares messages."""

    def numbered(number: int, topic: Topic) -> Iterator[tuple[int, int, bytes]]:
        for log_time, payload in topic.messages:
            yield log_time, number, payload

    return [numbered(number, topic) for number, topic in enumerate(topics)]


def _share(log_time: int, span: tuple[int, int]) -> float:
    start, end = span
    return min(1.0, (log_time - start) / max(1, end - start))
