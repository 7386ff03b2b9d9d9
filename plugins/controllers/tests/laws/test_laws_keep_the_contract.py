"""The laws keep the contract of laws, compiled and in numpy."""

import pytest

from handloom.testing import LawContract
from handloom_controllers.cartesian_following import CartesianFollowing
from handloom_controllers.hand_guiding import HandGuiding
from handloom_controllers.impedance import Impedance, ImpedanceConfig
from handloom_controllers.laws import struct_law


class TestImpedance(LawContract):
    component = Impedance


class TestImpedanceOfASoftLongTool(LawContract):
    component = Impedance

    def config(self):
        return ImpedanceConfig(
            preset="umi",
            T_flange_tcp=(0.02, 0.0, 0.1034, 0.0, 0.0, -0.3826834323650898, 0.9238795325112867),
            integral_n_per_m_s=500.0,
        )


class TestHandGuiding(LawContract):
    component = HandGuiding


class TestCartesianFollowing(LawContract):
    component = CartesianFollowing


class TestImpedanceInNumpy(TestImpedance):
    @pytest.fixture(autouse=True)
    def _without_the_library(self, monkeypatch):
        monkeypatch.setattr(struct_law, "_loaded", lambda: None)
