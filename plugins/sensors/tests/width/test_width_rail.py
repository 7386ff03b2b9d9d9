"""Tags on rails: the fit recovers place and direction, steadies the depth, and drops what is beside the rail."""

from __future__ import annotations

import numpy as np

from handloom.geometry import quaternion
from handloom_sensors.width.following import Sighting
from handloom_sensors.width.rail import fit_rails
from handloom_sensors.width.track import Track

PLAY = {"flex_m": 2e-5, "turn_rad": 1e-3, "tolerance_m": 1.5e-3}


def _track(x, *, slope=0.0, depth=0.072, noise=0.0, seed=0, tilt=0.05):
    random = np.random.default_rng(seed)
    rotation = quaternion.to_matrix(quaternion.from_rotvec(np.array([tilt, 0.0, 0.02])))
    sightings = []
    for each in x:
        centre = np.array([each, 0.047, depth + slope * each])
        # The direction is known well, the distance badly: as of a small tag.
        toward = centre / np.linalg.norm(centre)
        covariance = (1e-6) ** 2 * np.eye(6) + noise**2 * np.outer(np.pad(toward, (0, 3)), np.pad(toward, (0, 3)))
        centre = centre + noise * random.normal() * toward
        sightings.append(
            Sighting(reason="", rotation=rotation, centre=centre, information=np.linalg.inv(covariance))
        )
    return Track.of(sightings)


def test_exact_sightings_give_the_exact_rail():
    x = np.linspace(-0.06, -0.02, 30)
    (rail,) = fit_rails([_track(x, slope=0.01)], **PLAY)
    assert np.allclose(rail.x, x, atol=1e-6)
    assert np.allclose(rail.direction[2], 0.01, atol=1e-4)
    assert np.allclose(rail.origin[1:3], [0.047, 0.072], atol=1e-5)
    assert not rail.off.any()


def test_depths_that_scatter_are_steadied():
    x = np.linspace(-0.06, -0.02, 60)
    track = _track(x, noise=5e-4)
    (rail,) = fit_rails([track], **PLAY)
    assert np.std(rail.x - x) < 0.2 * np.std(track.centres[:, 0] - x)


def test_an_error_of_depth_that_grows_outwards_is_no_slope_of_the_jaw():
    x = np.linspace(0.02, 0.06, 40)
    left, right = _track(-x, slope=-0.004), _track(x, slope=0.004)
    for rail in fit_rails([left, right], **PLAY):
        assert abs(rail.direction[2]) < 1e-4


def test_a_sighting_beside_the_rail_is_dropped_and_moves_nothing():
    x = np.linspace(-0.06, -0.02, 30)
    track = _track(x)
    track.centres[11, 1] += 0.004
    (rail,) = fit_rails([track], **PLAY)
    assert np.flatnonzero(rail.off).tolist() == [11]
    assert np.isnan(rail.x[11])
    assert np.nanmax(np.abs(rail.x - x)) < 2e-5


def test_a_jaw_that_hardly_moves_has_no_wild_slope():
    (rail,) = fit_rails([_track(-0.03 + 1e-5 * np.random.default_rng(1).normal(size=40), noise=3e-4)], **PLAY)
    assert np.abs(rail.direction[1:3]).max() < 0.1
