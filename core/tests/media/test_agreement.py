"""Every reader gives the same frames: the number painted into the pixels is the judge."""

from __future__ import annotations

import contextlib

import av
import numpy as np
import pytest

from handloom.media import DecodeReport, View, decode, encoded_frames, index_video, read_frames, read_number

VIEWS = {
    "rgb": View(format="rgb", width=80, height=60),
    "gray": View(format="gray"),
    "luma": View(format="luma"),
}


def _ticks_by_the_decoder(path) -> list[int]:
    """Return the timestamps of the pictures a decoder shows, in order, those of damaged packets left out."""
    pictures, damaged = [], set()
    with av.open(str(path)) as container:
        for packet in container.demux(video=0):
            damaged |= {packet.pts} if packet.is_corrupt else set()
            with contextlib.suppress(av.error.InvalidDataError):
                pictures += packet.decode()
    return [picture.pts for picture in pictures if picture.pts not in damaged]


def test_index_lists_the_frames_the_decoder_shows(recording):
    files, _ = recording
    video = index_video(files).video
    for file, end in zip(video.files, [*(f.first_frame for f in video.files[1:]), len(video)], strict=True):
        own = video.pts[file.first_frame : end].tolist()
        assert own == list(dict.fromkeys(_ticks_by_the_decoder(file.path)))


def test_decode_gives_each_frame_under_its_own_index(recording):
    files, numbers = recording
    video = index_video(files).video
    report = DecodeReport()
    seen = []
    for index, stamp, views in decode(video, VIEWS, report=report):
        assert {read_number(views[name]) for name in VIEWS} == {numbers[index]}
        assert stamp == video.stamps[index]
        seen.append(index)
    assert seen == list(range(len(video)))
    assert report.lost == []


def test_random_reads_give_the_frames_of_the_pass(recording):
    files, numbers = recording
    video = index_video(files).video
    wanted = np.random.default_rng(0).permutation(len(video))[:12].tolist()
    got = {index: read_number(picture) for index, picture in read_frames(video, wanted, VIEWS["rgb"])}
    assert got == {index: numbers[index] for index in sorted(wanted)}


def test_each_frame_can_be_read_alone(recording):
    files, numbers = recording
    video = index_video(files).video
    for index in (0, 1, len(video) // 2, len(video) - 1):
        [(got, picture)] = read_frames(video, [index], VIEWS["gray"])
        assert (got, read_number(picture)) == (index, numbers[index])


def test_encoded_frames_decode_to_the_same_numbers(recording):
    files, numbers = recording
    video = index_video(files).video
    if len(files) > 1 or video.rotation_deg:
        pytest.skip("the bare decoder below reads one upright file")
    decoder = av.CodecContext.create(video.codec, "r")
    ticks: dict[int, int] = {}
    pictures = []
    for position, encoded in enumerate(encoded_frames(video)):
        ticks[position] = encoded.index
        packet = av.Packet(bytes(encoded.payload))
        packet.pts = position
        pictures += decoder.decode(packet)
    pictures += decoder.decode(None)
    read = {ticks[picture.pts]: read_number(picture.to_ndarray(format="gray")) for picture in pictures}
    read.pop(-1, None)
    assert read == dict(enumerate(numbers[: len(video)]))
