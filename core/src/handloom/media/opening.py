"""Opens media files, and says in a sentence why one can't be opened."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handloom.errors import MediaError

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.stream import VideoStream


def pyav() -> Any:
    """Import PyAV, or say what to install.

    Raises:
        MediaError: PyAV is not installed.
    """
    try:
        import av
    except ImportError as error:
        raise MediaError(
            f"Video and audio need PyAV, which can't be imported ({error}): pip install 'handloom[video]'."
        ) from error
    return av


def open_media(path: Path) -> InputContainer:
    """Open a file for reading; close it, or use it in a `with`.

    Raises:
        MediaError: There is no such file, it is empty, it was never finished, or it is no media file.
    """
    av = pyav()
    _check_present(path)
    try:
        # "file:" keeps FFmpeg from reading a colon in the name as a protocol.
        container: InputContainer = av.open(f"file:{path}", **_undecodable_metadata(av.__version__))
    except av.error.FFmpegError as error:
        raise MediaError(_unreadable(path, error.strerror or str(error))) from error
    return container


def _undecodable_metadata(version: str) -> dict[str, Any]:
    """Return what makes PyAV replace bytes in metadata that are no UTF-8; from 19 on it does so unasked."""
    return {"metadata_errors": "replace"} if int(version.partition(".")[0]) < 19 else {}


def video_track(container: InputContainer, path: Path) -> VideoStream:
    """Return the first video track that is not an attached cover picture.

    Raises:
        MediaError: There is none, or FFmpeg has no decoder for it.
    """
    cover = pyav().stream.Disposition.attached_pic
    for stream in container.streams.video:
        if not stream.disposition & cover:
            if stream.codec_context is None or stream.time_base is None:
                raise MediaError(f"{path}: FFmpeg has no decoder for the video track; convert the file to H.264.")
            return stream
    kinds = ", ".join(stream.type for stream in container.streams) or "none"
    raise MediaError(f"{path}: there is no video track, found: {kinds}; name the file that holds the pictures.")


def time_base(stream: Any) -> Fraction:
    """Return the seconds that one tick of a stream lasts."""
    return Fraction(stream.time_base)


def _check_present(path: Path) -> None:
    if not path.is_file():
        found = "is a directory" if path.is_dir() else "does not exist"
        raise MediaError(f"{path}: the file {found}; give the path of a recorded media file.")
    if path.stat().st_size == 0:
        raise MediaError(
            f"{path}: the file is empty; the camera wrote nothing into it, copy it from the card again."
        )


def _unreadable(path: Path, cause: str) -> str:
    with path.open("rb") as file:
        head = file.read(12)
    if head[4:8] in (b"ftyp", b"mdat", b"wide", b"free"):
        return (
            f"{path}: the MP4 has no readable index (moov box; FFmpeg: {cause}), as when power was lost before "
            f"the recording ended; let the camera repair the file or rebuild the index with untrunc."
        )
    return f"{path}: this is no video or audio file that FFmpeg can read ({cause}); check that the copy is whole."
