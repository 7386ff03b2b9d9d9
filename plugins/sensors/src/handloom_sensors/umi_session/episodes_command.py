"""The command `handloom umi-episodes`: prints the episodes of a UMI session for a pipeline, with the evidence."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from handloom.api import hookimpl
from handloom_sensors.umi_session.selection import Selection, select_recordings


def episodes_toml(selection: Selection, device: str) -> str:
    """Return the `[episodes]` tables of a selection, each with why it is what it is."""
    lines = []
    for one in selection.recordings:
        lines += [
            f"# {one.role.replace('_', ' ')}: {one.why}",
            f"[episodes.{json.dumps(one.name, ensure_ascii=False)}]",
            f"{device} = {json.dumps(one.path.as_posix(), ensure_ascii=False)}",
            "",
        ]
    lines += [f"# left out: {sentence}" for _, sentence in sorted(selection.left_out.items())]
    return "\n".join(lines).rstrip() + "\n"


def umi_episodes(arguments: list[str]) -> int:
    """Tell which file of UMI's `raw_videos` is what, as `[episodes]` tables for a pipeline."""
    parser = argparse.ArgumentParser(
        prog="handloom umi-episodes",
        description="Tell which file of UMI's raw_videos is the mapping, which a gripper calibration and which a "
        "demonstration, as tables for a pipeline.",
    )
    parser.add_argument("folder", type=Path, help="UMI's raw_videos")
    parser.add_argument("--device", default="camera", help="name of the sensor in the pipeline (camera)")
    options = parser.parse_args(arguments)
    sys.stdout.write(episodes_toml(select_recordings(options.folder), options.device))
    return 0


@hookimpl
def command(kind: str) -> Callable[[list[str]], int] | None:
    """Return the function behind `handloom umi-episodes`."""
    return umi_episodes if kind == "umi-episodes" else None
