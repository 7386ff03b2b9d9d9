import numpy as np
import pytest

from handloom.errors import StreamError


@pytest.mark.parametrize("stamp", [-1, 3_000_000_001])
def test_a_place_outside_the_take_is_refused_with_its_ends_and_not_held(take, stamp):
    with pytest.raises(StreamError, match=r"lasts from 0 to 3000000000 ns.*'gripper'"):
        take.pose_at("gripper", [1_000_000, stamp])


def test_a_place_at_a_millisecond_is_the_takes_own(take):
    rows = np.array([0, 1234, len(take.stamps) - 1])
    np.testing.assert_allclose(take.pose_at("gripper", take.stamps[rows]), take.poses["gripper"][rows], atol=1e-12)
