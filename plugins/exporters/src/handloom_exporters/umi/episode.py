"""An episode at the steps of the dataset: numbers, frames and blocks of sound, and where one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from handloom.api import TCP_DIGEST, Inputs
from handloom.errors import StepError
from handloom.streams.samples import Array, Int64Array
from handloom_exporters.umi.config import UmiConfig
from handloom_exporters.umi.numbers import check_tcp, pose_rows, width_rows
from handloom_exporters.umi.pictures import PictureRows, camera_rows, finger_rows
from handloom_exporters.umi.ports import only_samples, only_video, usable_streams
from handloom_exporters.umi.sound import SoundRows, sound_rows
from handloom_exporters.umi.timeline import BoolArray, Timeline, after_a_hole, nearest, newest, step_ns, steps_of

_DEMONSTRATION = "EPISODE"

_ABOUT_TOOL = ("camera", "T_camera_tcp")
"""What the step `tcp` tells beside the digest; an arm whose tool is another one can say how far it is off."""


@attrs.define(kw_only=True, eq=False)
class Episode:
    """What an episode gives to the dataset.

    Attributes:
        name: Its id.
        steps: (M,) int64 ns, instants of the steps on the first camera's clock.
        numbers: By array its dtype and rows, (M, k); NaN where lost.
        poses: By array of a robot's start pose, (M, 6) poses.
        pictures: By array the frames of a camera.
        sounds: By array the blocks of a microphone.
        faults: By reason the steps that can't be used, (M,).
        breaks: By reason the steps that can't follow the one before, (M,).
        streams: By input the full name of the stream behind it, and what has to be known of it.
    """

    name: str
    steps: Int64Array
    numbers: dict[str, tuple[str, Array]] = attrs.field(factory=dict)
    poses: dict[str, Array] = attrs.field(factory=dict)
    pictures: dict[str, PictureRows] = attrs.field(factory=dict)
    sounds: dict[str, SoundRows] = attrs.field(factory=dict)
    faults: dict[str, BoolArray] = attrs.field(factory=dict)
    breaks: dict[str, BoolArray] = attrs.field(factory=dict)
    streams: dict[str, dict[str, Any]] = attrs.field(factory=dict)

    @property
    def rate_hz(self) -> float:
        """Steps a second."""
        return 1e9 / step_ns(self.steps)

    @property
    def digests(self) -> dict[str, str]:
        """Digest of the tool transform by input of poses."""
        return {port: about[TCP_DIGEST] for port, about in self.streams.items() if TCP_DIGEST in about}


def read_episode(inputs: Inputs, config: UmiConfig) -> Episode:
    """Bring the streams of an episode to its steps.

    Raises:
        StepError: A stream is missing, of the wrong kind, or the verdict is that the episode can't be used.
        ClockError: A stream's clock can't be mapped to the first camera's.
    """
    name, video = only_video(inputs, "camera0")
    _check_demonstration(inputs)
    line = Timeline(clock=video.type.clock, maps=inputs.rig.clock_maps, latency_s=config.latency_s)
    steps = steps_of(line.of("camera0", video), config)
    if len(steps) < config.min_steps:
        raise StepError(f"'{name}' gives {len(steps)} steps; min_steps is {config.min_steps}.")
    episode = Episode(name=inputs.episode, steps=steps)
    episode.breaks["frames are missing"] = after_a_hole(steps)
    for number in range(config.robots):
        _add_robot(episode, inputs, line, number, config)
    for number in range(config.cameras):
        _add_camera(episode, inputs, line, f"camera{number}", config)
    for number in range(config.fingers):
        _add_finger(episode, inputs, line, f"finger{number}", config)
    for number in range(config.microphones):
        _add_microphone(episode, inputs, line, f"microphone{number}", config)
    if config.verdict:
        _add_verdict(episode, inputs, line, config)
    return episode


def _check_demonstration(inputs: Inputs) -> None:
    """Refuse what was recorded to map the scene or to calibrate: nobody shows the task there.

    Raises:
        StepError: The recorder says that the session is something else. Source: PolyUMI, `session_type`.
    """
    kind = inputs.attributes("camera0").get("session_type", _DEMONSTRATION)
    if kind != _DEMONSTRATION:
        raise StepError(f"the session is of type {kind}, not {_DEMONSTRATION}: it holds no demonstration.")


def _add_robot(episode: Episode, inputs: Inputs, line: Timeline, number: int, config: UmiConfig) -> None:
    port, array = f"robot{number}_pose", f"robot{number}"
    name, samples = only_samples(inputs, port)
    digest = check_tcp(port, name, samples, config)
    rows = pose_rows(samples, line.of(port, samples), episode.steps, config)
    episode.numbers[f"{array}_eef_pos"] = ("float32", rows.values[:, :3])
    episode.numbers[f"{array}_eef_rot_axis_angle"] = ("float32", rows.values[:, 3:])
    episode.poses[array] = rows.values
    episode.faults[f"{port} is lost"] = rows.lost
    episode.faults[f"{port} repeats itself"] = rows.repeating
    episode.faults[f"{port} jumps"] = rows.jumping
    episode.breaks[f"{port} jumps"] = rows.after_jump
    episode.streams[port] = {
        "stream": name,
        "world": samples.type.frame,
        "body": samples.type.body,
        TCP_DIGEST: digest,
        **{name: samples.attributes[name] for name in _ABOUT_TOOL if name in samples.attributes},
    }
    _add_width(episode, inputs, line, f"{array}_width", f"{array}_gripper_width", config)


def _add_width(episode: Episode, inputs: Inputs, line: Timeline, port: str, array: str, config: UmiConfig) -> None:
    name, samples = only_samples(inputs, port)
    values, lost = width_rows(samples, line.of(port, samples), episode.steps, config)
    episode.numbers[array] = ("float32", values)
    episode.faults[f"{port} is lost"] = lost
    episode.streams[port] = {"stream": name}


def _add_camera(episode: Episode, inputs: Inputs, line: Timeline, port: str, config: UmiConfig) -> None:
    name, video = only_video(inputs, port)
    frame, near = nearest(line.of(port, video), episode.steps, config.max_image_distance_s)
    episode.pictures[f"{port}_rgb"] = camera_rows(port, video, frame, config)
    episode.faults[f"{port} has no picture"] = ~near
    episode.streams[port] = {"stream": name}


def _add_finger(episode: Episode, inputs: Inputs, line: Timeline, port: str, config: UmiConfig) -> None:
    name, video = only_video(inputs, port)
    frame, fresh = newest(line.of(port, video), episode.steps, config.max_staleness_s)
    array = "finger_rgb" if config.fingers == 1 else f"{port}_rgb"
    episode.pictures[array] = finger_rows(port, video, frame, config)
    episode.faults[f"{port} has no new picture"] = ~fresh
    episode.streams[port] = {"stream": name}


def _add_microphone(episode: Episode, inputs: Inputs, line: Timeline, port: str, config: UmiConfig) -> None:
    name, samples = only_samples(inputs, port)
    rows = sound_rows(port, name, samples, knots=line.knots_of(port, samples), steps=episode.steps, config=config)
    episode.sounds[port.replace("microphone", "mic_")] = rows
    episode.faults[f"{port} has no sound"] = rows.missing
    episode.streams[port] = {"stream": name}


def _add_verdict(episode: Episode, inputs: Inputs, line: Timeline, config: UmiConfig) -> None:
    for name, samples in usable_streams(inputs).items():
        if samples.attributes.get("usable") is False:
            reasons = samples.attributes.get("reasons", ())
            raise StepError(f"'{name}' says that it can't be used: {', '.join(map(str, reasons)) or 'no reason'}.")
        if not len(samples):
            raise StepError(f"'{name}' is empty.")
        row, near = nearest(line.of("verdict", samples), episode.steps, config.max_image_distance_s)
        episode.faults[f"{name} says no"] = near & ~(samples.data[row] > 0.5)
        episode.faults[f"{name} says nothing"] = ~near
        episode.streams[name] = {"stream": name}


def rows_between(episode: Episode, start: int, end: int) -> Mapping[str, tuple[str, Array]]:
    """Return the numbers of steps `start` to before `end`, the poses they start and end with beside each."""
    numbers = {name: (dtype, rows[start:end]) for name, (dtype, rows) in episode.numbers.items()}
    for robot, poses in episode.poses.items():
        for what, row in (("start", poses[start]), ("end", poses[end - 1])):
            numbers[f"{robot}_demo_{what}_pose"] = ("float64", np.tile(row, (end - start, 1)))
    return numbers
