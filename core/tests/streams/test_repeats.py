from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.streams import repeated_rows


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, float("nan")]), max_size=30), st.integers(1, 4))
def test_the_repeated_rows_are_those_a_loop_finds(values, at_least):
    same = [False] + [a == b for a, b in pairwise(values)] if values else []
    expected, row = [False] * len(same), 0
    while row < len(same):
        end = row
        while end < len(same) and same[end]:
            end += 1
        if end - row >= at_least:
            expected[row:end] = [True] * (end - row)
        row = end + 1
    found = repeated_rows(np.array(values, dtype=float).reshape(-1, 1), at_least=at_least)
    assert found.tolist() == expected
