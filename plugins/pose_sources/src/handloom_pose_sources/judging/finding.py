"""What one judgement found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt


@attrs.frozen(kw_only=True, eq=False)
class Finding:
    """Measures, and what they say against the demonstration.

    Attributes:
        measures: Plain JSON values by name.
        reasons: A sentence for each reason against the whole demonstration, by the reason's name.
        rows: (N,) bool, which pose rows are good; None where it does not speak of rows.
    """

    measures: Mapping[str, Any] = attrs.field(factory=dict)
    reasons: Mapping[str, str] = attrs.field(factory=dict)
    rows: npt.NDArray[np.bool_] | None = None
