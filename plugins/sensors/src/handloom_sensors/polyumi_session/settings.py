"""The settings of a PolyUMI gripper's reader."""

from __future__ import annotations

import attrs

from handloom_sensors.gopro import GoProConfig
from handloom_sensors.polyumi_session import camera, sound


@attrs.frozen(kw_only=True)
class PolyumiSessionConfig:
    """Settings of a PolyUMI gripper.

    Attributes:
        orientation: Order and sign of the GoPro's motion axes ("ZXY") for a camera that does not record it.
        extra_streams: Further telemetry of the GoPro to wire, by name without "gopro_".
        audio_start: What the written start of the sound is: the instant at the converter ("adc"), or one block
            later ("callback"), as older versions wrote; "auto" goes by what the session tells.
        creation_tolerance_s: How far the GoPro file's creation time, whole seconds, may be from when the Pi set
            the camera's clock and started it.
        duration_tolerance_s: How much longer or shorter than the session the GoPro file may be.
        refuse_wrong_gopro: Whether the streams of a GoPro file dated to another time are left out; false keeps
            them, with a note.
    """

    orientation: str = ""
    extra_streams: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    audio_start: sound.StartIs = attrs.field(
        default="auto", validator=attrs.validators.in_(("auto", "adc", "callback"))
    )
    creation_tolerance_s: float = attrs.field(default=3.0, validator=attrs.validators.gt(0))
    duration_tolerance_s: float = attrs.field(default=5.0, validator=attrs.validators.gt(0))
    refuse_wrong_gopro: bool = True

    def __attrs_post_init__(self) -> None:
        self.gopro()  # whose settings refuse, with a sentence, what no camera has

    def gopro(self) -> GoProConfig:
        """Return the settings of the GoPro's own reader."""
        return GoProConfig(orientation=self.orientation, extra_streams=self.extra_streams)

    def tolerances(self) -> camera.Tolerances:
        """Return how far the GoPro's file may be from the session."""
        return camera.Tolerances(
            creation_s=self.creation_tolerance_s,
            duration_s=self.duration_tolerance_s,
            refuse=self.refuse_wrong_gopro,
        )
