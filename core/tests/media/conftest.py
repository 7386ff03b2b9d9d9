"""Synthetic clips for the media tests, each written once a session."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

from handloom.media import Clip, write_clip

SMALL = Clip(width=160, height=120, frames=48)

Cut = Callable[..., Path]


@pytest.fixture(scope="session")
def clip(tmp_path_factory) -> Callable[..., Path]:
    """Return a function that writes a small clip with the given differences, once."""
    pytest.importorskip("av", reason="needs PyAV: pip install 'handloom[video]'")
    folder = tmp_path_factory.mktemp("clips")
    written: dict[str, Path] = {}

    def write(suffix: str = ".mp4", **changes) -> Path:
        key = f"{suffix}{sorted(changes.items())}"
        if key not in written:
            written[key] = write_clip(folder / f"clip{len(written)}{suffix}", attrs.evolve(SMALL, **changes))
        return written[key]

    return write


@pytest.fixture(scope="session")
def cut(tmp_path_factory) -> Cut:
    """Return a function that keeps the first share of a file, as when power was lost or a copy stopped."""
    folder = tmp_path_factory.mktemp("cuts")

    def keep(path: Path, *, share: float) -> Path:
        data = path.read_bytes()
        shortened = folder / f"{share}-{path.name}"
        shortened.write_bytes(data[: int(len(data) * share)])
        return shortened

    return keep


VARIABLE = {"time_base": Fraction(1, 90_000), "pts": [1440 + 3000 * i + i * i % 7 * 300 for i in range(48)]}
REORDERED = {"b_frames": 3, "preset": "veryfast"}


@pytest.fixture(
    params=["plain", "b-frames", "hevc", "variable", "edit", "edit-b", "offset", "turned-90", "turned-180",
            "turned-270", "fragmented", "faststart", "short-gop", "matroska", "transport", "repeated", "backward",
            "cut-fragmented", "cut-faststart", "chapters"],
)  # fmt: skip
def recording(request, clip, cut, tmp_path) -> tuple[tuple[Path, ...], list[int]]:
    """Return the files of each kind of recording, with the numbers in the pixels of the frames that are shown."""
    everything = list(range(48))
    whole = {
        "plain": {},
        "b-frames": REORDERED,
        "hevc": {"codec": "libx265", "b_frames": 2},
        "variable": {**VARIABLE, **REORDERED},
        "offset": {"start_ticks": 15, **REORDERED},
        "turned-90": {"rotation_deg": 90},
        "turned-180": {"rotation_deg": 180},
        "turned-270": {"rotation_deg": 270, **REORDERED},
        "fragmented": {"fragmented": True, **REORDERED},
        "faststart": {"faststart": True, "audio_s": 0.5},
        "short-gop": {"keyframe_every": 2, **REORDERED},
        "matroska": {"suffix": ".mkv", "start_ticks": 2, **REORDERED},
        "transport": {"suffix": ".ts", **REORDERED},
    }
    if request.param in whole:
        return (clip(**whole[request.param]),), everything
    return _special(request.param, clip, cut, tmp_path)


def _special(kind: str, clip, cut, tmp_path: Path) -> tuple[tuple[Path, ...], list[int]]:
    everything = list(range(48))
    if kind in ("edit", "edit-b"):
        edit = (Fraction(17, 30), Fraction(20, 30))
        return (clip(edit=edit, **(REORDERED if kind == "edit-b" else {})),), everything[17:37]
    if kind == "repeated":
        ticks = [33 * (i if i != 10 else 9) for i in range(48)]
        return (clip(".mkv", time_base=Fraction(1, 1000), pts=ticks),), everything[:10] + everything[11:]
    if kind == "backward":
        twice = tmp_path / "twice.ts"
        twice.write_bytes(clip(".ts").read_bytes() * 2)
        # Where the two meet, FFmpeg finds packets missing and calls the last but one damaged.
        return (twice,), everything[:46] + everything[47:]
    if kind == "chapters":
        return (clip(**REORDERED), clip(first_number=48, start_ticks=7, **REORDERED)), list(range(96))
    layout = {"fragmented": True} if kind == "cut-fragmented" else {"faststart": True}
    return (cut(clip(**layout), share=0.6),), everything
