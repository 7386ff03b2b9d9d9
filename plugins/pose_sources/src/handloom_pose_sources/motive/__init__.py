"""Motive's CSV export of a take: what its header says, which columns hold a rigid body, and their numbers."""

from handloom_pose_sources.motive.columns import BodyColumns, body_columns
from handloom_pose_sources.motive.header import MotiveHeader, read_header
from handloom_pose_sources.motive.rows import BodyRows, read_rows

__all__ = ["BodyColumns", "BodyRows", "MotiveHeader", "body_columns", "read_header", "read_rows"]
