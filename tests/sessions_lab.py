"""A scene of PolyUMI sessions, a good one and one for each way a recording goes wrong, and its whole pipeline."""

import json
from contextlib import redirect_stdout
from fractions import Fraction
from functools import cache
from io import StringIO
from pathlib import Path

import attrs
import numpy as np

from handloom.cli import main
from handloom.geometry import CameraModel
from handloom.store import Scene, StepKey
from handloom_simulation.cameras import PRESETS, scaled
from handloom_simulation.devices import SoundSettings
from handloom_simulation.gripper import CLOSED_TAG_SEPARATION_M, FINGER_TAG_M, FINGER_TAG_Y_M, FINGER_TAG_Z_M
from handloom_simulation.motions import synthetic_take
from handloom_simulation.pictures import tag_picture
from handloom_simulation.recordings import (
    Demonstration,
    Encoding,
    PatternPainter,
    Quirks,
    SceneSettings,
    write_polyumi_scene,
)
from handloom_simulation.take import Take

ROOT = Path(__file__).resolve().parent.parent
RATE = Fraction(20)
FINGER = PatternPainter(width=64, height=36)
FROZEN_ROW, FROZEN_ROWS = 20, 12

RAYS = 3
"""Along each side of a pixel."""

PAPER_M = FINGER_TAG_M * 8 / 6
"""A tag with one module of white about it."""


class TagPainter:
    """Paints the tags of the fingers where the wrist camera sees them, before a pattern that moves.

    Args:
        take: How far the jaw is open, and when.
        tags: Ids of the left and the right finger's tags, and of what lies to the right of the latter.
        mirrored: Whether the tags are printed as in a mirror.
        width: Of the picture.
    """

    def __init__(self, take: Take, *, tags: tuple[int, ...] = (0, 1), mirrored: bool = False, width: int = 448):
        self.take, self.tags, self.mirrored = take, tags, mirrored
        self.camera = scaled(PRESETS["umi_gopro"], width)
        self.painted: dict[int, np.ndarray] = {}

    def paint(self, stamp_ns: int) -> np.ndarray:
        """Return (H, W, 3) uint8; sessions that see the same share their pictures."""
        if stamp_ns not in self.painted:
            picture = PatternPainter(width=self.camera.width, height=self.camera.height).paint(stamp_ns)
            half = float(0.5 * (self.take.width_at([stamp_ns])[0] + CLOSED_TAG_SEPARATION_M))
            for tag, x in zip(self.tags, (-half, half, half + 0.026), strict=False):
                self._lay(picture, tag, x)
            self.painted[stamp_ns] = picture
        return self.painted[stamp_ns]

    def _lay(self, picture: np.ndarray, tag: int, x: float) -> None:
        """Mix what the rays of each pixel meet, the tag's paper or what is behind it."""
        rows, columns, on_plane = window(self.camera, x)
        printed = tag_picture("4x4_50", tag)[..., 0]
        printed = printed[:, ::-1] if self.mirrored else printed
        across, down = ((on_plane - [x, FINGER_TAG_Y_M]) / PAPER_M + 0.5).transpose(4, 0, 1, 2, 3)
        on = (across >= 0) & (across < 1) & (down >= 0) & (down < 1)
        place = (np.clip(each * len(printed), 0, len(printed) - 1).astype(int) for each in (down, across))
        seen = picture[rows, columns].astype(np.float64)
        met = np.where(on, 20 + 0.85 * printed[tuple(place)], 0).mean(axis=(2, 3))
        share = on.mean(axis=(2, 3))
        mixed = met[..., None] + (1 - share[..., None]) * seen
        picture[rows, columns] = np.rint(mixed).astype(np.uint8)


def window(camera: CameraModel, x: float) -> tuple[slice, slice, np.ndarray]:
    """Return the pixels around a tag at some x, and where their rays meet its plane: (…, RAYS, RAYS, 2) x y, m."""
    corners = [
        [x + dx, FINGER_TAG_Y_M + dy, FINGER_TAG_Z_M] for dx in (-PAPER_M, PAPER_M) for dy in (-PAPER_M, PAPER_M)
    ]
    pixels = camera.project(corners)[0].round().astype(int)
    (left, top), (right, bottom) = pixels.min(axis=0).clip(0), pixels.max(axis=0)
    rows, columns = slice(top, min(bottom, camera.height)), slice(left, min(right, camera.width))
    return rows, columns, rays_on_plane(camera)[rows, columns]


@cache
def rays_on_plane(camera: CameraModel) -> np.ndarray:
    """Return where the rays of all pixels meet the tags' plane, (H, W, RAYS, RAYS, 2) x y, m."""
    within = (np.arange(RAYS) + 0.5) / RAYS - 0.5
    v, u, dv, du = np.meshgrid(np.arange(camera.height), np.arange(camera.width), within, within, indexing="ij")
    rays, _ = camera.unproject(np.stack([u + du, v + dv], axis=-1))
    return rays[..., :2] / rays[..., 2:] * FINGER_TAG_Z_M


