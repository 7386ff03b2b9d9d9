"""How well two pose sources are aligned, on the lab against truth; and what leaving out the TCP's frame costs.

Demonstrations of the lab are seen by a SLAM at 59.94 Hz and by an OptiTrack at 240 Hz, each in its own world, on
its own clock, with losses; the OptiTrack's take goes through a Motive CSV. The alignment is told of no clock map.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from handloom.api import Rig
from handloom.geometry import FrameTree, pose, quaternion
from handloom.streams import POSE, Samples
from handloom.testing import MemoryInputs
from handloom.time import ClockMap
from handloom_pose_sources.align import Align, AlignConfig
from handloom_pose_sources.optitrack_csv import OptitrackCsv, OptitrackCsvConfig
from handloom_pose_sources.tcp import TcpConfig, TcpPoses
from handloom_simulation.devices import Sampling, SlamSettings, optitrack_settings, track, track_by_slam
from handloom_simulation.devices.clocks import DeviceClocks, random_clocks
from handloom_simulation.gripper import MOUNTED, unit_transform
from handloom_simulation.motions import make_take
from handloom_simulation.recordings.motive import MotiveFormat, write_motive
from handloom_simulation.recordings.outside import frames_in
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]

MOTIONS = ("insert", "mapping", "pick_and_place", "stack", "throw", "wipe")
FPS = 60_000 / 1001
OPTITRACK_HZ = 240.0
SLAM = SlamSettings(noise_m=1.5e-4, noise_rad=5e-4, drift_m=0.0, drift_rad=0.0, lost_spans_s=((2.0, 2.4),))
OPTITRACK = optitrack_settings(OPTITRACK_HZ)
"""Noise of 0.1 mm and 0.03 degrees, four losses a minute."""

T_WORLD_MAP = np.array([0.12, -0.31, 0.27, *quaternion.from_rotvec([0.4, -2.0, 0.7])])
LEVER_7_CM = (0.0, 0.07069, 0.0, 0.0, 0.0, 0.0, 1.0)


def _rig(T_camera_tcp: tuple[float, ...] = MOUNTED["tcp"]) -> Rig:
    frames = FrameTree().with_static("camera/optical", "tcp", unit_transform(T_camera_tcp))
    return Rig(frames=frames.with_static("camera/optical", "optitrack/body", unit_transform(MOUNTED["markers"])))


@attrs.frozen(kw_only=True)
class Missed:
    """By how much an alignment misses the truth.

    Attributes:
        shift_m: Of the transform's translation.
        turn_deg: Of its rotation.
        offset_s: The largest of the time offsets, in the middle of each episode.
        rms_pos_m: What the alignment says of itself.
    """

    shift_m: float
    turn_deg: float
    offset_s: float
    rms_pos_m: float


def missed(seed: int, motions: tuple[str, ...]) -> Missed:
    """Record a scene, align it, and hold the result against the truth."""
    with TemporaryDirectory() as folder:
        made = [_episode(Path(folder), motion, seed * 100 + row) for row, motion in enumerate(motions)]
    parts = {name: inputs for name, inputs, _ in made}
    inputs = MemoryInputs(parts=parts, rig=_rig(), episode="")
    told = Align(AlignConfig(body="camera/optical")).run(inputs, lambda _: None).attributes
    T_map_optitrack = pose.compose(pose.inverse(T_WORLD_MAP), unit_transform(OPTITRACK.T_world_tracker))
    found = np.array(told["T_a_b"])
    offsets = [
        abs(_offset_error_s(ClockMap.from_json(told["episodes"][name]["clock_map"]), clocks))
        for name, _, clocks in made
    ]
    return Missed(
        shift_m=float(np.linalg.norm(found[:3] - T_map_optitrack[:3])),
        turn_deg=float(np.degrees(quaternion.angle_between(found[3:], T_map_optitrack[3:]))),
        offset_s=max(offsets),
        rms_pos_m=told["rms_pos_m"],
    )


def _offset_error_s(found: ClockMap, clocks: DeviceClocks) -> float:
    truth = clocks.optitrack.inverse().compose(clocks.gopro)
    return (int(found.apply(found.origin_ns)) - int(truth.apply(found.origin_ns))) * 1e-9


def _episode(folder: Path, motion: str, seed: int) -> tuple[str, MemoryInputs, DeviceClocks]:
    """Return what both sources saw of a demonstration, and the truth of the clocks."""
    take, started_ns = make_take(motion, seed=seed), seed * 10**9
    clocks = random_clocks(seed, started_ns=started_ns, gopro_start_ns=200_000_000, wall_ns=0)
    name = f"{motion}-{seed}"
    wired = {
        "reference": _slam(take, clocks, seed),
        "other": _optitrack(folder / f"{name}.csv", take, clocks, seed),
    }
    return name, MemoryInputs(wired=wired, rig=_rig(), episode=name), clocks


def _slam(take: Take, clocks: DeviceClocks, seed: int) -> Samples:
    frames = Sampling.within(clocks.gopro, start_ns=200_000_000, end_ns=int(take.stamps[-1]), rate_hz=FPS)
    seen = track_by_slam(take, frames.instants_ns(), rate=FPS, settings=SLAM, seed=seed, T_world_map=T_WORLD_MAP)
    type_ = attrs.evolve(POSE, frame="map", body="camera/optical", clock="gopro")
    return Samples(type=type_, data=seen.poses, stamps=frames.stamps_ns(), tracked=~seen.lost)


def _optitrack(path: Path, take: Take, clocks: DeviceClocks, seed: int) -> Samples:
    """Return what comes out of the CSV that Motive would have written."""
    first, sampling = frames_in(take, clocks.optitrack, OPTITRACK_HZ)
    poses = np.full((first + sampling.count, 7), np.nan)
    poses[first:] = track(take, sampling, settings=OPTITRACK, seed=seed).poses
    started = dt.datetime(2024, 5, 10, tzinfo=dt.UTC)
    write_motive(path, poses, rate_hz=OPTITRACK_HZ, started=started, format_=MotiveFormat(unit="Millimeters"))
    read = OptitrackCsv(OptitrackCsvConfig()).run(MemoryInputs(files=(path,)), lambda _: None).streams["pose"]
    assert isinstance(read, Samples)
    return attrs.evolve(read, type=read.type.bind("optitrack"))


def phantom_m(T_camera_tcp: tuple[float, ...], axis: tuple[float, float, float]) -> float:
    """Return how far the TCP seems to move when the camera turns by 30 degrees about it and its frame is left out.

    The step `tcp` gives the TCP of a camera that turns about a fixed TCP; taking the camera's poses for the TCP's
    gives a motion that never was, ||(R - I) x|| of the lever x.
    """
    T_tcp_camera = pose.inverse(unit_transform(T_camera_tcp))
    angles = np.linspace(0.0, np.radians(30.0), 31)[:, None]
    turned = np.concatenate([np.zeros((31, 3)), quaternion.from_rotvec(angles * axis)], axis=1)
    camera = Samples(
        type=attrs.evolve(POSE, frame="map", body="camera/optical", clock="gopro"),
        data=pose.compose(turned, T_tcp_camera),
        stamps=np.arange(31, dtype=np.int64) * 16_683_350,
        tracked=np.ones(31, np.bool_),
    )
    inputs = MemoryInputs(wired={"pose": camera}, rig=_rig(T_camera_tcp))
    tcp = TcpPoses(TcpConfig()).run(inputs, lambda _: None).streams["pose"]
    assert isinstance(tcp, Samples)
    left_out, put_in = (float(np.linalg.norm(found.data[-1, :3] - found.data[0, :3])) for found in (camera, tcp))
    return left_out - put_in


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars of pose accuracy."""
    return (*alignment_bars(quick=quick), *phantom_bars())


