"""How a simulated camera takes a picture: supersampling, exposure, shutter, lens and sensor."""

from __future__ import annotations

import attrs
from attrs.validators import and_, ge, le


@attrs.frozen(kw_only=True)
class RenderSettings:
    """What the lens and the sensor do; the defaults leave everything out but the supersampling.

    The sensor's response is straight: a pixel holds the average of the picture values over its area and its
    exposure, so that an edge half across a pixel gives half the grey and no edge is pushed aside by a tone curve.

    Attributes:
        samples: Rays per pixel along each side; n * n in all, spread evenly over the pixel's area.
        exposure_s: How long each row gathers light.
        blur_samples: Instants within the exposure, at the least; rounded up to a multiple of samples². 1 for none:
            the middle of the exposure alone.
        readout_s: From the first row's exposure to the last row's; 0 for a global shutter.
        gain: Brightness of the picture; 1 leaves colours as they are.
        flicker: Amplitude of the auto-exposure's swing, as a share of the gain.
        flicker_hz: How often it swings.
        vignetting: Share of the light lost in the picture's corners, growing with the square of the distance.
        defocus_px: Standard deviation of the lens's Gaussian spread, 0 for a sharp picture.
        read_noise_grey: Standard deviation of the sensor's noise in the dark, grey levels.
        shot_noise_grey: Standard deviation that the light's own noise has at white; it grows with the square root.
        outside: Colour where the lens shows nothing.
        circle_deg: Largest angle to the optical axis that the lens shows; None for as far as the model holds.
        seed: Of the noise; a frame's noise depends on the seed and the frame's stamp alone.
        threads: Of a frame; processes share the cores better.
    """

    samples: int = attrs.field(default=2, validator=and_(ge(1), le(16)))
    exposure_s: float = attrs.field(default=0.0, validator=ge(0.0))
    blur_samples: int = attrs.field(default=4, validator=ge(1))
    readout_s: float = attrs.field(default=0.0, validator=ge(0.0))
    gain: float = attrs.field(default=1.0, validator=ge(0.0))
    flicker: float = attrs.field(default=0.0, validator=and_(ge(0.0), le(1.0)))
    flicker_hz: float = attrs.field(default=0.0, validator=ge(0.0))
    vignetting: float = attrs.field(default=0.0, validator=and_(ge(0.0), le(1.0)))
    defocus_px: float = attrs.field(default=0.0, validator=ge(0.0))
    read_noise_grey: float = attrs.field(default=0.0, validator=ge(0.0))
    shot_noise_grey: float = attrs.field(default=0.0, validator=ge(0.0))
    outside: tuple[int, int, int] = (0, 0, 0)
    circle_deg: float | None = None
    seed: int = 0
    threads: int = attrs.field(default=1, validator=ge(1))
