from itertools import groupby

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.streams import runs_of


@given(st.lists(st.booleans(), max_size=40))
@settings(max_examples=60, deadline=None)
def test_the_runs_are_those_a_loop_finds(flags):
    expected, start = [], 0
    for flag, group in groupby(flags):
        end = start + len(list(group))
        expected += [[start, end]] if flag else []
        start = end
    assert runs_of(np.array(flags, dtype=bool)).tolist() == expected
