"""Makes the camera's motion sensors into streams in SI units and the optical frame."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom.streams import Samples
from handloom_sensors.gopro.names import RAW_NAMES, TYPES
from handloom_sensors.gopro.placing import Placed
from handloom_sensors.gpmf import axes
from handloom_sensors.gpmf.decoding import numbers

FloatArray = npt.NDArray[np.float64]

_SENSORS = {"accelerometer": "ACCL", "gyroscope": "GYRO", "magnetometer": "MAGN"}

_SI_FACTORS: Mapping[str, Mapping[str, float]] = {
    "accelerometer": {"m/s²": 1.0, "m/s2": 1.0, "m/s^2": 1.0},
    "gyroscope": {"rad/s": 1.0, "deg/s": np.pi / 180},
    "magnetometer": {"T": 1.0, "mT": 1e-3, "µT": 1e-6, "uT": 1e-6},
}
"""What a recorded unit is worth in the stream's own. Source: gpmf-parser README, "Common Properties in SIUN"."""

_AXES = 3
"""A sensor with more columns (a MAX's magnetometer has 4) is also kept whole under its FourCC."""


@attrs.frozen
class Made:
    """Streams made of telemetry, and what is to be said of them.

    Attributes:
        streams: By name.
        notes: Whole sentences.
        used: FourCCs that went into them.
    """

    streams: Mapping[str, Samples] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()
    used: frozenset[str] = frozenset()


def inertial_streams(placed: Mapping[str, Placed], orientation: str) -> Made:
    """Make accelerometer, gyroscope and magnetometer; those along unknown axes under their raw names.

    Args:
        placed: The camera's streams by FourCC.
        orientation: ORIN to go by where the camera recorded none; "" for none.
    """
    streams: dict[str, Samples] = {}
    notes: list[str] = []
    used: set[str] = set()
    for name, key in _SENSORS.items():
        if key not in placed:
            continue
        try:
            made, samples, said = _sensor(name, placed[key], orientation)
        except RecordingError as error:
            notes.append(f"The {name} is kept unconverted, as '{key.lower()}': {error}")
            continue
        streams[made] = samples
        notes += said
        if len(placed[key].stream.numeric) == _AXES:
            used.add(key)
    return Made(streams, tuple(notes), frozenset(used))


def _sensor(name: str, placed: Placed, orientation: str) -> tuple[str, Samples, list[str]]:
    """Return the stream's name, the stream, and what is to be said of it."""
    stream = placed.stream
    values = stream.scaled()
    if values.ndim != 2 or values.shape[1] < 3 or len(values) != placed.timing.count:
        raise RecordingError(f"{stream.key} has samples of {values.shape[1:]} numbers; 3 were expected.")
    factor, notes = _si_factor(name, stream.units)
    # Nobody documents what ORIN would mean for MAGN, so the magnetometer is never turned.
    matrix = None if name == "magnetometer" else _matrix(placed, orientation)
    attributes = {"orientation_in": stream.text("ORIN"), "orientation_out": stream.text("ORIO")}
    if matrix is None:
        notes += _axes_unknown(name)
        name = RAW_NAMES.get(name, name)
        data = values[:, :3] * factor
    else:
        if not stream.text("ORIN") and orientation:
            attributes["orientation_in"] = orientation
            notes.append(f"The camera does not say how the {name} lies; '{orientation}' of the config is used.")
        data = values[:, :3] @ matrix.T * factor
    listed = None if matrix is None else matrix.tolist()
    samples = placed.samples(TYPES[name], np.ascontiguousarray(data), matrix_optical_raw=listed, **attributes)
    return name, samples, notes


def _si_factor(name: str, units: tuple[str, ...]) -> tuple[float, list[str]]:
    known = _SI_FACTORS[name]
    if not units:
        documented = next(iter(known)) if name != "magnetometer" else "µT"
        return known[documented], [f"The {name} carries no unit; GoPro documents {documented}, which is used."]
    if units[0] not in known:
        raise RecordingError(f"its unit {units[0]!r} is unknown; expected {' or '.join(known)}.")
    return known[units[0]], []


def _matrix(placed: Placed, orientation: str) -> FloatArray | None:
    stream = placed.stream
    item = stream.property("MTRX")
    entries = numbers(item) if item is not None else np.empty(0)
    return axes.optical_from_channels(
        stream.text("ORIN") or orientation,
        after_matrix=stream.text("ORIO"),
        matrix=entries.reshape(3, 3) if entries.size == 9 else None,
    )


def _axes_unknown(name: str) -> list[str]:
    if name == "magnetometer":
        return ["The magnetometer's axes are not documented; it is kept along its own, as recorded."]
    return [
        f"The camera does not say how the {name} lies in it (no ORIN, as on HERO5 and older); it is kept as "
        f"'{RAW_NAMES[name]}' along its own axes, as recorded. If you know their order, set orientation in the "
        f"config: 'ZXY' for a HERO5."
    ]


def filter_streams(placed: Mapping[str, Placed]) -> Made:
    """Make gravity and the orientations, which the camera's own filter estimates."""
    streams: dict[str, Samples] = {}
    for name, key, convert in (
        ("gravity", "GRAV", axes.gravity_direction),
        ("camera_orientation", "CORI", axes.orientation_from_cori),
        ("image_orientation", "IORI", axes.orientation_from_cori),
    ):
        width = TYPES[name].shape[0]
        if key in placed and len(placed[key].stream.numeric) == width and not placed[key].stream.listed:
            converted = convert(placed[key].stream.scaled())
            streams[name] = placed[key].samples(TYPES[name], converted, **_meaning(name))
    return Made(
        streams, (), frozenset({"GRAV", "CORI", "IORI"} & {s.attributes["fourcc"] for s in streams.values()})
    )


def _meaning(name: str) -> dict[str, str]:
    return {
        "gravity": {"points": "where gravity pulls"},
        "camera_orientation": {"body": "optical"},
        "image_orientation": {"body": "image", "direction": "taken to be stored like CORI; not measured"},
    }[name]
