"""Plugins of the test lab: a take whose poses are on another clock, a step that finds the map, the exporter."""

import attrs
import numpy as np

from handloom.api import OutputPort, Outputs, Ports, Sensor, Step, clock_map_stream, clock_map_type, hookimpl
from handloom.errors import RecordingError
from handloom.media import index_video
from handloom.streams import POSE, VIDEO, Samples, StreamType
from handloom.time import ClockMap
from handloom_exporters.umi import UmiExporter

POSES = attrs.evolve(POSE, frame="world", body="tcp", clock="@/tracker")
WIDTH = StreamType(kind="scalar", dtype="float64", unit="m")
AHEAD_NS = 3_000_000_000


class Take(Sensor):
    """One MP4; a name with 'bad' in it can't be read."""

    summary = "A take"

    @classmethod
    def ports(cls, config):
        types = {"video": VIDEO, "pose": POSES, "width": WIDTH}
        return Ports(files="one MP4", outputs={name: OutputPort(type=type_) for name, type_ in types.items()})

    def read(self, files, progress):
        if "bad" in files[0].name:
            raise RecordingError(f"{files[0].name} is no take.")
        video = index_video(files).video
        data = np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], (len(video), 1))
        data[:, 0] = video.stamps * 1e-10
        poses = Samples(
            type=POSES,
            data=data,
            stamps=video.stamps + AHEAD_NS,
            tracked=np.ones(len(video), dtype=bool),
            attributes={"tcp_digest": "lab"},
        )
        width = Samples(type=WIDTH, data=np.full(len(video), 0.05), stamps=video.stamps)
        return Outputs(streams={"video": video, "pose": poses, "width": width})


class Map(Step):
    """Finds the clock map, a different one in each episode."""

    summary = "A clock map"

    @classmethod
    def ports(cls, config):
        type_ = clock_map_type("take/tracker", "take")
        return Ports(outputs={"map": OutputPort(type=type_, optional=True)})

    def run(self, inputs, progress):
        known = ClockMap(source="take/tracker", target="take", offset_ns=-AHEAD_NS)
        return Outputs(streams={"map": clock_map_stream(known)})


@hookimpl
def sensor(kind):
    return Take


@hookimpl
def step(kind):
    return Map


@hookimpl
def exporter(kind):
    return UmiExporter
