"""An arm that is not the one in our files is noticed when it is connected."""

from types import SimpleNamespace

import numpy as np

from handloom_controllers.arms import fr3
from handloom_controllers.franka.comparison import compare


def told(arm, *, off_m=0.0, m_ee=0.73):
    T_base_flange = arm.chain.forward(arm.home).copy()
    T_base_flange[2, 3] += off_m
    return SimpleNamespace(
        q=arm.home.tolist(), O_T_EE=T_base_flange.T.ravel().tolist(), F_T_EE=np.eye(4).ravel().tolist(), m_ee=m_ee
    )


def test_one_that_agrees_says_nothing():
    assert list(compare(told(fr3()), fr3())) == []
    assert list(compare(told(fr3(), m_ee=0.0), fr3(hand=False))) == []


def test_another_reach_is_told():
    assert "20.0 mm apart" in next(compare(told(fr3(), off_m=0.02), fr3()))


def test_a_hand_that_is_not_set_up_or_should_not_be_is_told():
    assert "knows of no tool" in next(compare(told(fr3(), m_ee=0.0), fr3()))
    assert "a tool of 0.73 kg" in next(compare(told(fr3()), fr3(hand=False)))