GOOD = "größer – gut"
"""The good session's name: not plain ASCII, and with spaces."""

CASES = {
    GOOD: Quirks(),
    "no_audio": Quirks(no_audio=True),
    "no_gopro": Quirks(no_gopro=True),
    "lost_metadata": Quirks(lost_metadata=True),
    "missing_frames": Quirks(missing_frames=(8, 5)),
    "odd_jpeg": Quirks(odd_jpeg=9, told_size=(620, 480)),
    "clock_jump": Quirks(clock_jump_s=1.7),
    "cut_chirp_camera": Quirks(cut_chirp="camera"),
    "cut_chirp_pi": Quirks(cut_chirp="pi"),
    "silent_camera": Quirks(silent="camera"),
    "silent_air": Quirks(silent="air"),
    "silent_piezo": Quirks(silent="piezo"),
    "mirrored": Quirks(),
    "stranger": Quirks(),
    "black": Quirks(black="wrist"),
    "three_frames": Quirks(),
    "frozen": Quirks(),
    "wrong_gopro": Quirks(gopro_of=0),
}
"""By name what is wrong with a session; "mirrored", "stranger", "three_frames" and "frozen" by other means."""


def write_sessions(folder: Path) -> dict[str, Path]:
    """Write the scene and name each session's folder after its case; the recordings' paths are not plain ASCII."""
    take = synthetic_take(2.6, width_hz=0.6)
    blink = synthetic_take(0.2, chirps_s=())
    good = TagPainter(take)
    wrists = {
        "mirrored": TagPainter(take, mirrored=True),
        "stranger": TagPainter(take, tags=(0, 1, 7)),
        "three_frames": TagPainter(blink),
    }
    demonstrations = tuple(
        Demonstration(
            take=blink if name == "three_frames" else take,
            wrist=wrists.get(name, good),
            finger=FINGER,
            quirks=quirks,
        )
        for name, quirks in CASES.items()
    )
    settings = SceneSettings(
        encoding=Encoding(rate=RATE, preset="ultrafast"),
        pi_stops_s=0.03,
        pause_s=1.5,
        vr=None,
        sound=attrs.evolve(SoundSettings(), rt60_s=0.0),
    )
    recorded = write_polyumi_scene(folder, demonstrations, settings)
    sessions = dict(zip(CASES, recorded.sessions, strict=True))
    _freeze(sessions["frozen"] / "camera_trajectory.csv")
    (folder / "Sitzungen").mkdir()
    named = {name: path.rename(folder / "Sitzungen" / name) for name, path in sessions.items()}
    recorded.optitrack.rename(folder / "take.csv")
    return {"": folder, "truth": recorded.truth, **named}


def _freeze(path: Path) -> None:
    """Let a SLAM repeat its pose for twelve rows."""
    head, *rows = path.read_text(encoding="ascii").splitlines()
    frozen = rows[FROZEN_ROW - 1].split(",")[5:]
    for index in range(FROZEN_ROW, FROZEN_ROW + FROZEN_ROWS):
        rows[index] = ",".join([*rows[index].split(",")[:5], *frozen])
    path.write_text("\n".join([head, *rows]) + "\n", encoding="ascii")


