"""Whether video can be decoded and encoded here, and by which FFmpeg."""

from __future__ import annotations

from typing import Any

from handloom.cli.diagnosis.levels import Diagnosis, ok, problem, warning

DECODERS = ("h264", "hevc", "av1", "mjpeg")
"""What cameras record: GoPro h264 and hevc, datasets av1, cheap webcams mjpeg."""

ENCODERS = ("libx264", "libsvtav1")
"""What exporters write."""


def video() -> list[Diagnosis]:
    """Look at PyAV, its FFmpeg, and the codecs that recordings and datasets need."""
    try:
        import av
    except ModuleNotFoundError:
        return [
            warning("video", "PyAV is not installed, so no video can be read. Run: pip install 'handloom[video]'")
        ]
    except ImportError as error:
        fix = "Run: pip install --force-reinstall av"
        return [problem("video", f"PyAV is installed but can't be imported: {error}. {fix}")]
    version = ".".join(map(str, av.library_versions["libavcodec"]))
    found = ok("video", f"PyAV {av.__version__} with FFmpeg {_ffmpeg(av)} (libavcodec {version}).")
    return [found, _codecs(av, "r"), _codecs(av, "w")]


def _ffmpeg(av: Any) -> str:
    return str(getattr(av, "ffmpeg_version_info", "of unknown version"))


def _codecs(av: Any, mode: str) -> Diagnosis:
    wanted, doing = (DECODERS, "decoders") if mode == "r" else (ENCODERS, "encoders")
    missing = [name for name in wanted if not _has(av, name, mode)]
    if not missing:
        return ok(doing, f"{', '.join(wanted)}.")
    fix = "Run: pip install --force-reinstall --only-binary :all: av"
    sentence = f"this FFmpeg lacks {', '.join(missing)}. {fix}"
    return problem(doing, sentence) if mode == "r" else warning(doing, sentence)


def _has(av: Any, name: str, mode: str) -> bool:
    try:
        av.codec.Codec(name, mode)
    except ValueError:  # PyAV's UnknownCodecError is one
        return False
    return True
