import numpy as np
import pytest

from handloom_sensors.motion import GRAVITY_M_PER_S2, random_motion

Rotation = pytest.importorskip("scipy.spatial.transform", reason="scipy is the oracle here").Rotation

TIMES = np.linspace(0, 5, 51)
STEP_S = 1e-4
UP = np.array([0, 0, GRAVITY_M_PER_S2])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_turning_rate_is_the_derivative_of_the_orientation(seed):
    motion = random_motion(seed)
    before = Rotation.from_quat(motion.orientations(TIMES - STEP_S))
    after = Rotation.from_quat(motion.orientations(TIMES + STEP_S))
    rate = (before.inv() * after).as_rotvec() / (2 * STEP_S)
    np.testing.assert_allclose(motion.angular_velocity(TIMES), rate, atol=1e-6)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_specific_force_is_the_second_derivative_of_the_position_without_gravity(seed):
    motion = random_motion(seed)
    second = (
        motion.positions(TIMES - STEP_S) - 2 * motion.positions(TIMES) + motion.positions(TIMES + STEP_S)
    ) / STEP_S**2
    force = Rotation.from_quat(motion.orientations(TIMES)).inv().apply(second + UP)
    np.testing.assert_allclose(motion.specific_force(TIMES), force, atol=1e-5)


def test_gravity_is_down_in_the_picture_of_a_level_camera():
    motion = random_motion(0)
    down = Rotation.from_quat(motion.orientations(TIMES)).apply(motion.gravity(TIMES))
    np.testing.assert_allclose(down, np.tile([0, 0, -1], (len(TIMES), 1)), atol=1e-12)
    assert (motion.gravity(TIMES)[:, 1] > 0.7).all()


def test_a_seed_has_one_path_and_another_seed_another():
    np.testing.assert_array_equal(random_motion(4).positions(TIMES), random_motion(4).positions(TIMES))
    assert not np.allclose(random_motion(4).positions(TIMES), random_motion(5).positions(TIMES))