PIPELINE = """
include = ["{rig}"]
run.executor = "serial"
[scene]
store = "scene"
[episodes."*"]
session = "{recordings}/Sitzungen/{which}"
optitrack = "{recordings}/take.csv"
slam = "{recordings}/Sitzungen/{which}/camera_trajectory.csv"
[sensors.session]
kind = "polyumi_session"
[pose_sources.optitrack]
kind = "optitrack_csv"
frame = "optitrack/world"
body = "markers"
[pose_sources.slam]
kind = "trajectory_file"
format = "orb_slam3"
frame = "map"
body = "gopro"
inputs.video = "session.gopro_video"
[steps.slam_gaps]
kind = "pose_gaps"
frame = "map"
body = "gopro"
inputs.pose = "slam.pose"
[steps.sync]
kind = "chirp_sync"
inputs.first = "session.gopro_audio"
inputs.second = "session.air_audio"
[steps.width]
kind = "gripper_width"
camera = "gopro"
closed_separation_m = 0.04456
open_separation_m = 0.13236
inputs.video = "session.gopro_video"
[steps.tcp]
kind = "tcp"
camera = "gopro"
world = "world"
inputs.pose = "optitrack.pose"
[steps.slam_tcp]
kind = "tcp"
camera = "gopro"
world = "map"
inputs.pose = "slam_gaps.pose"
[steps.alignment]
kind = "align"
frame = "world"
other_frame = "map"
time = "clock_map"
inputs.reference = "tcp.pose"
inputs.other = "slam_tcp.pose"
[steps.contact]
kind = "contact_audio"
inputs.audio = "session.contact_audio"
inputs.video = "session.gopro_video"
[steps.sharpness]
kind = "sharpness"
inputs.video = "session.gopro_video"
[steps.exposure]
kind = "exposure"
inputs.video = "session.gopro_video"
[steps.wrist]
kind = "thumbnails"
inputs.video = "session.gopro_video"
[steps.finger]
kind = "thumbnails"
every = 6
inputs.video = "session.finger_video"
[steps.verdict]
kind = "verdict"
judge = ["video", "width", "sharpness", "exposure", "sync"]
inputs.pose = "tcp.pose"
inputs.width = "width.width"
inputs.video = "session.gopro_video"
inputs.sharpness = "sharpness.sharpness"
inputs.brightness = "exposure.brightness"
inputs.clipped = "exposure.clipped"
[exporters.foxglove]
kind = "mcap"
folder = "mcap"
# All but the alignment, which is of the whole scene and not of one episode.
inputs.streams = [
    "session.*", "optitrack.*", "slam.*", "slam_gaps.*", "tcp.*", "slam_tcp.*", "sync.*", "width.*",
    "contact.*", "sharpness.*", "exposure.*", "wrist.*", "finger.*", "verdict.*",
]
[exporters.dataset]
kind = "umi"
folder = "dataset"
microphones = 1
fingers = 1
min_steps = 8
image_size = 64
max_pose_gap_s = 0.075
max_width_gap_s = 0.075
inputs.robot0_pose = "tcp.pose"
inputs.robot0_width = "width.width"
inputs.camera0 = "session.gopro_video"
inputs.finger0 = "session.finger_video"
inputs.microphone0 = "contact.blocks"
inputs.verdict = "verdict.usable"
[exporters.by_slam]
kind = "umi"
folder = "by_slam"
min_steps = 8
image_size = 64
max_pose_gap_s = 0.075
max_width_gap_s = 0.075
inputs.robot0_pose = "slam_tcp.pose"
inputs.robot0_width = "width.width"
inputs.camera0 = "session.gopro_video"
"""


@attrs.frozen(kw_only=True)
class Ran:
    """A run of some of the sessions.

    Attributes:
        folder: Where the pipeline lies.
        code: Exit code.
        outcomes: By episode and component.
        stopped: Why the run ended early.
    """

    folder: Path
    code: int
    outcomes: dict[tuple[str, str], dict]
    stopped: str = ""

    @property
    def scene(self) -> Path:
        return self.folder / "scene"

    def reason(self, episode, node="session"):
        outcome = self.outcomes[episode, node]
        assert outcome["ending"] == "failed"
        return outcome["reason"]

    def notes(self, episode, node="session"):
        outcome = self.outcomes[episode, node]
        assert outcome["ending"] == "committed", outcome["reason"]
        return "\n".join(outcome["notes"])

    def endings(self, ending):
        return {place for place, outcome in self.outcomes.items() if outcome["ending"] == ending}

    def stream(self, episode, node, name, kind_of="step"):
        with Scene.open(self.scene) as scene:
            return scene.stream(StepKey(node, episode, kind_of), name)

    def attributes(self, episode, node, kind_of="step"):
        with Scene.open(self.scene) as scene:
            return scene.read(StepKey(node, episode, kind_of)).attributes

    def digests(self, episode):
        with Scene.open(self.scene) as scene:
            return {key.path: entry.digest for key, entry in scene.ledger().items() if key.episode == episode}

    def provenance(self, exporter="dataset"):
        (path,) = (self.folder / exporter).glob("*.provenance.json")
        return json.loads(path.read_text(encoding="utf-8"))


def run(folder: Path, recordings: Path, which: str = "*") -> Ran:
    """Run the pipeline on the sessions of a pattern, in this process."""
    text = PIPELINE
    rig = (ROOT / "examples" / "rigs" / "demo.toml").as_posix()
    for name, value in (("rig", rig), ("recordings", recordings.as_posix()), ("which", which)):
        text = text.replace(f"{{{name}}}", value)
    (folder / "pipeline.toml").write_text(text, encoding="utf-8")
    said = StringIO()
    with redirect_stdout(said):
        code = main(["run", str(folder / "pipeline.toml"), "--json"])
    found = json.loads(said.getvalue())
    outcomes = {(each["episode"], each["step"]): each for each in found["outcomes"]}
    return Ran(folder=folder, code=code, outcomes=outcomes, stopped=found.get("stopped", ""))
