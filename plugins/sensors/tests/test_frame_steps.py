"""The frame steps: sharpness, exposure and thumbnails, fed by one pass as the runner feeds them."""

from __future__ import annotations

from types import SimpleNamespace

import attrs
import numpy as np
import pytest

from handloom.errors import StepError
from handloom.media import Clip, Views, decode, index_video, read_number, write_clip
from handloom_sensors import exposure, sharpness, thumbnails
from handloom_sensors.exposure import Exposure, ExposureConfig
from handloom_sensors.sharpness import Sharpness, SharpnessConfig, laplacian_variance
from handloom_sensors.thumbnails import Thumbnails, ThumbnailsConfig

SMALL = Clip(width=160, height=120, frames=40, start_ticks=15)


@pytest.fixture
def video(tmp_path):
    video = index_video((write_clip(tmp_path / "clip.mp4", SMALL),)).video
    return attrs.evolve(video, type=video.type.bind("camera"))


def _inputs(video):
    return SimpleNamespace(video=lambda port: {"video": video}[port])


def _run(step, video):
    step.start(_inputs(video))
    for index, stamp, views in decode(video, step.views(step.config)):
        step.frame(index, stamp, views)
    return step.finish()


def _see(step, video, pictures: dict[str, np.ndarray], stamp: int = 0) -> None:
    step.start(_inputs(video))
    step.frame(0, stamp, Views(pictures))


@pytest.mark.parametrize(
    ("module", "kind"), [(sharpness, Sharpness), (exposure, Exposure), (thumbnails, Thumbnails)]
)
def test_hook_answers_the_class(module, kind):
    assert module.step(module.__name__) is kind


@pytest.mark.parametrize("kind", [Sharpness, Exposure])
def test_outputs_carry_the_stamps_and_the_clock_of_the_video(video, kind):
    outputs = _run(kind(), video)
    ports = kind.ports(kind.Config()).outputs
    assert set(outputs.streams) == set(ports)
    for name, stream in outputs.streams.items():
        assert np.array_equal(stream.stamps, video.stamps)
        assert stream.type.clock == "camera"
        assert stream.type == attrs.evolve(ports[name].type, clock="camera")
        assert ports[name].clock_of == "video"


@pytest.mark.parametrize("kind", [Sharpness, Exposure, Thumbnails])
def test_same_video_gives_the_same_numbers_twice(video, kind):
    step = kind()
    first, second = _run(step, video), _run(step, video)
    for name in first.streams:
        assert np.array_equal(first.streams[name].data, second.streams[name].data)


@pytest.mark.parametrize("kind", [Sharpness, Exposure, Thumbnails])
def test_video_without_a_frame_is_an_error_and_no_empty_stream(video, kind):
    step = kind()
    step.start(_inputs(video))
    with pytest.raises(StepError, match="decoded"):
        step.finish()


def test_blurred_picture_is_less_sharp():
    sharp = np.random.default_rng(0).integers(0, 256, (60, 80)).astype(np.uint8)
    blurred = ((sharp.astype(int) + np.roll(sharp, 1, 0) + np.roll(sharp, 1, 1)) // 3).astype(np.uint8)
    assert laplacian_variance(blurred) < laplacian_variance(sharp) / 3


def test_laplacian_is_that_of_its_definition():
    gray = np.random.default_rng(1).integers(0, 256, (7, 9)).astype(np.uint8)
    values = [
        sum(int(gray[row + down, column + right]) for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)))
        - 4 * int(gray[row, column])
        for row in range(1, 6)
        for column in range(1, 8)
    ]
    assert laplacian_variance(gray) == pytest.approx(np.var(values))
    assert laplacian_variance(np.full((5, 5), 255, dtype=np.uint8)) == 0.0


def test_clipped_shares_count_dark_and_bright_pixels(video):
    rgb = np.full((10, 10, 3), 100, dtype=np.uint8)
    rgb[:2] = 0
    rgb[9, :, 0] = 255
    rgb[5] = (0, 100, 0)  # one strong channel is enough not to be dark
    step = Exposure(ExposureConfig(size=10))
    _see(step, video, {"rgb": rgb})
    outputs = step.finish()
    assert outputs.streams["clipped"].data.tolist() == [[0.2, 0.1]]
    assert outputs.streams["brightness"].data[0] == pytest.approx(rgb.mean() / 255)


def test_thumbnails_show_every_nth_frame(video):
    outputs = _run(Thumbnails(ThumbnailsConfig(width=80, height=60, every=15)), video)
    stream = outputs.streams["thumbnails"]
    assert stream.data.shape == (3, 60, 80, 3)
    assert [read_number(picture) for picture in stream.data] == [0, 15, 30]
    assert np.array_equal(stream.stamps, video.stamps[[0, 15, 30]])


def test_smallest_picture_to_measure_is_three_by_three():
    with pytest.raises(ValueError, match="width"):
        SharpnessConfig(width=2)
