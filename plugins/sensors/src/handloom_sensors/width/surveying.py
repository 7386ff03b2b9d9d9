"""Looks at whole pictures now and then: for tags that were never seen, for strangers and for a mirrored video."""

from __future__ import annotations

import attrs
import numpy as np

from handloom_sensors.width.detecting import Box, Detector, Luma, Seen

_EAGER_FRAMES = 60
"""So many frames are searched one by one for a first tag; a video without tags costs little after that."""

_PATIENT_EVERY = 8
"""After that a whole picture is searched once in so many frames, until a tag is met."""

_ROUTINE_EVERY = 240
"""And once in so many when the tags are known, for strangers: four seconds."""

_MIRRORED_EVERY, _MIRRORED_MOST = 6, 30
"""The mirror image is searched in every sixth of those, thirty times at most: a video is mirrored as a whole."""


@attrs.define(kw_only=True)
class Surveyor:
    """Decides when a whole picture is searched, and searches it.

    Attributes:
        mirrored: Frames in which tags were readable in the mirror image only.
    """

    detector: Detector
    box: Box
    shrink: float
    mirrored: int = 0
    _frame: int = 0
    _known: bool = False
    _looked: int = 0
    _mirrors: int = 0

    @property
    def due(self) -> bool:
        """Whether this frame is one to be searched."""
        if self._known:
            return self._frame % _ROUTINE_EVERY == 0
        return self._frame < _EAGER_FRAMES or self._frame % _PATIENT_EVERY == 0

    def passed(self, *, known: bool) -> None:
        """Go on to the next frame, knowing whether a finger's tag was ever seen."""
        self._frame += 1
        self._known = known

    def look(self, luma: Luma) -> list[Seen]:
        """Return the tags of a whole picture."""
        seen = self.detector.find(luma, self.box, self.shrink)
        if self.shrink < 1.0:
            # Neither size finds every tag of a small picture; both cost little there. Doubles are dropped later.
            seen += self.detector.find(luma, self.box)
        if not seen and not self._known:
            self._look_in_mirror(luma)
        self._looked += 1
        return seen

    def _look_in_mirror(self, luma: Luma) -> None:
        if self._looked % _MIRRORED_EVERY or self._mirrors >= _MIRRORED_MOST:
            return
        self._mirrors += 1
        flipped = np.ascontiguousarray(luma[:, ::-1])
        self.mirrored += bool(self.detector.find(flipped, self.box, self.shrink))
