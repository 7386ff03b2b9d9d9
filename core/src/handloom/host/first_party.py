"""Which of our own distributions brings what, for the sentence that says what to install when it is not there."""

from __future__ import annotations

from collections.abc import Mapping

DISTRIBUTIONS: Mapping[str, str] = {
    "sensors": "handloom-sensors",
    "pose_sources": "handloom-pose-sources",
    "models": "handloom-models",
    "controllers": "handloom-controllers",
    "exporters": "handloom-exporters",
}
"""Our own distribution for each of the five families."""

OURS: tuple[str, ...] = (*DISTRIBUTIONS.values(), "handloom-simulation")
"""All our own distributions beside the core; that of the simulation brings a command and no family."""

KINDS: Mapping[tuple[str, str], str] = {
    ("commands", "control"): "handloom-controllers[foxglove,plots]",
    ("commands", "report"): "handloom-exporters[report]",
    ("commands", "simulate"): "handloom-simulation",
    ("commands", "umi-episodes"): "handloom-sensors",
    ("controllers", "cartesian_follower"): "handloom-controllers",
    ("controllers", "cartesian_following"): "handloom-controllers",
    ("controllers", "gated_following"): "handloom-controllers[gate,ik]",
    ("controllers", "hand_guiding"): "handloom-controllers",
    ("controllers", "impedance"): "handloom-controllers",
    ("diagnoses", "arms"): "handloom-controllers",
    ("diagnoses", "controllers"): "handloom-controllers",
    ("exporters", "mcap"): "handloom-exporters[foxglove]",
    ("exporters", "umi"): "handloom-exporters",
    ("models", "minimum_jerk"): "handloom-models",
    ("pose_sources", "optitrack_csv"): "handloom-pose-sources",
    ("pose_sources", "trajectory_file"): "handloom-pose-sources",
    ("robots", "franka"): "handloom-controllers[franka]",
    ("robots", "mujoco_fr3"): "handloom-simulation[arm]",
    ("robots", "mujoco_urdf"): "handloom-simulation[arm]",
    ("robots", "replay"): "handloom-controllers[replay]",
    ("sensors", "audio"): "handloom-sensors",
    ("sensors", "gopro"): "handloom-sensors",
    ("sensors", "polyumi_session"): "handloom-sensors",
    ("sensors", "trajectory"): "handloom-sensors",
    ("sensors", "umi_session"): "handloom-sensors",
    ("sensors", "video"): "handloom-sensors",
    ("steps", "align"): "handloom-pose-sources",
    ("steps", "calibrated_width"): "handloom-sensors",
    ("steps", "chirp_sync"): "handloom-sensors[sync]",
    ("steps", "contact_audio"): "handloom-sensors",
    ("steps", "exposure"): "handloom-sensors",
    ("steps", "gcc_phat_sync"): "handloom-sensors[sync]",
    ("steps", "gripper_range"): "handloom-sensors",
    ("steps", "gripper_width"): "handloom-sensors[fiducials]",
    ("steps", "in_world"): "handloom-pose-sources",
    ("steps", "motion_sync"): "handloom-sensors[sync]",
    ("steps", "pose_gaps"): "handloom-pose-sources",
    ("steps", "pose_quality"): "handloom-pose-sources",
    ("steps", "servo_width"): "handloom-sensors",
    ("steps", "sharpness"): "handloom-sensors",
    ("steps", "tcp"): "handloom-pose-sources",
    ("steps", "thumbnails"): "handloom-sensors",
    ("steps", "verdict"): "handloom-pose-sources",
}
"""Our own kinds and commands, by family and kind: what to give to `pip install`."""
