"""What a control pipeline sets beside its robot and its law: `[control]`, and what of it is to be followed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import attrs
from attrs.validators import ge, gt, le

from handloom.api import TCP
from handloom.errors import ConfigError
from handloom.streams import TrajectoryLayout
from handloom_controllers.control.tcp_claims import is_digest
from handloom_controllers.laws.ranges import a_pose, numbers
from handloom_controllers.refusal import MOST_WAYPOINTS


@attrs.frozen(kw_only=True)
class ControlSettings:
    """The `[control]` table: how chunks are made, how time passes, and where the telemetry goes.

    Attributes:
        folder: Where telemetry and plots are written; made when it is not there.
        robot: Name of the robot; may be left out where there is one.
        law: Name of the law; may be left out where there is one.
        process: Whether the robot lives in a process of its own, which stops it when this one is gone.
        paced: Whether time passes as on the wall; false runs a simulated robot as fast as it can.
        real_time: Whether the compiled loop is wanted; false takes the loop in Python.
        chunk_rate_hz: How often a chunk is asked for.
        horizon: Waypoints in a chunk.
        waypoint_rate_hz: How close its waypoints are.
        plots: Whether a picture is drawn; it needs matplotlib.
        mcap: Whether a file for Foxglove is written; it needs foxglove-sdk.
    """

    folder: Path
    robot: str = ""
    law: str = ""
    process: bool = False
    paced: bool = True
    real_time: bool = True
    chunk_rate_hz: float = attrs.field(default=10.0, validator=[gt(0), le(100)])
    horizon: int = attrs.field(default=16, validator=[ge(2), le(MOST_WAYPOINTS)])
    waypoint_rate_hz: float = attrs.field(default=20.0, validator=[ge(0.01), le(1000)])
    plots: bool = True
    mcap: bool = True

    @property
    def chunk_s(self) -> float:
        """How far a chunk reaches."""
        return self.horizon / self.waypoint_rate_hz


@attrs.frozen(kw_only=True)
class ReferenceSettings:
    """The `[control.reference]` table: the recorded path of the tool that is to be followed.

    Attributes:
        file: Text file of poses.
        format: How it is written; "csv" needs `columns`.
        columns: Column map of a "csv".
        place: "start" moves the path so that it begins where the tool is, keeping its shape in the tool's own
            axes; "base" takes its poses as they are, in the robot's base.
        lead_in_s: Time to go from where the tool is to the path's beginning.
        speed: 2 plays the recording twice as fast.
        max_gap_s: Largest time between two poses of the recording.
        process: Whether chunks come from a process of their own, as a policy's would; only where time is paced.
    """

    file: Path
    format: Literal["tum", "euroc", "orb_slam3", "csv"] = "tum"
    columns: TrajectoryLayout | None = None
    place: Literal["start", "base"] = "start"
    lead_in_s: float = attrs.field(default=1.0, validator=[ge(0), le(600)])
    speed: float = attrs.field(default=1.0, validator=[ge(0.001), le(10)])
    max_gap_s: float = attrs.field(default=0.2, validator=[gt(0), le(60)])
    process: bool = True


def _a_digest(_: Any, field: attrs.Attribute[Any], value: str) -> None:
    if value and not is_digest(value):
        raise ConfigError([f"{field.name} is {value!r}; expected 64 hexadecimal digits, as a dataset keeps them."])


@attrs.frozen(kw_only=True)
class ToolSettings:
    """The `[control.tool]` table: the tool from the frames of the rig, and the dataset that it must belong to.

    Attributes:
        flange: Frame of the rig that is the robot's flange.
        camera: Frame of the camera, the same as in the step `tcp` of the recordings.
        tcp: Frame at the midpoint between the finger tips.
        tcp_digest: Digest of T_camera_tcp that the arm must have; "" asks for none.
        dataset: Dataset whose tool the arm must have: its file, or the `.provenance.json` beside it.
        dataset_pose: Which poses of the dataset count, as "robot0_pose", where they are of several tools.
    """

    flange: str = "flange"
    camera: str = "gopro"
    tcp: str = TCP
    tcp_digest: str = attrs.field(default="", validator=_a_digest)
    dataset: Path | None = None
    dataset_pose: str = ""


@attrs.frozen(kw_only=True)
class HandSettings:
    """The `[control.hand]` table: the recorded hand that the tool moves relative to, in the place of a live one.

    Attributes:
        file: Text file of poses of the hand, or of a marker on it, in any world.
        format: How it is written; "csv" needs `columns`.
        columns: Column map of a "csv".
        T_marker_hand: x y z and quaternion x y z w of the hand in what was tracked; the hand's axes are taken for
            the tool's.
        delay_s: How much later than the hand the tool is; the curve between its poses needs them.
        lost_s: Shorter gaps in the tracking are bridged; after a longer one the tool is coupled anew where it is.
        speed: 2 plays the recording twice as fast.
    """

    file: Path
    format: Literal["tum", "euroc", "orb_slam3", "csv"] = "tum"
    columns: TrajectoryLayout | None = None
    T_marker_hand: tuple[float, ...] = attrs.field(
        default=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), converter=numbers, validator=a_pose
    )
    delay_s: float = attrs.field(default=0.1, validator=[gt(0), le(5)])
    lost_s: float = attrs.field(default=0.2, validator=[gt(0), le(60)])
    speed: float = attrs.field(default=1.0, validator=[gt(0), le(10)])
