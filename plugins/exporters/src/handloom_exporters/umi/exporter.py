"""The exporter `umi`: a scene as one ReplayBuffer that UMI, PolyUMI and ManiWAV train from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import ClassVar

from handloom.api import Exporter, Inputs, Outputs, Ports, Progress, Rig
from handloom.errors import HandloomError, StepError
from handloom.streams import StreamType
from handloom_exporters.umi.config import UmiConfig
from handloom_exporters.umi.episode import Episode, read_episode
from handloom_exporters.umi.ports import objections, umi_ports
from handloom_exporters.umi.provenance import NAMED, SIDECAR, Record, sidecar_text
from handloom_exporters.umi.replay_buffer import ReplayBuffer, new_replay_buffer
from handloom_exporters.umi.runs import Cut, find_runs
from handloom_exporters.umi.writing import declare_arrays, write_runs

_SAME_RATE = 0.01
"""Rates of two episodes may differ by this share; clocks drift by far less."""


class UmiExporter(Exporter):
    """Writes all episodes of a scene into one UMI dataset, split where something is missing."""

    Config: ClassVar[type] = UmiConfig
    summary: ClassVar[str] = "A scene as UMI's ReplayBuffer (.zarr.zip), with ManiWAV's sound and finger pictures"
    scope: ClassVar = "scene"
    suffix: ClassVar[str] = ".zarr.zip"

    @classmethod
    def ports(cls, config: UmiConfig) -> Ports:
        """Take a pose and a width for each gripper, a video for each camera, and what else is asked for."""
        return umi_ports(config)

    @classmethod
    def check(cls, config: UmiConfig, types: Mapping[str, StreamType], rig: Rig) -> tuple[str, ...]:
        """Say which poses are not the fingertip's and which clocks nothing joins."""
        return tuple(objections(config, types, rig))

    def export(self, inputs: Inputs, path: Path, progress: Progress) -> Outputs:
        """Write the dataset, one episode after the other.

        Raises:
            StepError: Two episodes were made with different tool transforms, or none can be exported.
        """
        config: UmiConfig = self.config
        record = Record()
        with new_replay_buffer(path) as buffer:
            names = inputs.episodes
            for number, name in enumerate(names):
                _export_episode(buffer, inputs, name, config, record, _share(progress, number, len(names)))
            if not record.episodes:
                reasons = " ".join(f"{name}: {reason}" for name, reason in record.left_out.items())
                raise StepError(f"No episode can be exported. {reasons}")
            attributes = record.attributes(config, inputs.rig.name)
            progress(1.0)
            buffer.finish(attributes)
        return Outputs(
            attributes={
                "steps": buffer.steps,
                "episode_ends": buffer.episode_ends,
                "rate_hz": attributes["handloom"]["rate_hz"],
                "left_out": record.left_out,
            },
            notes=tuple(record.notes()),
            beside={SIDECAR: sidecar_text(attributes)},
        )


def _share(progress: Progress, number: int, count: int) -> Progress:
    return lambda share: progress((number + share) / count)


def _export_episode(
    buffer: ReplayBuffer, inputs: Inputs, name: str, config: UmiConfig, record: Record, progress: Progress
) -> None:
    """Export one episode, or keep why it can't be; what it has written by then is whole."""
    if any(fnmatchcase(name, pattern) for pattern in config.leave_out):
        record.left_out[name] = NAMED
        return
    try:
        episode = read_episode(inputs.of(name), config)
        _check_rate(episode, record)
        _check_digests(episode, record)
        found, cuts = find_runs(episode.faults, episode.breaks, config.min_steps)
        declare_arrays(buffer, episode)
    except _TwoToolsError:
        raise
    except HandloomError as error:
        record.left_out[name] = str(error)
        return
    first_row = buffer.steps
    runs, more_cuts = write_runs(buffer, episode, found, min_steps=config.min_steps, progress=progress)
    cuts = sorted([*cuts, *more_cuts], key=lambda cut: (cut["first_step"], cut["reason"]))
    if runs:
        record.keep(episode, runs, cuts, first_row)
    else:
        record.left_out[name] = _nothing_left(cuts)


def _nothing_left(cuts: Sequence[Cut]) -> str:
    reasons = ", ".join(sorted({cut["reason"] for cut in cuts}))
    return f"no steps are left after the cuts: {reasons}."


class _TwoToolsError(StepError):
    """Ends the export; other mistakes of an episode leave that episode out."""


def _check_digests(episode: Episode, record: Record) -> None:
    """Refuse a dataset of two tools.

    Raises:
        StepError: The poses of an input were made with another tool transform than in the episodes before.
    """
    for port, digest in episode.digests.items():
        known = record.digests.get(port, digest)
        if known != digest:
            raise _TwoToolsError(
                f"Episode '{episode.name}' has poses on '{port}' made with the tool transform {digest}, the "
                f"episodes before with {known}; a dataset holds one tool. Run the step that makes them again, "
                f"with one rig."
            )


def _check_rate(episode: Episode, record: Record) -> None:
    """Refuse an episode whose steps are of another length; NaN before the first one passes.

    Raises:
        StepError: They are.
    """
    if abs(episode.rate_hz / record.rate_hz - 1.0) > _SAME_RATE:
        raise StepError(
            f"it has {episode.rate_hz:.3f} steps a second and the episodes before {record.rate_hz:.3f}; one "
            f"dataset has one rate. Set rate_hz, or export it on its own."
        )
