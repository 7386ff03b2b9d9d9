"""Video and audio files through PyAV: index, decode, read; needs the extra `handloom[video]` when used."""

from handloom.media.views import Format, View, Views

__all__ = ["Format", "View", "Views"]
