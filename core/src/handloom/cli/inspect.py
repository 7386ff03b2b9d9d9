"""`handloom inspect`: what a store holds, episode by episode and stream by stream."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import attrs

from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.table import columns
from handloom.store import SceneSummary, StepSummary, StreamSummary, inspect


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", type=Path, metavar="STORE", help="the scene directory")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the store; a failed step is shown, and no reason to fail."""
    summary = inspect(arguments.store)
    if arguments.json:
        print_json(attrs.asdict(summary))
    else:
        print("\n".join(_lines(summary)))
    return 0


def _lines(summary: SceneSummary) -> Iterator[str]:
    rig = f", rig '{summary.rig}'" if summary.rig else ""
    yield f"schema {summary.schema}{rig}, {_count(len(summary.episodes), 'episode')}, {_size(summary.size_bytes)}"
    for episode, steps in summary.episodes.items():
        yield f"\n{episode}"
        yield from _step_lines(steps)
    if summary.steps:
        yield "\n(scene)"
        yield from _step_lines(summary.steps)
    for path in summary.invalid:
        yield f"\n{path} has no valid record and isn't used; `handloom verify` says what is wrong with it."


def _step_lines(steps: tuple[StepSummary, ...]) -> Iterator[str]:
    for step in steps:
        yield f"  {step.key.step}  {step.kind}, {step.outcome}, {_size(step.size_bytes)}"
        if step.reason:
            yield f"    failed: {step.reason}"
        if step.streams:
            yield columns([_row(stream) for stream in step.streams])
        for name, value in sorted(step.attributes.items()):
            yield f"    {name} = {_shortened(json.dumps(value, ensure_ascii=False))}"
        for where in step.lost:
            yield f"    lost: {where} is gone or not whole; run the pipeline again."
        for note in step.notes:
            yield f"    note: {note}"


def _row(stream: StreamSummary) -> tuple[str, ...]:
    rate = "" if stream.rate_hz is None else f"{stream.rate_hz:.3f} Hz"
    return (f"    {stream.name}", str(stream.count), rate, _span(stream), str(stream.type))


def _span(stream: StreamSummary) -> str:
    if stream.start_ns is None or stream.end_ns is None:
        return ""
    return f"{stream.start_ns * 1e-9:.3f} s to {stream.end_ns * 1e-9:.3f} s"


def _shortened(text: str, longest: int = 100) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
