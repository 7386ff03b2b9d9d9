"""Settings of the exporter `umi`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs

from handloom.api import TCP
from handloom.errors import ConfigError, MediaError, did_you_mean
from handloom.media.crops import check_crop

_at_least_0: Any = attrs.validators.ge(0)
_at_least_1: Any = attrs.validators.ge(1)
_positive: Any = attrs.validators.gt(0)


@attrs.frozen(kw_only=True)
class UmiConfig:
    """What the dataset holds and how streams are brought to its steps.

    Attributes:
        robots: Grippers; each has the inputs `robot0_pose` and `robot0_width`.
        cameras: Cameras of UMI's pictures, `camera0` and so on; the steps are frames of the first.
        microphones: Inputs `microphone0` and so on, kept as `mic_0`: a sound recording is cut into ManiWAV's
            blocks, a stream of blocks (kind vector) is kept as it is, several to a step.
        fingers: Tactile finger cameras, `finger0` and so on, kept as `finger_rgb`, or `finger0_rgb` when there are
            several.
        leave_out: Names of episodes that are no demonstrations, with wildcards: a gripper calibration, a mapping.
        verdict: Whether rows that a stream `usable` marks as 0 are cut out.
        tcp_body: Body of the poses; anything but a fingertip pose is refused.
        tcp_digest: The digest that every pose stream must carry; "" takes the first one and refuses any other.
        stride: Every how many frames of the first camera there is a step.
        rate_hz: Steps a second, evenly spaced, instead of a stride; 0 takes the stride.
        min_steps: Fewer in a row are left out. UMI's sampler needs (16 - 1) * 3 + 1 = 46 for a single sample, 16
            of a dataset that is strided by 3 already. PolyUMI keeps 90 and more.
        pose_interpolation: How a pose between two of the tracker's is found: "cubic" on a smooth curve through
            all, "linear" straight and by slerp, as UMI does.
        max_pose_gap_s: Two poses further apart are not interpolated.
        max_width_gap_s: The same of widths.
        max_image_distance_s: A picture further from its step is no picture of it.
        max_staleness_s: The newest finger picture may be so old.
        max_speed_m_per_s: A pose that moves faster than this has jumped.
        frozen_rows: Fewest poses in a run that repeat the one before to the last digit and count as lost, as in
            the step `pose_gaps`; 0 takes them all.
        latency_s: How long after the event a stream's stamps lie, by input; 0 where nothing is said.
        image_size: Width and height of the cameras' pictures in pixels.
        crop: What part of the picture they show: the largest centred box of this ratio, squeezed into a square.
            UMI's "1:1" is a square of full height, PolyUMI's is "4:3".
        masks: By camera, polygons that are blackened: each a list of corners [x, y] from the picture's centre on,
            in heights of the whole picture, as UMI's canonical mirror and finger polygons are.
        finger_crop_px: x, y, width, height in the upright finger picture; empty shows all of it.
        finger_size_px: Width and height; empty keeps every pixel.
        samples_per_block: Of a sound recording, in each step; 800 is what ManiWAV's networks take. 0 takes as many
            as a step lasts, rounded up.
        block: Whether a step's block ends at the step's instant, so that it holds nothing of the future, or starts
            there, as ManiWAV's own do.
        microphone_channels: Channel of each microphone's sound recording; one for all when there is one.
        blocks_per_step: Of a stream of blocks, in each step: those of its frame and of the frames before.
    """

    robots: int = attrs.field(default=1, validator=_at_least_1)
    cameras: int = attrs.field(default=1, validator=_at_least_1)
    microphones: int = attrs.field(default=0, validator=_at_least_0)
    fingers: int = attrs.field(default=0, validator=_at_least_0)
    leave_out: tuple[str, ...] = ()
    verdict: bool = True
    tcp_body: str = TCP
    tcp_digest: str = ""
    stride: int = attrs.field(default=1, validator=_at_least_1)
    rate_hz: float = attrs.field(default=0.0, validator=_at_least_0)
    min_steps: int = attrs.field(default=46, validator=_at_least_1)
    pose_interpolation: Literal["cubic", "linear"] = "cubic"
    max_pose_gap_s: float = attrs.field(default=0.05, validator=_positive)
    max_width_gap_s: float = attrs.field(default=0.05, validator=_positive)
    max_image_distance_s: float = attrs.field(default=0.02, validator=_positive)
    max_staleness_s: float = attrs.field(default=0.15, validator=_positive)
    max_speed_m_per_s: float = attrs.field(default=5.0, validator=_positive)
    frozen_rows: int = attrs.field(default=3, validator=_at_least_0)
    latency_s: Mapping[str, float] = attrs.field(factory=dict)
    image_size: int = attrs.field(default=224, validator=_at_least_1)
    crop: str = "1:1"
    masks: Mapping[str, tuple[tuple[tuple[float, ...], ...], ...]] = attrs.field(factory=dict)
    finger_crop_px: tuple[int, ...] = ()
    finger_size_px: tuple[int, ...] = ()
    samples_per_block: int = attrs.field(default=800, validator=_at_least_0)
    block: Literal["ends", "starts"] = "ends"
    microphone_channels: tuple[int, ...] = (0,)
    blocks_per_step: int = attrs.field(default=2, validator=_at_least_1)

    def __attrs_post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise ConfigError(problems)


def _problems(config: UmiConfig) -> Iterator[str]:
    if config.stride > 1 and config.rate_hz:
        yield "rate_hz: found both a stride and a rate; expected one of them."
    yield from _unknown("latency_s", config.latency_s, stream_ports(config))
    yield from _unknown("masks", config.masks, [f"camera{number}" for number in range(config.cameras)])
    for camera, polygons in config.masks.items():
        if any(len(polygon) < 3 or any(len(corner) != 2 for corner in polygon) for polygon in polygons):
            yield f"masks.{camera}: expected polygons of at least three corners [x, y]."
    for key, length in (("finger_crop_px", 4), ("finger_size_px", 2)):
        found = getattr(config, key)
        if found and (len(found) != length or min(found) < 0 or min(found[-2:]) < 1):
            yield f"{key}: found {list(found)}; expected {length} numbers of pixels, or none."
    if len(config.microphone_channels) not in {1, config.microphones} or min(config.microphone_channels) < 0:
        yield f"microphone_channels: found {list(config.microphone_channels)}; expected one number for each."
    try:
        check_crop(None, None, config.crop)
    except MediaError as error:
        yield f"crop: {error}"


def _unknown(key: str, named: Mapping[str, object], known: list[str]) -> Iterator[str]:
    for name in named:
        if name not in known:
            yield f"{key}.{name}: there is no such input{did_you_mean(name, known)}"


def stream_ports(config: UmiConfig) -> list[str]:
    """Return the inputs whose stamps may have a latency, in order."""
    robots = [f"robot{number}_{what}" for number in range(config.robots) for what in ("pose", "width")]
    counts = (("camera", config.cameras), ("microphone", config.microphones), ("finger", config.fingers))
    return [*robots, *(f"{name}{number}" for name, count in counts for number in range(count))]
