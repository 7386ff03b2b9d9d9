"""Turn decimal text into nanoseconds without a detour through floats, which lose 100 ns on an epoch second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_Text = npt.NDArray[np.str_]

POWER_OF_UNIT: Mapping[str, int] = MappingProxyType({"s": 9, "ms": 6, "us": 3, "ns": 0})
"""Nanoseconds in one unit, as a power of ten."""

_LARGEST = str(np.iinfo(np.int64).max)


def stamps_from_text(texts: Sequence[str], unit: str) -> tuple[Int64Array, BoolArray]:
    """Read decimal numbers as nanoseconds, exactly; what lies below a nanosecond is rounded half up.

    Args:
        texts: (N,) numbers such as "1403715529.912143517", "1.403715529e+09" or "-12".
        unit: "s", "ms", "us" or "ns".

    Returns:
        (N,) int64 ns, and (N,) bool, whether the text was a number that fits; the stamp is 0 where it was not.
    """
    if not len(texts):
        return np.zeros(0, np.int64), np.zeros(0, np.bool_)
    sign, digits, exponent, valid = _split(np.asarray(texts, dtype=np.str_))
    point, digits = _normal_form(digits, exponent + POWER_OF_UNIT[unit])
    stamps = np.zeros(len(digits), np.int64)
    # One file has one or two widths of number, so this loop does not grow with the samples.
    for places in np.unique(point[valid]):
        rows = valid & (point == places)
        stamps[rows], valid[rows] = _whole_part(digits[rows], int(places))
    return sign * stamps, valid


def _split(texts: _Text) -> tuple[Int64Array, _Text, Int64Array, BoolArray]:
    """Take numbers apart into sign, digits without a point, power of ten of the last digit, and validity."""
    mantissa, mark, power = np.strings.partition(np.strings.lower(np.strings.strip(texts)), "e")
    magnitude, signs_fit = _without_sign(mantissa)
    power_size, power_signs_fit = _without_sign(power)
    whole, _, fraction = np.strings.partition(magnitude, ".")
    digits = np.strings.add(whole, fraction)
    has_power = mark == "e"
    power_fits = _plain_digits(power_size) & power_signs_fit & (np.strings.str_len(power_size) <= 4)
    valid: BoolArray = _plain_digits(digits) & signs_fit & (power_fits | ~has_power)
    exponent = np.where(valid & has_power, power, "0").astype(np.int64)
    sign = np.where(np.strings.startswith(mantissa, "-"), -1, 1).astype(np.int64)
    return sign, digits, (exponent - np.strings.str_len(fraction)).astype(np.int64), valid


def _without_sign(texts: _Text) -> tuple[_Text, BoolArray]:
    """Take a sign off, and say where there was at most one."""
    plain = np.strings.lstrip(texts, "+-")
    return plain, np.strings.str_len(texts) - np.strings.str_len(plain) <= 1


def _plain_digits(texts: _Text) -> BoolArray:
    ascii_only = np.array([text.isascii() for text in texts.tolist()])
    found: BoolArray = np.strings.isdigit(texts) & ascii_only
    return found


def _normal_form(digits: _Text, ends_at: Int64Array) -> tuple[Int64Array, _Text]:
    """Drop leading zeros; return where the decimal point stands, counted in digits from the left."""
    plain = np.strings.lstrip(digits, "0")
    point = np.strings.str_len(plain) + ends_at
    return np.where(plain == "", 1, point), np.where(plain == "", "0", plain)


def _whole_part(digits: _Text, places: int) -> tuple[Int64Array, BoolArray]:
    """Return the number made of the first `places` digits, rounded by the next one, and whether it fits."""
    if places < 0:
        return np.zeros(len(digits), np.int64), np.ones(len(digits), np.bool_)
    if places > len(_LARGEST):
        return np.zeros(len(digits), np.int64), np.zeros(len(digits), np.bool_)
    padded = np.strings.ljust(digits, places + 1, "0")
    whole = padded.astype(f"<U{places}") if places else np.full(len(digits), "0")
    # The last digit may round up, so the largest number itself is refused too.
    fits = (whole < _LARGEST) if places == len(_LARGEST) else np.ones(len(digits), np.bool_)
    next_digit = np.array([text[places] for text in padded.tolist()])
    return np.where(fits, whole, "0").astype(np.int64) + (fits & (next_digit >= "5")), fits
