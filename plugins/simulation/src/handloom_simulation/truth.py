"""The truth of a scene, in one file outside every session, which no step ever reads: for tests and benchmarks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom.time import ClockMap

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True, eq=False)
class SessionTruth:
    """The truth of one session.

    Attributes:
        name: Of its folder or file.
        clocks: By device: map from "sim" to its clock.
        frames_ns: (N,) int64 ns of simulation time of the GoPro's frames.
        frame_stamps: (N,) int64 ns on the GoPro's clock.
        T_world_camera: (N, 7) at the frames, optical frame.
        width_m: (N,) at the frames.
        finger_ns: (F,) int64 ns of simulation time of the finger camera's frames.
        chirps_ns: (C,) int64 ns of simulation time at which each chirp leaves the loudspeaker.
        travel_s: By microphone, how long the chirp takes to it the straight way.
        transforms: By name, each (7,), of those there are: T_world_optitrack, _vr, _slam and _top.
        take_ns: (M,) int64 ns of simulation time, each millisecond of the take.
        T_world_gripper: (M, 7) at the take's milliseconds.
        take_width_m: (M,).
    """

    name: str
    clocks: Mapping[str, ClockMap]
    frames_ns: Int64Array
    frame_stamps: Int64Array
    T_world_camera: FloatArray
    width_m: FloatArray
    finger_ns: Int64Array
    chirps_ns: Int64Array
    travel_s: Mapping[str, float]
    transforms: Mapping[str, FloatArray]
    take_ns: Int64Array
    T_world_gripper: FloatArray
    take_width_m: FloatArray

    def clock_map(self, source: str, target: str) -> ClockMap:
        """Return the true map between two devices' clocks, such as "gopro", "pi", "wall", "vr" or "sim"."""
        sim = ClockMap(source="sim", target="sim", offset_ns=0)
        to_source, to_target = (self.clocks.get(name, sim) for name in (source, target))
        return to_source.inverse().compose(to_target)

    def chirp_arrivals_ns(self, microphone: str) -> FloatArray:
        """Return when each chirp's first sample reaches a microphone, (C,) ns on the clock of its recorder."""
        clock = self.clocks["gopro" if microphone == "camera" else "pi"]
        since = (self.chirps_ns - clock.origin_ns).astype(np.float64) + self.travel_s[microphone] * 1e9
        arrivals: FloatArray = clock.origin_ns + clock.offset_ns + since * clock.rate
        return arrivals


_ARRAYS = (
    "frames_ns",
    "frame_stamps",
    "T_world_camera",
    "width_m",
    "finger_ns",
    "chirps_ns",
    "take_ns",
    "T_world_gripper",
    "take_width_m",
)


def write_truth(path: Path, sessions: tuple[SessionTruth, ...]) -> Path:
    """Write the truth of a scene's sessions; the same truth gives the same bytes."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    about = []
    for index, session in enumerate(sessions):
        arrays |= {f"{index}/{name}": getattr(session, name) for name in _ARRAYS}
        about.append(
            {
                "name": session.name,
                "clocks": {name: clock.to_json() for name, clock in sorted(session.clocks.items())},
                "travel_s": dict(sorted(session.travel_s.items())),
                "transforms": {name: list(map(float, row)) for name, row in sorted(session.transforms.items())},
            }
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, allow_pickle=False, about=np.array(json.dumps(about)), **arrays)
    return path


def read_truth(path: Path) -> dict[str, SessionTruth]:
    """Return the truth of each session of a scene, by its name.

    Raises:
        RecordingError: The file is not there.
    """
    if not path.is_file():
        raise RecordingError(f"{path}: there is no truth here; `handloom simulate` writes it beside the scenes.")
    with np.load(path, allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
        return {
            each["name"]: SessionTruth(
                name=each["name"],
                clocks={name: ClockMap.from_json(clock) for name, clock in each["clocks"].items()},
                travel_s=each["travel_s"],
                transforms={name: np.array(row) for name, row in each["transforms"].items()},
                **{name: file[f"{index}/{name}"] for name in _ARRAYS},
            )
            for index, each in enumerate(about)
        }
