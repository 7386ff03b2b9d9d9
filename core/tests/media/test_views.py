"""What a consumer asks for and how it reaches it."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.media import View, Views

PICTURE = np.zeros((2, 2), dtype=np.uint8)


def test_pictures_are_reached_as_items_and_attributes():
    views = Views({"thumb": PICTURE})
    assert views.thumb is PICTURE
    assert views["thumb"] is PICTURE
    assert "thumb" in views


def test_absent_picture_is_named_with_those_that_are_there():
    views = Views({"thumb": PICTURE})
    with pytest.raises(AttributeError, match=r"no view 'small'.*it has: thumb"):
        _ = views.small
    with pytest.raises(KeyError, match="no view 'small'"):
        views["small"]
    assert "small" not in views


def test_view_of_every_zeroth_frame_is_refused():
    with pytest.raises(ValueError, match="every"):
        View(format="rgb", every=0)
