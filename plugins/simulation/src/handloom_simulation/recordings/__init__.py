"""Writers of what real devices write: PolyUMI scenes, UMI sessions, Motive takes, trackers' logs."""

from handloom_simulation.recordings.motive import MotiveFormat, write_motive
from handloom_simulation.recordings.painting import BlackPainter, Painter, PatternPainter, pictures
from handloom_simulation.recordings.polyumi import Recorded, write_polyumi_scene
from handloom_simulation.recordings.pose_files import write_slam_csv, write_tum, write_vr_csv
from handloom_simulation.recordings.settings import Demonstration, Quirks, SceneSettings
from handloom_simulation.recordings.umi import write_umi_session
from handloom_simulation.recordings.video import Encoding, write_video

__all__ = [
    "BlackPainter",
    "Demonstration",
    "Encoding",
    "MotiveFormat",
    "Painter",
    "PatternPainter",
    "Quirks",
    "Recorded",
    "SceneSettings",
    "pictures",
    "write_motive",
    "write_polyumi_scene",
    "write_slam_csv",
    "write_tum",
    "write_umi_session",
    "write_video",
    "write_vr_csv",
]
