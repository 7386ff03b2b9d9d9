import attrs
import numpy as np
import pytest

from handloom_simulation.tactile import TactilePainter


def pressed(take, force_n, shear_n=(0.0, 0.0)):
    count = len(take.stamps)
    return attrs.evolve(
        take,
        pad_force_n=np.tile([force_n, 0.0], (count, 1)),
        pad_shear_n=np.tile([shear_n, (0.0, 0.0)], (count, 1, 1)),
    )


def painted(take, force_n, shear_n=(0.0, 0.0), pad=0):
    painter = TactilePainter(take=pressed(take, force_n, shear_n), width=192, height=108, pad=pad, noise_grey=0.0)
    return painter.paint(1_000_000_000).astype(float)


def test_the_picture_answers_to_force_and_more_to_more(take):
    rest, light, hard = (painted(take, force) for force in (0.0, 2.0, 12.0))
    assert 0 < np.abs(light - rest).mean() < np.abs(hard - rest).mean()
    np.testing.assert_array_equal(painted(take, 12.0, pad=1), painted(take, 0.0))


def test_a_dent_is_lit_from_three_sides(take):
    changed = painted(take, 12.0) - painted(take, 0.0)
    left, right = changed[:, 40:96, 0].mean(), changed[:, 96:152, 0].mean()
    assert left * right < 0
    above, below = changed[:54, :, 1].mean(), changed[54:, :, 1].mean()
    assert above * below < 0


@pytest.mark.parametrize("sign", [-1, 1])
def test_shear_moves_the_dots_its_own_way(take, sign):
    from scipy.ndimage import shift

    still, moved = (painted(take, 6.0, shear)[40:68, 80:112, 2] for shear in ((0.0, 0.0), (sign * 1.0, 0.0)))
    errors = {step: np.abs(shift(still, (0, step), order=1) - moved)[:, 6:-6].mean() for step in (-1.5, 0.0, 1.5)}
    assert min(errors, key=errors.get) == sign * 1.5


def test_the_same_instant_has_the_same_noise(take):
    painter = TactilePainter(take=take, width=96, height=54)
    np.testing.assert_array_equal(painter.paint(5_000_000), painter.paint(5_000_000))
    assert (painter.paint(5_000_000) != painter.paint(6_000_000)).any()
