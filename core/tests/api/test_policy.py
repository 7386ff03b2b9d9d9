"""A chunk is whole: as many poses and widths as stamps."""

import numpy as np
import pytest

from handloom.api import Chunk
from handloom.errors import StreamError


@pytest.mark.parametrize(("poses", "widths"), [((2, 7), (3,)), ((3, 6), (3,)), ((3, 7), (2,)), ((3, 7), (3, 1))])
def test_a_chunk_of_uneven_parts_is_refused(poses, widths):
    with pytest.raises(StreamError, match="A chunk of 3 stamps needs poses"):
        Chunk(
            stamps=np.arange(3),
            clock="robot",
            poses=np.zeros(poses),
            widths_m=np.zeros(widths),
            frame="base",
            body="tcp",
            observed=0,
        )
