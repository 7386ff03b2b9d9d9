"""The sensor `trajectory`: a tracker that left its poses in a text file, on a clock of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import attrs
import numpy as np

from handloom.api import OutputPort, Outputs, Ports, Progress, Sensor, hookimpl
from handloom.errors import RecordingError
from handloom.streams import OWN, POSE, Samples, StreamType, TrajectoryLayout, layout_named, read_trajectory


@attrs.frozen(kw_only=True)
class TrajectoryConfig:
    """Settings of a tracker's pose file.

    Attributes:
        format: "tum", "euroc", "orb_slam3", or "csv" with `columns`.
        columns: The column map of format "csv".
        frame: Frame `a` of the poses `T_a_b`; "@" stands for the device's name.
        body: Body `b`.
    """

    format: Literal["tum", "euroc", "orb_slam3", "csv"] = "tum"
    columns: TrajectoryLayout | None = None
    frame: str = f"{OWN}_world"
    body: str = OWN

    def __attrs_post_init__(self) -> None:
        layout_named(self.format, self.columns)


class TrajectoryFile(Sensor):
    """Reads one file of poses; its stamps are the file's own."""

    Config = TrajectoryConfig
    summary = "Poses of a tracker, from a text file: TUM, EuRoC, ORB-SLAM3 or any column map"

    @classmethod
    def ports(cls, config: TrajectoryConfig) -> Ports:
        """Declare one pose stream on the device's own clock."""
        return Ports(outputs={"pose": OutputPort(type=_pose_type(config))}, files="one text file of poses")

    def read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        """Read the file; a lost row is NaN and untracked.

        Raises:
            RecordingError: There is not exactly one file, or it can't be read as its format.
        """
        if len(files) != 1:
            names = ", ".join(path.name for path in files) or "none"
            raise RecordingError(f"A trajectory is one file of poses an episode; found {len(files)}: {names}.")
        progress(0.0)
        trajectory = read_trajectory(files[0], layout_named(self.config.format, self.config.columns))
        pose = Samples(
            type=_pose_type(self.config),
            data=trajectory.poses,
            stamps=trajectory.keys,
            tracked=trajectory.tracked,
        )
        progress(1.0)
        lost = int(np.count_nonzero(~trajectory.tracked))
        notes = (f"{lost} of {len(trajectory)} rows are lost.",) if lost else ()
        return Outputs(
            streams={"pose": pose}, attributes={"rows": len(trajectory), "lost_rows": lost}, notes=notes
        )


def _pose_type(config: TrajectoryConfig) -> StreamType:
    return attrs.evolve(POSE, frame=config.frame, body=config.body)


@hookimpl
def sensor(kind: str) -> type[Sensor]:
    """Answer for `trajectory`."""
    return TrajectoryFile