def alignment_bars(*, quick: bool) -> Iterator[Bar]:
    """Return the bars of the alignment; all read the same scenes, and each tells the worst of them."""

    @cache
    def found() -> tuple[Missed, ...]:
        return tuple(missed(seed, MOTIONS) for seed in range(1 if quick else 5))

    units = {"shift_m": ("mm", 1e3, 0.1), "turn_deg": ("deg", 1.0, 0.02), "offset_s": ("ms", 1e3, 1.0)}
    names = {"shift_m": "translation", "turn_deg": "rotation", "offset_s": "time offset"}
    for field, (unit, factor, goal) in units.items():

        def measured(field: str = field, factor: float = factor, unit: str = unit) -> Measured:
            values = np.array([getattr(one, field) for one in found()]) * factor
            figures = {f"median_{unit}": float(np.median(values)), "scenes": float(len(values))}
            if field == "shift_m":
                figures["rms_residual_mm"] = float(np.median([one.rms_pos_m for one in found()])) * 1e3
            return Measured(value=float(values.max()), figures=figures)

        yield Bar(
            name=f"alignment of SLAM and OptiTrack: {names[field]}, worst scene",
            goal=goal,
            compare="<=",
            unit=f"{unit} from the truth",
            measure=measured,
        )


def phantom_bars() -> Iterator[Bar]:
    """Return the bars that show what leaving the frame out costs: 2 sin(15 deg) of the lever across the axis."""
    levers = {"7 cm lever": (LEVER_7_CM, 0.0366), "camera-to-fingertip lever": (MOUNTED["tcp"], 0.1389)}
    for name, (lever, expected_m) in levers.items():

        def measured(lever: tuple[float, ...] = lever) -> Measured:
            sideways = phantom_m(lever, (1.0, 0.0, 0.0))
            others = {
                "about_y_mm": phantom_m(lever, (0.0, 1.0, 0.0)),
                "about_z_mm": phantom_m(lever, (0.0, 0.0, 1.0)),
            }
            return Measured(value=sideways * 1e3, figures={key: value * 1e3 for key, value in others.items()})

        yield Bar(
            name=f"phantom motion of 30 deg about the sideways (x) axis without the TCP's frame, {name}",
            goal=expected_m * 1e3 * 0.99,
            compare=">=",
            unit="mm",
            measure=measured,
        )
