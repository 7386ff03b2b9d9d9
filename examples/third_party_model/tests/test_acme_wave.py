"""The wave keeps the contract of models."""

from acme_wave_model import Wave
from handloom.testing import ModelContract


class TestWave(ModelContract):
    component = Wave
