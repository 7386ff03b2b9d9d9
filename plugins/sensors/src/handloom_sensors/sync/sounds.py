"""What the syncs by sound share: their ports, and the two tracks they are given."""

from __future__ import annotations

from handloom.api import InputPort, Inputs, OutputPort, Ports, clock_map_type
from handloom.errors import StepError
from handloom_sensors.sync.track import Track, track_of


def sound_ports(output: str) -> Ports:
    """Return two sounds in, one map out: from the clock of the first to that of the second."""
    return Ports(
        inputs={"first": InputPort(kinds="audio"), "second": InputPort(kinds="audio")},
        outputs={output: OutputPort(type=clock_map_type("@", "@"), clock_of="first", frame_clock_of="second")},
    )


def both_tracks(inputs: Inputs, first_channel: int, second_channel: int) -> tuple[Track, Track]:
    """Return a channel of each sound.

    Raises:
        StepError: A sound is missing or silent, or both are on one clock.
    """
    first = track_of(inputs.samples("first"), "first", first_channel)
    second = track_of(inputs.samples("second"), "second", second_channel)
    if first.clock == second.clock:
        raise StepError(f"Both tracks are on clock '{first.clock}'; wire two that are not.")
    return first, second
