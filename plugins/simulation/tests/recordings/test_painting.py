import multiprocessing
import struct

import attrs
import numpy as np
import pytest

from handloom.errors import RecordingError
from handloom_simulation.recordings import PatternPainter, pictures
from handloom_simulation.recordings.painting import _paint_share
from handloom_simulation.world import Picture

PAINTER = PatternPainter(width=32, height=24)
STAMPS = list(range(0, 700_000_000, 100_000_000))


@attrs.frozen
class _Failing:
    def paint(self, stamp_ns: int) -> Picture:
        if stamp_ns:
            raise ValueError("out of paint")
        return PAINTER.paint(stamp_ns)


def test_several_processes_paint_the_same_pictures_in_the_same_order():
    told = []
    apart = list(pictures(PAINTER, STAMPS, workers=2, progress=told.append))
    np.testing.assert_array_equal(apart, list(pictures(PAINTER, STAMPS)))
    assert told[-1] == 1.0


def test_a_worker_that_fails_says_why():
    with pytest.raises(RecordingError, match="out of paint"):
        list(pictures(_Failing(), STAMPS, workers=2))


def test_a_picture_travels_as_its_bytes_behind_a_header():
    ours, theirs = multiprocessing.Pipe(duplex=False)
    _paint_share(PAINTER, STAMPS[:1], theirs)
    sent = [ours.recv_bytes(), ours.recv_bytes()]
    assert sent == [struct.pack("<BII", 0, 24, 32), PAINTER.paint(STAMPS[0]).tobytes()]


def test_who_stops_early_leaves_no_process_behind():
    made = pictures(PAINTER, STAMPS, workers=2)
    next(made)
    made.close()
    assert not multiprocessing.active_children()
