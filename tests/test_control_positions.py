"""Position-controlled arms follow the shipped track to its end: no reflex, little lag, in every interpolation."""

import pytest

from benchmarks.control_following import RUNS, followed

MOST_MM = {"fr3_cubic": 3.0, "fr3_linear": 9.0, "qdd7_cubic": 5.0, "qdd7_linear": 9.0}
"""How far the tool may be from the loop's reference at most: about 1.5 times what was measured."""


@pytest.mark.parametrize("name", RUNS)
def test_a_position_controlled_arm_follows_the_shipped_track_without_a_reflex(native_library, name):
    made = followed(name)
    print(f"{name}: RMS {made.reference.rms_mm:.2f} mm, at most {made.reference.max_mm:.2f} mm")
    assert made.reflexes == ()
    assert made.well, made.notes
    assert "clip_reached" not in made.faults
    assert made.reference.max_mm < MOST_MM[name]
