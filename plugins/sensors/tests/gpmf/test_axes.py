import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import RecordingError
from handloom_sensors.gpmf import axes

REAL = ["ZXY", "XzY", "zxY", "YxZ"]
"""ORIN of HERO11, MAX, HERO8 and HERO7."""


@pytest.mark.parametrize("letters", REAL)
def test_every_camera_in_the_field_has_a_rotation_to_the_optical_frame(letters):
    matrix = axes.optical_from_channels(letters)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3))
    assert np.linalg.det(matrix) == pytest.approx(1)


@pytest.mark.parametrize("letters", REAL)
def test_an_upright_camera_at_rest_feels_its_weight_along_minus_y(letters):
    channels = [{"Z": 9.81, "z": -9.81}.get(letter, 0.0) for letter in letters]
    np.testing.assert_allclose(axes.optical_from_channels(letters) @ channels, [0, -9.81, 0])


def test_lower_case_is_the_negative_axis():
    np.testing.assert_array_equal(axes.labels_from_channels("XzY"), [[1, 0, 0], [0, 0, 1], [0, -1, 0]])


def test_raw_z_x_y_becomes_minus_x_minus_z_minus_y():
    np.testing.assert_array_equal(axes.optical_from_channels("ZXY") @ [1, 2, 3], [-2, -1, -3])


def test_a_matrix_that_only_reorders_agrees_with_orin():
    matrix = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])  # MTRX of a MAX, XzY to ZXY
    both = axes.optical_from_channels("XzY", after_matrix="ZXY", matrix=matrix)
    alone = axes.optical_from_channels("", after_matrix="ZXY", matrix=matrix)
    np.testing.assert_array_equal(both, axes.optical_from_channels("XzY"))
    np.testing.assert_array_equal(both, alone)


def test_a_calibration_matrix_is_applied_before_orio():
    matrix = np.array([[0, -0.99, 0], [1.01, 0, 0], [0, 0.02, 1.0]])
    found = axes.optical_from_channels("XzY", after_matrix="ZXY", matrix=matrix)
    np.testing.assert_allclose(found, axes.optical_from_channels("ZXY") @ matrix)


def test_without_orin_nothing_is_guessed():
    assert axes.optical_from_channels("") is None


@pytest.mark.parametrize("letters", ["XY", "XXY", "ABC", "XYZW"])
def test_letters_that_are_no_axes_are_refused(letters):
    with pytest.raises(RecordingError, match="does not name the axes"):
        axes.labels_from_channels(letters)


def test_mirrored_axes_are_refused():
    with pytest.raises(RecordingError, match="mirrored"):
        axes.labels_from_channels("XZY")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_cori_is_what_is_written_for_an_orientation(numbers):
    orientation = np.array([numbers]) / np.linalg.norm(numbers)
    back = axes.orientation_from_cori(axes.cori_from_orientation(orientation))
    np.testing.assert_allclose(back, orientation, atol=1e-12)


def test_a_zero_quaternion_is_lost_not_identity():
    assert np.isnan(axes.orientation_from_cori(np.zeros((1, 4)))).all()


@pytest.mark.parametrize("letters", REAL)
def test_channels_from_optical_is_the_inverse(letters):
    product = axes.channels_from_optical(letters) @ axes.optical_from_channels(letters)
    np.testing.assert_allclose(product, np.eye(3))
