"""The pose source `trajectory_file`: poses that another program computed for a video, put on the video's clock."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, PoseSource, Progress, hookimpl
from handloom.errors import ConfigError, StepError
from handloom.streams import (
    POSE,
    Samples,
    StreamType,
    Trajectory,
    TrajectoryLayout,
    Video,
    layout_named,
    read_trajectory,
)
from handloom_pose_sources.continuity import motion

Int64Array = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True)
class TrajectoryFileConfig:
    """Settings of poses computed elsewhere.

    Attributes:
        format: "tum", "euroc", "orb_slam3", or "csv" with `columns`.
        columns: The column map of format "csv".
        match: What ties a row to the video: the index of its frame, or its stamp plus `offset_s`.
        offset_s: Video's clock minus the file's; to be given when rows are matched by stamp, 0 when they agree.
        max_gap_s: Frames in a hole longer than this are written as lost rows, so that nobody draws a line across.
        frame: Frame `a` of the poses `T_a_b`.
        body: Body `b`, usually the camera.
    """

    format: Literal["tum", "euroc", "orb_slam3", "csv"] = "orb_slam3"
    columns: TrajectoryLayout | None = None
    match: Literal["frame_index", "stamp"] = "frame_index"
    offset_s: float | None = None
    max_gap_s: float = 0.1
    frame: str = "map"
    body: str = "camera"

    def __attrs_post_init__(self) -> None:
        layout = layout_named(self.format, self.columns)
        if self.match == "frame_index" and not layout.frame_index:
            raise ConfigError(
                [
                    f"Format '{self.format}' has no column of frame indices; add match = \"stamp\" and "
                    "offset_s = 0.0 (seconds, video's clock minus the file's)."
                ]
            )
        if self.match == "stamp" and self.offset_s is None:
            raise ConfigError(
                ["match = \"stamp\" needs offset_s; add offset_s = 0.0 (seconds, video's clock minus the file's)."]
            )
        if self.match != "stamp" and self.offset_s is not None:
            raise ConfigError(
                [f'offset_s = {self.offset_s} goes with match = "stamp" only; set that or remove offset_s.']
            )


class TrajectoryFilePoses(PoseSource):
    """Reads one file of poses an episode; rows stay as they are, only their stamps move to the video's clock."""

    Config = TrajectoryFileConfig
    summary = "Poses that another program computed for a video, from a text file"

    @classmethod
    def ports(cls, config: TrajectoryFileConfig) -> Ports:
        """Declare one pose stream on the clock of the video it was computed from."""
        return Ports(
            inputs={"video": InputPort(kinds="video")},
            outputs={"pose": OutputPort(type=_pose_type(config, "@"), clock_of="video")},
            files="one text file of poses",
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Read the episode's file and match it to the video.

        Raises:
            StepError: There is not exactly one file, or it does not belong to this video.
            RecordingError: The file can't be read as its format.
        """
        if len(inputs.files) != 1:
            names = ", ".join(path.name for path in inputs.files) or "none"
            raise StepError(f"Poses come from one file an episode; found {len(inputs.files)}: {names}.")
        progress(0.0)
        video = inputs.video("video")
        if not len(video):
            raise StepError("The video has no frame to match poses to.")
        layout = layout_named(self.config.format, self.config.columns)
        by: Literal["time", "frame_index"] = "time" if self.config.match == "stamp" else "frame_index"
        trajectory = read_trajectory(inputs.files[0], layout, by=by)
        stamps = self._stamps(trajectory, video)
        progress(0.5)
        outputs = self._outputs(trajectory, stamps, video)
        progress(1.0)
        return outputs

    def _stamps(self, trajectory: Trajectory, video: Video) -> Int64Array:
        """Return the (N,) stamps of the rows on the video's clock."""
        if self.config.match == "frame_index":
            return stamps_of_frames(trajectory, video)
        stamps: Int64Array = trajectory.keys + round(self.config.offset_s * 1e9)
        if stamps[-1] < video.stamps[0] or stamps[0] > video.stamps[-1]:
            raise StepError(
                f"{trajectory.name}: on the video's clock its rows last {_seconds(stamps)}, the video "
                f"{_seconds(video.stamps)}; they do not meet. Check offset_s."
            )
        return stamps

    def _outputs(self, trajectory: Trajectory, stamps: Int64Array, video: Video) -> Outputs:
        config = self.config
        holes = frames_in_holes(video.stamps, stamps, max_gap_s=config.max_gap_s)
        all_stamps = np.concatenate([stamps, holes])
        order = np.argsort(all_stamps, kind="stable")
        pose = Samples(
            type=_pose_type(config, video.type.clock),
            data=np.concatenate([trajectory.poses, np.full((len(holes), 7), np.nan)])[order],
            stamps=all_stamps[order],
            tracked=np.concatenate([trajectory.tracked, np.zeros(len(holes), np.bool_)])[order],
        )
        return Outputs(
            streams={"pose": pose},
            attributes=_figures(pose, video, config.max_gap_s, holes=len(holes)),
            notes=_notes(trajectory, len(holes), video),
        )


def stamps_of_frames(trajectory: Trajectory, video: Video) -> Int64Array:
    """Return the (N,) stamps of the frames that the rows name.

    Raises:
        StepError: A row names a frame that the video does not have.
    """
    if trajectory.keys[-1] >= len(video):
        row = int(np.argmax(trajectory.keys >= len(video)))
        raise StepError(
            f"{trajectory.name}, line {trajectory.lines[row]}: frame {trajectory.keys[row]}; the video has "
            f"{len(video)} frames, 0 to {len(video) - 1}. Is it the file of another episode?"
        )
    stamps: Int64Array = video.stamps[trajectory.keys]
    return stamps


def frames_in_holes(frames: Int64Array, rows: Int64Array, *, max_gap_s: float) -> Int64Array:
    """Return the stamps of the frames that lie where no row is for longer than the gap allows.

    Args:
        frames: (F,) int64 ns, increasing.
        rows: (N,) int64 ns, increasing, N >= 1; where the file says something, be it "lost".
        max_gap_s: The longest time between two rows that is no hole; before the first row and after the last is
            always one.
    """
    after = np.searchsorted(rows, frames, side="left")
    has_row = rows[np.minimum(after, len(rows) - 1)] == frames
    outside = (after == 0) | (after == len(rows))
    length = rows[np.clip(after, 0, len(rows) - 1)] - rows[np.clip(after - 1, 0, len(rows) - 1)]
    holes: Int64Array = frames[~has_row & (outside | (length > round(max_gap_s * 1e9)))]
    return holes


def _seconds(stamps: Int64Array) -> str:
    return f"from {stamps[0] * 1e-9:.3f} s to {stamps[-1] * 1e-9:.3f} s"


def _figures(pose: Samples, video: Video, max_gap_s: float, *, holes: int) -> dict[str, object]:
    assert pose.tracked is not None
    span = (int(video.stamps[0]), int(video.stamps[-1]))
    measured = motion(pose.all_stamps(), pose.data, pose.tracked, max_gap_s=max_gap_s, span=span)
    lost = int(np.count_nonzero(~pose.tracked)) - holes
    return {"rows": len(pose) - holes, "lost_rows": lost, "frames_without_row": holes, **measured.to_json()}


def _notes(trajectory: Trajectory, holes: int, video: Video) -> tuple[str, ...]:
    lost = int(np.count_nonzero(~trajectory.tracked))
    notes = []
    if lost:
        notes.append(f"{trajectory.name}: {lost} of {len(trajectory)} rows are lost.")
    if holes:
        notes.append(f"{trajectory.name}: {holes} of the {len(video)} frames lie in holes without a row.")
    return tuple(notes)


def _pose_type(config: TrajectoryFileConfig, clock: str) -> StreamType:
    return attrs.evolve(POSE, frame=config.frame, body=config.body, clock=clock)


@hookimpl
def pose_source(kind: str) -> type[PoseSource]:
    """Answer for `trajectory_file`."""
    return TrajectoryFilePoses
