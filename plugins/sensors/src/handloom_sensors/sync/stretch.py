"""How much faster a recorder's clock runs than the one that played the sweep, told from the shape of one pulse.

A sweep that is recorded too long is compressed by a template of the true length into a pulse whose phase bends
over the band: a parabola, which neither the pulse's place nor its height gives. Only the first arrival is looked
at, and only as long as a pulse lasts, so that later echoes bend nothing.

Source: the phase error of a mismatched linear sweep, e.g. Cook and Bernfeld, Radar Signals, chapter 6.
"""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.sync.compression import taper_over
from handloom_sensors.sync.nearby import EARLIER_S, Nearby
from handloom_sensors.sync.sweep import Sweep

FloatArray = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[Any]

_GATE = 10.5
"""Half the length of the gate, a raised cosine, by the inverse of the band: 1.6 ms of the lab's sweep."""

_AROUND = 40.0
"""As much of the envelope is kept around the gate, so that a bent pulse can be straightened whole."""

_QUIET = 300.0
"""As much of the envelope before the pulse it takes to know the noise."""

_TURNS = 3
"""So often the pulse is straightened by what was found and looked at again: the gate takes 5 % of a bend."""


@attrs.frozen(kw_only=True)
class Stretch:
    """The rate of a recorder by one pulse.

    Attributes:
        ppm: How much faster its clock runs than the sweep was played.
        sigma_ppm: One standard deviation, from noise and from whatever lies beside the parabola, as what an echo
            within the gate adds; not from the microphone's own phase. Infinite where nothing can be said.
    """

    ppm: float
    sigma_ppm: float


def stretch_of(near: Nearby, place: float, sweep: Sweep) -> Stretch:
    """Measure the rate of a recorder from the pulse at a fractional place of the envelope.

    Args:
        near: The envelope.
        place: Of the pulse, in values of the envelope.
        sweep: What the template is.
    """
    before = _before(near, place)
    if len(before) < near.steps(_QUIET / (sweep.high_hz - sweep.low_hz)):
        return Stretch(ppm=0.0, sigma_ppm=math.inf)
    look = _look(near, place, sweep)
    bend = 0.0
    for _ in range(_TURNS):
        seen = look.seen(bend)
        bend += seen.bend
    per_ppm = -2e-6 * math.pi * sweep.duration_s * (sweep.end_hz - sweep.start_hz) / 4
    sigma = max(seen.sigma, look.in_noise(seen, before))
    return Stretch(ppm=bend / per_ppm, sigma_ppm=sigma / abs(per_ppm))


def _before(near: Nearby, place: float) -> ComplexArray:
    """Return the envelope in which there is neither the pulse nor an arrival before it, inside the track."""
    first = max(0, math.ceil(-near.first / near.step))
    return near.values[first : max(first, int(place) - near.steps(EARLIER_S))]


@attrs.frozen(kw_only=True, eq=False)
class _Seen:
    """What is left of the bend in a straightened pulse.

    Attributes:
        bend: Phase that the parabola has at the band's ends over its middle, rad.
        sigma: One standard deviation of it by how far the phase lies beside the parabola, rad.
        kernel: (F,) by how much the phase of each frequency counts, over that frequency's level.
    """

    bend: float
    sigma: float
    kernel: FloatArray


@attrs.frozen(kw_only=True, eq=False)
class _Look:
    """The envelope around a pulse in time and frequency.

    Attributes:
        waves: (F, D) what turns times into frequencies.
        spectrum: (F,) of the envelope around the pulse.
        gate: (D,) what of it is looked at.
        place: (F,) where each frequency lies in the band, -1 to 1.
        taper: (F,) of the filter.
    """

    waves: ComplexArray
    spectrum: ComplexArray
    gate: FloatArray
    place: FloatArray
    taper: FloatArray

    def seen(self, bend: float) -> _Seen:
        """Straighten the pulse by a bend and fit a parabola to what the gate leaves of its phase."""
        straight = self.waves.conj().T @ (self.spectrum * np.exp(-1j * bend * self.place**2))
        gated = self.waves @ (self.gate * straight) / len(self.place)
        level = np.abs(gated)
        phase = np.unwrap(np.angle(gated))
        root = level[:, None]
        terms = np.stack([np.ones_like(self.place), self.place, self.place**2], axis=1)
        rows = np.linalg.pinv(terms * root) * root.T
        fit = rows @ phase
        share = level**2 / (level @ level)
        beside = float(share @ (phase - terms @ fit) ** 2) * _GATE / (_GATE - terms.shape[1])
        spread = float(np.linalg.inv((terms * share[:, None]).T @ terms)[2, 2]) / _GATE
        return _Seen(bend=float(fit[2]), sigma=math.sqrt(beside * spread), kernel=rows[2] / level)

    def in_noise(self, seen: _Seen, noise: ComplexArray) -> float:
        """Return the standard deviation of a bend in noise like the envelope (N,) before the pulse."""
        kernel = self.gate * (seen.kernel @ self.waves) / len(self.place)
        kernel = kernel[self.gate > 0]
        windows = np.lib.stride_tricks.sliding_window_view(noise, len(kernel))[:: len(kernel) // 4]
        return float(np.sqrt(np.mean(np.abs(windows @ kernel) ** 2) / 2))


def _look(near: Nearby, place: float, sweep: Sweep) -> _Look:
    band_hz = sweep.high_hz - sweep.low_hz
    reach = near.steps((_GATE + _AROUND) / band_hz)
    first = max(0, int(place) - reach)
    values = near.values[first : int(place) + reach + 1]
    times = (first + np.arange(len(values)) - place) * near.step / near.rate_hz
    count = int(2 * (_GATE + _AROUND))
    in_band = (np.arange(count) + 0.5) / count * 2 - 1
    hertz = 0.5 * (sweep.low_hz + sweep.high_hz + band_hz * in_band)
    waves = np.exp(-2j * np.pi * hertz[:, None] * times)
    return _Look(
        waves=waves,
        spectrum=waves @ values / len(values),
        gate=np.where(abs(times) * band_hz < _GATE, 0.5 + 0.5 * np.cos(np.pi * times * band_hz / _GATE), 0.0),
        place=in_band,
        taper=taper_over(count),
    )
