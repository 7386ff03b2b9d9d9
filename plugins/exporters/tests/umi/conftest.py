"""Episodes for the exporter `umi`, made by formula, on three clocks, and a reader that is not the writer's."""

from fractions import Fraction
from types import SimpleNamespace

import attrs
import numpy as np
import pytest

from handloom.api import Rig
from handloom.geometry import pose, quaternion
from handloom.media import Clip, index_video, write_clip
from handloom.streams import POSE, Samples, StreamType
from handloom.testing import MemoryInputs
from handloom.time import ClockMap, ClockMaps
from handloom_exporters.umi import UmiConfig, UmiExporter

FRAMES = 72
RATE = Fraction(60000, 1001)
TRACKER = ClockMap(
    source="tracker", target="camera", offset_ns=-7_000_000_000, drift_ppm=40.0, origin_ns=7_000_000_000
)
SMALL = UmiConfig(image_size=40, min_steps=20)


def true_poses(stamps, robot=0):
    """Return (N, 7) T_world_tcp at stamps of the camera's clock."""
    s = np.asarray(stamps) * 1e-9
    position = np.column_stack([0.3 * np.sin(3 * s) + robot, 0.2 * np.cos(2 * s), 0.1 + 0.1 * s])
    rotation = quaternion.from_rotvec(np.column_stack([0.4 * np.sin(2 * s), 0.9 * s, 0.2 + 0 * s]))
    return np.column_stack([position, rotation])


def true_width(stamps, robot=0):
    return 0.04 + 0.03 * np.cos(np.asarray(stamps) * 2e-9) + 0.001 * robot


@pytest.fixture(scope="session")
def film(tmp_path_factory):
    """Return a function that writes a clip with its frame numbers in the pixels, once."""
    folder, made = tmp_path_factory.mktemp("films"), {}

    def write(**changes):
        key = str(sorted(changes.items()))
        if key not in made:
            clip = attrs.evolve(Clip(width=160, height=160, frames=FRAMES, rate=RATE, keyframe_every=1), **changes)
            made[key] = index_video((write_clip(folder / f"{len(made)}.mp4", clip),)).video
        return made[key]

    return write


def on(stream, clock):
    return attrs.evolve(stream, type=attrs.evolve(stream.type, clock=clock))


def tracker_poses(robot=0, lost=(), digest="tool-1", body="tcp", world="world", stamps=None):
    """Return poses on the tracker's clock at 120 Hz, those of rows `lost` missing."""
    if stamps is None:
        stamps = 7_000_000_000 + np.arange(-5, 170, dtype=np.int64) * 8_333_333
    data = true_poses(TRACKER.apply(stamps), robot)
    data[list(lost)] = np.nan
    return Samples(
        type=attrs.evolve(POSE, frame=world, body=body, clock="tracker"),
        data=data,
        stamps=stamps,
        tracked=np.isfinite(data).all(axis=1),
        attributes={"tcp_digest": digest} if digest else {},
    )


def widths(video, robot=0, lost=()):
    """Return a width for each frame, on the camera's clock, those of rows `lost` missing."""
    data = true_width(video.stamps, robot)
    data[list(lost)] = np.nan
    type_ = StreamType(kind="scalar", dtype="float64", unit="m", clock="camera")
    return Samples(type=type_, data=data, stamps=video.stamps)


def episode(video, name="take", **streams):
    """Return the inputs of an episode of one gripper and one camera, with other streams by port."""
    video = on(video, "camera")
    wired = {"camera0": {"camera.video": video}}
    wired["robot0_pose"] = {"tcp.pose": tracker_poses()}
    wired["robot0_width"] = {"gripper.width": widths(video)}
    wired |= {
        port: {f"{port}.stream" if port != "verdict" else "verdict.usable": s} for port, s in streams.items()
    }
    return MemoryInputs(wired=wired, episode=name, rig=Rig(name="glove", clock_maps=ClockMaps((TRACKER,))))


def scene(*episodes):
    """Return the inputs of a scene."""
    return MemoryInputs(episode="", parts={part.episode: part for part in episodes}, rig=episodes[0].rig)


@attrs.frozen(kw_only=True)
class Dataset:
    """What an export gave, read back by zarr."""

    root: object
    outputs: object
    path: object

    def __getitem__(self, name):
        return self.root["data"][name][:]

    @property
    def about(self):
        return dict(self.root.attrs)["handloom"]

    @property
    def ends(self):
        return self.root["meta"]["episode_ends"][:].tolist()


@pytest.fixture
def export(tmp_path):
    import zarr

    def run(*episodes, config=SMALL, name="set.zarr.zip"):
        path = tmp_path / name
        outputs = UmiExporter(config).export(scene(*episodes), path, lambda share: None)
        root = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r", zarr_format=2)
        return Dataset(root=root, outputs=outputs, path=path)

    return run


def relative(poses):
    """Return each pose seen from the first."""
    return pose.compose(pose.inverse(poses[0]), poses)


@pytest.fixture(scope="session")
def takes(film):
    """Return the functions above: modules of tests can't import one another."""
    return SimpleNamespace(
        **{"FRAMES": FRAMES, "SMALL": SMALL, "TRACKER": TRACKER, "film": film, "episode": episode, "on": on},
        **{"relative": relative, "scene": scene, "tracker_poses": tracker_poses, "true_poses": true_poses},
        **{"true_width": true_width, "widths": widths},
    )
