"""Says where a recording has pictures and no sound."""

from __future__ import annotations

import numpy as np

from handloom.streams import Samples, Video

SHORT_NS = 100_000_000
"""Less than this is how sound is packed: one block of AAC lasts 21 ms, and encoders cut up to a few of them."""


def sound_coverage(video: Video, sound: Samples) -> list[str]:
    """Return a sentence for each end of the video that lies outside the sound.

    Args:
        video: The pictures.
        sound: Their sound on the same clock, with knots, the last one after its end.
    """
    if sound.knots is None:
        return []
    stamps = video.stamps
    last_shown_ns = int(np.median(np.diff(stamps))) if len(stamps) > 1 else 0
    late = int(sound.knots[0, 1] - stamps[0])
    early = int(stamps[-1] + last_shown_ns - sound.knots[-1, 1])
    return [
        f"{file.path.name}: the {end} {missing * 1e-9:.3f} s of the video have no sound."
        for file, end, missing in ((video.files[0], "first", late), (video.files[-1], "last", early))
        if missing > SHORT_NS
    ]
