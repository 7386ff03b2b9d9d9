"""The exporter `mcap`: an episode as one MCAP file that opens in Foxglove, nothing resampled or re-encoded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import attrs

from handloom.api import Exporter, InputPort, Inputs, Outputs, Ports, Progress, Rig
from handloom.errors import HandloomError, PluginError
from handloom.streams import StreamType
from handloom_exporters.mcap.axis import Start, make_axis, span, unmapped
from handloom_exporters.mcap.cropping import near_videos
from handloom_exporters.mcap.describe import describe
from handloom_exporters.mcap.topics import make_topics
from handloom_exporters.mcap.writer import Compression, MetadataRecords, write


@attrs.frozen(kw_only=True)
class McapConfig:
    """Settings of the exporter.

    Attributes:
        clock: Clock that the file's time axis follows; "" takes the first video's, or the only one.
        start: "recording" keeps the clock's stamps; "creation" moves zero to the creation time of the video.
        transcode_b_frames: Encode a video anew when it has frames that Foxglove can't play; without it such a
            video is refused.
        compression: Of the file's chunks. Video does not shrink: beside it, "zstd" saves less than 1 % of the file
            and takes three times the CPU of "none".
        around_video_s: Leave out samples that lie further than this from the time of the videos, as most of a
            tracker's take of a whole scene does; not set, everything is written.

    Raises:
        HandloomError: `around_video_s` is negative or no number.
    """

    clock: str = ""
    start: Start = "recording"
    transcode_b_frames: bool = False
    compression: Compression = "none"
    around_video_s: float | None = None

    def __attrs_post_init__(self) -> None:
        around = self.around_video_s
        if around is not None and not 0 <= around < math.inf:
            raise HandloomError(f"`around_video_s` is {around}; expected 0 or more seconds.")


class McapExporter(Exporter):
    """Writes every stream of an episode into one MCAP file on one time axis."""

    Config: ClassVar[type] = McapConfig
    summary: ClassVar[str] = "One MCAP file an episode, for Foxglove and every MCAP reader"
    suffix: ClassVar[str] = ".mcap"

    @classmethod
    def ports(cls, config: McapConfig) -> Ports:
        """Take any streams."""
        return Ports(inputs={"streams": InputPort(many=True)})

    @classmethod
    def check(cls, config: McapConfig, types: Mapping[str, StreamType], rig: Rig) -> tuple[str, ...]:
        """Say which clocks no map leads from to the clock of the file."""
        stamped = {name: type_ for name, type_ in types.items() if type_.kind != "clock_map"}
        return tuple(unmapped(stamped, clock=config.clock, maps=rig.clock_maps))

    def export(self, inputs: Inputs, path: Path, progress: Progress) -> Outputs:
        """Write the file.

        Raises:
            ClockError: A stream's clock can't be mapped to the file's.
            StepError: A video holds frames that an MCAP file can't, or a stream has no form in it.
            PluginError: foxglove-sdk is not installed.
        """
        _require_foxglove()
        config: McapConfig = self.config
        wired = sorted(inputs.streams("streams").items())
        # What a clock map says is in the rig by now and lies behind every log time; it has no samples to show.
        streams = {name: stream for name, stream in wired if stream.type.kind != "clock_map"}
        clock_maps = {name: stream for name, stream in wired if stream.type.kind == "clock_map"}
        axis = make_axis(streams, clock=config.clock, start=config.start, maps=inputs.rig.clock_maps)
        left_out: tuple[str, ...] = ()  # as the settings ask for, so only the file tells of it
        if config.around_video_s is not None:
            streams, left_out = near_videos(streams, axis, config.around_video_s)
        topics, notes, told_already = make_topics(
            streams, axis, rig=inputs.rig, transcode=config.transcode_b_frames
        )

        def records(counts: Counter[str]) -> MetadataRecords:
            in_file = [*notes, *told_already, *left_out]
            return describe(inputs, streams, axis, counts=counts, notes=in_file, clock_maps=clock_maps)

        counts = write(
            path,
            topics,
            compression=config.compression,
            span=span(streams, axis),
            describe=records,
            progress=progress,
        )
        messages = dict(sorted(counts.items()))
        return Outputs(
            attributes={"clock": axis.clock, "shift_ns": axis.shift_ns, "messages": messages}, notes=tuple(notes)
        )


def _require_foxglove() -> None:
    try:
        import foxglove  # noqa: F401
    except ImportError as error:
        raise PluginError(
            f"The exporter 'mcap' needs foxglove-sdk, which can't be imported ({error}). "
            f"Install it with: pip install 'handloom-exporters[foxglove]'"
        ) from error
