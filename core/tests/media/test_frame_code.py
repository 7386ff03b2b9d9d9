"""The number in the pixels: comes back at any scale, and is not read out of other pictures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import MediaError
from handloom.media import paint_number, read_number


@given(number=st.integers(0, 65535), width=st.integers(40, 300), height=st.integers(16, 200))
@settings(max_examples=50, deadline=None)
def test_painted_number_is_read_back(number, width, height):
    picture = np.full((height, width), 128, dtype=np.uint8)
    paint_number(picture, number)
    assert read_number(picture) == number
    assert read_number(np.repeat(picture[:, :, None], 3, axis=2)) == number


@pytest.mark.parametrize("level", [0, 128, 255])
def test_picture_of_one_colour_holds_no_number(level):
    with pytest.raises(MediaError, match="holds no frame number"):
        read_number(np.full((64, 64), level, dtype=np.uint8))
