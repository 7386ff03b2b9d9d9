"""Video and audio files through PyAV: index, decode, read; needs the extra `handloom[video]` when used."""

from handloom.media.audio import IndexedAudio, has_audio, read_audio
from handloom.media.boxes import boxes_in
from handloom.media.chirp import chirp
from handloom.media.clips import Clip, write_clip
from handloom.media.decoding import DecodeReport, decode
from handloom.media.frame_code import paint_number, read_number
from handloom.media.index import IndexedVideo, index_video
from handloom.media.packets import DataPacket, EncodedFrame, encoded_frames, read_data_packets
from handloom.media.probing import MediaInfo, Track, probe
from handloom.media.seeking import read_frames
from handloom.media.views import Format, View, Views

__all__ = [
    "Clip",
    "DataPacket",
    "DecodeReport",
    "EncodedFrame",
    "Format",
    "IndexedAudio",
    "IndexedVideo",
    "MediaInfo",
    "Track",
    "View",
    "Views",
    "boxes_in",
    "chirp",
    "decode",
    "encoded_frames",
    "has_audio",
    "index_video",
    "paint_number",
    "probe",
    "read_audio",
    "read_data_packets",
    "read_frames",
    "read_number",
    "write_clip",
]
