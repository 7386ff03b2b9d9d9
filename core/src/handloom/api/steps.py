"""Offline work: a step turns streams of an episode into new ones; frame steps share one decode pass."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import attrs

from handloom.api.component import Component
from handloom.api.rig import Rig
from handloom.media import View, Views
from handloom.streams import Samples, Stream, StreamType, Video

Scope = Literal["episode", "scene"]
Lookahead = Literal["none", "episode"]


@attrs.frozen(kw_only=True)
class Outputs:
    """What a step made.

    Attributes:
        streams: By output port name; one declared and not optional must be there.
        attributes: Plain JSON scalars and small tables: counts, rates, residuals.
        notes: Sentences for the person who recorded: what was lost, where, how much. Kept with the result.
        beside: For an exporter, small texts that belong to the file, by the ending that replaces the exporter's
            suffix in the file's name: ".provenance.json". The runner writes them.
    """

    streams: Mapping[str, Stream] = attrs.field(factory=dict)
    attributes: Mapping[str, Any] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()
    beside: Mapping[str, str] = attrs.field(factory=dict)


class Inputs(Protocol):
    """What a step can see of the episode it works on."""

    @property
    def episode(self) -> str:
        """The episode's id; "" for a step of the whole scene."""

    @property
    def episodes(self) -> tuple[str, ...]:
        """The scene's episodes in order, for a component of the whole scene; the episode alone otherwise."""

    def of(self, episode: str) -> Inputs:
        """Return what a component of the whole scene sees of one episode; streams are read when asked for.

        Raises:
            StepError: The scene has no such episode.
        """

    @property
    def files(self) -> tuple[Path, ...]:
        """The recorded files named for this component in the episode; empty when there are none."""

    @property
    def rig(self) -> Rig:
        """The described hardware: frames, cameras, clock maps, those of wired `clock_map` streams among them.

        Where the configuration lists clock maps by hand, the first listed one that the episode has counts for a
        pair of clocks.

        Raises:
            ClockError: Two maps that nobody listed join the same pair of clocks.
        """

    def samples(self, port: str) -> Samples:
        """Read the samples wired to a port.

        Raises:
            StepError: The recording has no such stream.
        """

    def video(self, port: str) -> Video:
        """Return the video wired to a port, its files at their present paths.

        Raises:
            StepError: The recording has no such stream.
        """

    def streams(self, port: str) -> Mapping[str, Stream]:
        """Read all streams wired to a `many` port, by their full names ("camera.gyroscope"), sorted.

        Optional streams that this recording lacks are left out.
        """

    def attributes(self, port: str) -> Mapping[str, Any]:
        """Return the attributes of the component that wrote the stream wired to a port."""


Progress = Callable[[float], None]
"""Called with the share of the work done, 0 to 1."""


class Step(Component):
    """Pure work from streams to streams.

    Attributes:
        scope: "episode" runs once an episode, "scene" once over all episodes.
        lookahead: "none" promises to use only the past, so that the step may also run live.
    """

    scope: ClassVar[Scope] = "episode"
    lookahead: ClassVar[Lookahead] = "episode"

    @abstractmethod
    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Do the work for one episode.

        Raises:
            StepError: The episode does not allow it; the message says why. Other episodes go on.
        """


class FrameStep(Component):
    """Work that looks at every frame of a video; all stale ones of a video are fed by one decode pass.

    Attributes:
        video: Name of the input port the frames come from.
    """

    video: ClassVar[str] = "video"
    lookahead: ClassVar[Lookahead] = "episode"

    @classmethod
    @abstractmethod
    def views(cls, config: Any) -> Mapping[str, View]:
        """Say which renditions of each frame are wanted, by name."""

    @abstractmethod
    def start(self, inputs: Inputs) -> None:
        """Get ready for an episode."""

    @abstractmethod
    def frame(self, index: int, stamp: int, views: Views) -> None:
        """Look at one frame.

        Args:
            index: 0-based index of the frame in the episode's video.
            stamp: int64 ns on the video's clock.
            views: The asked renditions, read-only, valid inside this call only.
        """

    @abstractmethod
    def finish(self) -> Outputs:
        """Return what was found."""


class Sensor(Component):
    """A device: reads its recorded files into streams on its own clock."""

    def prepare(self, files: tuple[Path, ...], folder: Path) -> tuple[Path, ...]:
        """Make, from recorded files, those that `read` gets instead, such as one video of loose pictures.

        Args:
            files: The episode's files for this device, in the order the config gives; a session is a directory.
            folder: An empty directory to write to; the runner removes it once the results are stored. Nothing may
                be lost or encoded anew on the way.

        Returns:
            The files for `read`; by default the recorded ones.

        Raises:
            RecordingError: A file can't be read as this device's.
        """
        return files

    @abstractmethod
    def read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        """Read one episode's recording, losing nothing and resampling nothing.

        Args:
            files: The episode's files for this device, in the order the config gives.
            progress: Told the share done.

        Raises:
            RecordingError: A file can't be read as this device's; the message names file and cause.
        """


class PoseSource(Step):
    """A step whose outputs hold at least one pose stream."""


class Exporter(Component):
    """Writes an episode, or a scene, as a file that other tools read.

    Attributes:
        scope: "episode" writes a file for each episode, "scene" one for all.
        suffix: Ending of the file's name, ".mcap".
    """

    scope: ClassVar[Scope] = "episode"
    suffix: ClassVar[str] = ""

    @classmethod
    def check(cls, config: Any, types: Mapping[str, StreamType], rig: Rig) -> tuple[str, ...]:
        """Say before anything runs why it could not export an episode, such as for a clock that nothing maps.

        Args:
            config: The settings.
            types: Declared types, by full name ("camera.video"), of the wired streams that the episode must have;
                those it may lack are left out.
            rig: The described hardware, with the clock maps that wired components will find, of unknown offset.

        Returns:
            A sentence for each problem, what to do included; none by default.
        """
        return ()

    @abstractmethod
    def export(self, inputs: Inputs, path: Path, progress: Progress) -> Outputs:
        """Write the file; the runner moves it to its final name only when this returns.

        Args:
            inputs: What is wired to the exporter.
            path: Where to write: a temporary name beside the final one.
            progress: Told the share done.
        """
