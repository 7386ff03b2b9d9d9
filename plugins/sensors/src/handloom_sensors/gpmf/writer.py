"""Write telemetry as a GoPro does, so that demo and simulator make files that any GPMF reader understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom_sensors.gpmf import klv
from handloom_sensors.gpmf.decoding import FIXED_POINT
from handloom_sensors.gpmf.klv import Item
from handloom_sensors.gpmf.telemetry import Device, Payload

Array = npt.NDArray[Any]


@attrs.frozen(kw_only=True, eq=False)
class Signal:
    """One stream to be written, with every sample's time.

    Attributes:
        key: FourCC, "ACCL".
        types: Type letter of each field, "sss".
        values: (N, fields) numbers as they are stored: SI value times scale, rounded for whole-number types.
        stamps_us: (N,) int64 microseconds on the camera's counter.
        title: STNM.
        unit: SIUN: one for all fields, or one a field.
        scale: SCAL: one divisor, or one a field; () for none.
        orientation: ORIN; "" for none.
        orientation_out: ORIO; "" for none.
        matrix: MTRX, (3, 3); None for none.
        temperature_c: TMPC; None for none.
        stamped: Whether STMP is written; cameras before the HERO8 write none.
        more: Further properties, as items.
        counted: Samples counted before the first one here, added to TSMP.
    """

    key: str
    types: str
    values: Array
    stamps_us: npt.NDArray[np.int64]
    title: str = ""
    unit: str | tuple[str, ...] = ""
    scale: tuple[float, ...] = ()
    orientation: str = ""
    orientation_out: str = ""
    matrix: npt.NDArray[np.float64] | None = None
    temperature_c: float | None = None
    stamped: bool = True
    more: tuple[Item, ...] = ()
    counted: int = 0

    def between(self, start_us: int | None, end_us: int | None) -> Signal:
        """Return the samples from one stamp to before another; None leaves that end open."""
        first = 0 if start_us is None else int(np.searchsorted(self.stamps_us, start_us))
        last = len(self.stamps_us) if end_us is None else int(np.searchsorted(self.stamps_us, end_us))
        return attrs.evolve(
            self,
            values=self.values[first:last],
            stamps_us=self.stamps_us[first:last],
            counted=self.counted + first,
        )


def stored(values: Array, scale: float) -> Array:
    """Return physical values as 16-bit whole numbers of a given scale.

    Raises:
        RecordingError: A value does not fit.
    """
    scaled = np.rint(np.asarray(values, np.float64) * scale)
    limits = np.iinfo(np.int16)
    if len(scaled) and (scaled.min() < limits.min or scaled.max() > limits.max or not np.isfinite(scaled).all()):
        raise RecordingError(f"A value of {np.abs(values).max():.6g} times {scale:g} does not fit 16 bits.")
    return scaled.astype(np.int16)


def cut_payloads(
    devices: Mapping[Device, Sequence[Signal]], *, starts_us: Sequence[int], end_us: int
) -> tuple[Payload, ...]:
    """Cut signals into payloads, each with the samples taken while it was open.

    The first payload also takes what came before, the last what comes after, as sensors lead and trail the video.

    Args:
        devices: The signals of each device.
        starts_us: When each payload begins, on the camera's counter.
        end_us: When the last one ends.

    Returns:
        Payloads with `pts_ns` counted from the first start.
    """
    edges = np.array(starts_us[1:], np.int64)
    payloads = []
    for index, start in enumerate(starts_us):
        end = starts_us[index + 1] if index + 1 < len(starts_us) else end_us
        items = [
            device_item(device, [_strm(signal, edges, index) for signal in signals])
            for device, signals in devices.items()
        ]
        payloads.append(
            Payload(data=klv.encode(items), pts_ns=(start - starts_us[0]) * 1000, duration_ns=(end - start) * 1000)
        )
    return tuple(payloads)


def device_item(device: Device, streams: Sequence[Item]) -> Item:
    """Return a DEVC item that holds the streams of a device."""
    return klv.nest("DEVC", [_id_item(device.id), text_item("DVNM", device.name), *streams])


def _id_item(id_: str) -> Item:
    if id_.isdecimal():
        return number_item("DVID", "L", [int(id_)])
    return Item(key="DVID", type="F", size=4, repeat=1, data=id_.encode("latin-1").ljust(4, b"\0")[:4])


def _strm(signal: Signal, edges: npt.NDArray[np.int64], payload: int) -> Item:
    bounds = [0, *np.searchsorted(signal.stamps_us, edges).tolist(), len(signal.stamps_us)]
    first, last = bounds[payload], bounds[payload + 1]
    stamp = int(signal.stamps_us[first]) if signal.stamped and last > first else None
    return stream_item(signal, signal.values[first:last], stamp_us=stamp, total=signal.counted + last)


def stream_item(signal: Signal, values: Array, *, stamp_us: int | None, total: int | None) -> Item:
    """Return a STRM item with some of a signal's samples.

    Args:
        signal: What describes them.
        values: (n, fields) as stored.
        stamp_us: STMP; None writes none.
        total: TSMP; None writes none.
    """
    children = []
    if stamp_us is not None:
        children.append(number_item("STMP", "J", [stamp_us]))
    if total is not None:
        children.append(number_item("TSMP", "L", [total]))
    return klv.nest("STRM", [*children, *_properties(signal), samples_item(signal.key, signal.types, values)])


def _properties(signal: Signal) -> list[Item]:
    items = []
    if signal.title:
        items.append(text_item("STNM", signal.title))
    if signal.matrix is not None:
        items.append(Item(key="MTRX", type="f", size=36, repeat=1, data=signal.matrix.astype(">f4").tobytes()))
    items += [
        text_item(key, letters)
        for key, letters in (("ORIN", signal.orientation), ("ORIO", signal.orientation_out))
        if letters
    ]
    if signal.unit:
        items.append(_unit_item(signal.unit))
    if len(set(signal.types)) > 1:
        items.append(text_item("TYPE", signal.types))
    if signal.scale:
        items.append(_scale_item(signal.scale))
    if signal.temperature_c is not None:
        items.append(number_item("TMPC", "f", [signal.temperature_c]))
    return [*items, *signal.more]


def _unit_item(unit: str | tuple[str, ...]) -> Item:
    if isinstance(unit, str):
        return text_item("SIUN", unit)
    size = max(2, *(len(word.encode("latin-1")) for word in unit))
    data = b"".join(word.encode("latin-1").ljust(size, b"\0") for word in unit)
    return Item(key="UNIT", type="c", size=size, repeat=len(unit), data=data)


def _scale_item(scale: tuple[float, ...]) -> Item:
    whole = all(float(divisor).is_integer() for divisor in scale)
    short = whole and all(abs(divisor) < 2**15 for divisor in scale)
    return number_item("SCAL", "s" if short else "l" if whole else "f", scale)


def text_item(key: str, text: str) -> Item:
    """Return an item of text: ISO 8859-1, one sample of as many bytes."""
    data = text.encode("latin-1")
    return Item(key=key, type="c", size=len(data), repeat=1, data=data)


def number_item(key: str, letter: str, values: Sequence[float]) -> Item:
    """Return an item of simple numbers, one a sample."""
    data = np.asarray(values).astype(klv.DTYPES[letter]).tobytes()
    return Item(key=key, type=letter, size=np.dtype(klv.DTYPES[letter]).itemsize, repeat=len(values), data=data)


def samples_item(key: str, types: str, values: Array) -> Item:
    """Return an item of samples: complex when its fields differ in type.

    Args:
        key: FourCC.
        types: Type letter of each field; the text types have no place in a table of numbers.
        values: (n, fields) as stored.

    Raises:
        RecordingError: The table has not as many columns as there are types.
    """
    if values.ndim != 2 or values.shape[1] != len(types):
        raise RecordingError(f"GPMF item {key} has the fields {types!r} but its values are {values.shape}.")
    dtype = np.dtype([(f"field{index}", klv.DTYPES[letter]) for index, letter in enumerate(types)])
    table = np.zeros(len(values), dtype)
    for index, letter in enumerate(types):
        table[f"field{index}"] = values[:, index] / FIXED_POINT.get(letter, 1)
    simple = len(set(types)) == 1
    return Item(
        key=key,
        type=types[0] if simple else klv.COMPLEX,
        size=dtype.itemsize,
        repeat=len(values),
        data=table.tobytes(),
    )
