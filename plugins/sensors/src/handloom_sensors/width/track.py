"""One finger's tag over a whole episode, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.width.following import Sighting

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Track:
    """Sightings of one tag, one row a frame; NaN where it was not measured.

    Attributes:
        reasons: (N,) text; "" where it was measured.
        rotations: (N, 3, 3) R_camera_tag.
        centres: (N, 3) m in the camera's frame.
        information: (N, 6, 6) inverse covariance of centre and turn; 0 where not measured.
    """

    reasons: npt.NDArray[np.str_]
    rotations: FloatArray
    centres: FloatArray
    information: FloatArray

    @property
    def measured(self) -> BoolArray:
        """(N,) whether the tag was measured."""
        return np.asarray(self.reasons == "")

    @classmethod
    def of(cls, sightings: Sequence[Sighting]) -> Track:
        """Put sightings side by side."""
        reasons = np.array([sighting.reason for sighting in sightings], dtype="U16")
        return cls(
            reasons=reasons,
            rotations=np.stack([sighting.rotation for sighting in sightings]),
            centres=np.stack([sighting.centre for sighting in sightings]),
            information=np.stack([sighting.information for sighting in sightings]),
        )
