"""Small recordings made on the spot, whole and broken."""

from fractions import Fraction

import attrs
import numpy as np
import pytest

from handloom.media import Clip, write_clip
from handloom_sensors.gopro import GoPro, GoProConfig
from handloom_sensors.gopro.writing import CameraSettings, write_gopro_file
from handloom_sensors.gpmf.telemetry import Device
from handloom_sensors.gpmf.writer import Signal, cut_payloads

CAMERA = Device("1", "HERO11 Black")
SECOND_US = 1_000_000


@attrs.frozen(kw_only=True)
class Made:
    """How a small recording is made."""

    folder: object
    rate: Fraction = Fraction(30)
    start_us: int = 1_000_000

    def plain(self, seconds):
        path = self.folder / f"plain-{seconds}.mp4"
        if not path.exists():
            write_clip(
                path, Clip(width=64, height=48, frames=round(seconds * self.rate), rate=self.rate, audio_s=seconds)
            )
        return path

    def payloads(self, signals, *, seconds, start_us=None, devices=None):
        start_us = self.start_us if start_us is None else start_us
        starts = [start_us + second * SECOND_US for second in range(int(np.ceil(seconds)))]
        end = start_us + round(seconds * SECOND_US)
        return cut_payloads(devices or {CAMERA: signals}, starts_us=starts, end_us=end)

    def file(self, payloads, *, seconds, name="GX010001.MP4", settings=None):
        return write_gopro_file(self.plain(seconds), payloads, self.folder / name, settings or CameraSettings())

    def motion(self, seconds, *, start_us=None, rate_hz=200, lead_us=2000, stamped=True, key="ACCL", **more):
        """Return a sensor whose first channel counts its samples."""
        start_us = self.start_us if start_us is None else start_us
        index = np.arange(int(seconds * rate_hz))
        values = np.stack([index % 1000, np.full(len(index), 20), np.full(len(index), 30)], axis=1)
        defaults = {"types": "sss", "unit": "m/s²", "scale": (10.0,), "orientation": "ZXY"}
        stamps = start_us - lead_us + np.rint(index * (SECOND_US / rate_hz)).astype(np.int64)
        return Signal(
            **{**defaults, "key": key, "values": values, "stamps_us": stamps, "stamped": stamped, **more}
        )

    def shutter(self, seconds, *, start_us=None, rate_hz=30, stamped=True):
        start_us = self.start_us if start_us is None else start_us
        stamps = start_us + np.rint(np.arange(int(seconds * rate_hz)) * (SECOND_US / rate_hz)).astype(np.int64)
        values = np.full((len(stamps), 1), 0.004)
        return Signal(key="SHUT", types="f", values=values, stamps_us=stamps, unit="s", stamped=stamped)


@pytest.fixture
def make(tmp_path):
    return Made(folder=tmp_path)


@pytest.fixture
def read():
    def reader(*files, **config):
        told = []
        outputs = GoPro(GoProConfig(**config)).read(files, told.append)
        assert told[-1] == 1.0
        return outputs

    return reader
