"""The pose source `optitrack_csv`: a rigid body of a take that Motive exported as CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Inputs, OutputPort, Outputs, Ports, PoseSource, Progress, hookimpl
from handloom.errors import RecordingError, StepError
from handloom.streams import OWN, POSE, Samples, StreamType
from handloom_pose_sources.motive import BodyColumns, BodyRows, MotiveHeader, body_columns, read_header, read_rows
from handloom_pose_sources.motive.header import TESTED_VERSIONS

MARKER_ERROR = StreamType(kind="scalar", dtype="float64", unit="m")
_NORM_TOLERANCE = 0.01


@attrs.frozen(kw_only=True)
class OptitrackCsvConfig:
    """Settings of a Motive export.

    Attributes:
        rigid_body: The body's name in Motive; "" takes the only one in the file.
        frame: Motive's own frame, whose y axis points up; "@" stands for the component's name. Declare in the rig
            how it stands in a frame with z up, and have the step `tcp` turn the poses.
        body: Frame of the rigid body, as the rig names it.
    """

    rigid_body: str = ""
    frame: str = f"{OWN}/world"
    body: str = f"{OWN}/body"


class OptitrackCsv(PoseSource):
    """Reads one rigid body; its clock counts from the start of the take, by frames, not by the rounded times."""

    Config = OptitrackCsvConfig
    summary = "Poses of a rigid body, from the CSV that OptiTrack's Motive exports"

    @classmethod
    def ports(cls, config: OptitrackCsvConfig) -> Ports:
        """Declare the poses and how well the markers fitted, on the take's own clock."""
        return Ports(
            outputs={
                "pose": OutputPort(type=attrs.evolve(POSE, frame=config.frame, body=config.body)),
                "marker_error": OutputPort(type=MARKER_ERROR, optional=True),
            },
            files="one CSV of Motive, format 1.22 to 1.24",
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Read the episode's take.

        Raises:
            StepError: There is not exactly one file.
            RecordingError: The file is no Motive export, or has not what is asked for.
        """
        if len(inputs.files) != 1:
            names = ", ".join(path.name for path in inputs.files) or "none"
            raise StepError(f"A take is one CSV of Motive; found {len(inputs.files)}: {names}.")
        progress(0.0)
        header, columns, rows = read_take(inputs.files[0], self.config.rigid_body)
        progress(0.9)
        outputs = self._outputs(header, columns, rows)
        progress(1.0)
        return outputs

    def _outputs(self, header: MotiveHeader, columns: BodyColumns, rows: BodyRows) -> Outputs:
        stamps = np.rint(rows.frames * (1e9 / header.rate_hz())).astype(np.int64)
        data, tracked = _poses(rows, header)
        told = _about(header, columns, rows)
        type_ = attrs.evolve(POSE, frame=self.config.frame, body=self.config.body)
        streams = {"pose": Samples(type=type_, data=data, stamps=stamps, tracked=tracked, attributes=told)}
        if rows.marker_errors is not None:
            errors = rows.marker_errors / header.per_metre()
            streams["marker_error"] = Samples(type=MARKER_ERROR, data=errors, stamps=stamps)
        lost = int(np.count_nonzero(~tracked))
        return Outputs(
            streams=streams,
            attributes={**told, "rows": len(tracked), "lost_rows": lost},
            notes=_notes(header, lost, rows),
        )


def read_take(path: Path, rigid_body: str) -> tuple[MotiveHeader, BodyColumns, BodyRows]:
    """Read header, columns and numbers of a file.

    Raises:
        RecordingError: The file is missing, not text, or not what it should be.
    """
    try:
        # Labels and numbers are ASCII; a note in the letters of some code page must not cost the take.
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            header = read_header(path.name, lines)
            columns = body_columns(header, rigid_body)
            header.check()
            return header, columns, read_rows(lines, header, columns)
    except FileNotFoundError:
        raise RecordingError(f"{path.name}: there is no such file; expected a CSV of Motive.") from None
    except csv.Error as error:
        raise RecordingError(f"{path.name}: is no table of text ({error}); expected a CSV of Motive.") from error
    except OSError as error:
        raise RecordingError(f"{path.name}: can't be read: {error.strerror}.") from error


def _poses(rows: BodyRows, header: MotiveHeader) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return (N, 7) poses in metres, NaN where lost, and (N,) tracked."""
    data = rows.poses.copy()
    data[:, :3] /= header.per_metre()
    tracked = ~np.isnan(data).any(axis=1) & (data[:, 3:] != 0.0).any(axis=1)
    norms = np.where(tracked, np.linalg.norm(data[:, 3:], axis=1), 1.0)
    wrong = np.flatnonzero(np.abs(norms - 1.0) > _NORM_TOLERANCE)
    if len(wrong):
        row = int(wrong[0])
        raise RecordingError(
            f"{header.name}, row {row + 1} below the header: the quaternion has norm {norms[row]:.6g}; expected 1 "
            f"within {_NORM_TOLERANCE:g}, or blanks where the body was lost."
        )
    data[:, 3:] /= norms[:, None]
    data[~tracked] = np.nan
    return data, tracked


def _about(header: MotiveHeader, columns: BodyColumns, rows: BodyRows) -> dict[str, Any]:
    span = int(rows.frames[-1] - rows.frames[0]) + 1
    return {
        "rigid_body": columns.body,
        "format_version": header.version,
        "rate_hz": header.rate_hz(),
        # As written: its language and zone are those of the computer that recorded, which the file does not tell.
        "capture_start_time": header.take.get("capture start time", ""),
        "take_name": header.take.get("take name", ""),
        "missing_frames": span - len(rows.frames),
    }


def _notes(header: MotiveHeader, lost: int, rows: BodyRows) -> tuple[str, ...]:
    notes = []
    if header.version not in TESTED_VERSIONS:
        known = ", ".join(TESTED_VERSIONS)
        notes.append(f"{header.name}: format version {header.version}; the ones this was made for are {known}.")
    if lost:
        notes.append(f"{header.name}: the body is lost in {lost} of {len(rows.frames)} rows.")
    return tuple(notes)


@hookimpl
def pose_source(kind: str) -> type[PoseSource]:
    """Answer for `optitrack_csv`."""
    return OptitrackCsv
