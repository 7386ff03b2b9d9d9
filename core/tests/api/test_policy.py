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


@pytest.mark.parametrize(("field", "value"), [("stamps", [1, 2]), ("poses", None), ("widths_m", 5.0)])
def test_what_is_no_array_is_told(field, value):
    arrays = {"stamps": np.array([1, 2]), "poses": np.zeros((2, 7)), "widths_m": np.zeros(2), field: value}
    with pytest.raises(StreamError, match=f"The `{field}` of a chunk are a .*; expected a numpy array"):
        Chunk(**arrays, frame="base", body="tcp", observed=0, clock="")
