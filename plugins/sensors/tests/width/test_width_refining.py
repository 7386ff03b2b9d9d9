"""Tags measured by their edges: unbiased by bleeding white and by the start, and guarded."""

from __future__ import annotations

import numpy as np
import pytest

from handloom_sensors.width.pattern import Layout, dictionary_of, pattern_of
from handloom_sensors.width.profiles import TONE_CURVES
from handloom_sensors.width.reading import reads_as_printed
from handloom_sensors.width.refining import refine

LAYOUT = Layout.of([pattern_of(dictionary_of("DICT_4X4_50"), tag) for tag in (0, 1)])
TRUTH = np.array([[-0.0302, 0.047, 0.072], [0.0302, 0.047, 0.072]])


def _refined(lab, picture, *, start=(0.0, 0.0, 0.0), light="srgb"):
    rotations = np.tile(np.eye(3), (2, 1, 1))
    return refine(
        picture,
        TONE_CURVES[light],
        camera=lab.camera,
        layout=LAYOUT,
        rotations=rotations,
        centres=TRUTH + start,
        side_m=0.016,
    )


def test_a_tag_without_noise_is_found_to_some_hundredths_of_a_millimetre(lab):
    refined = _refined(lab, lab.jaw(0.0604, noise=0.0))
    assert refined.good.all()
    assert np.abs(refined.centres[:, :2] - TRUTH[:, :2]).max() < 0.06e-3
    assert np.abs(refined.centres[:, 2] - 0.072).max() < 0.15e-3


def test_where_it_starts_does_not_matter(lab):
    picture = lab.jaw(0.0604)
    here, there = _refined(lab, picture), _refined(lab, picture, start=(0.0004, -0.0003, 0.0002))
    assert there.good.all()
    assert np.abs(here.centres - there.centres).max() < 0.03e-3


def test_a_tone_curve_that_is_not_undone_moves_edges_and_hardly_the_tag(lab):
    picture = lab.jaw(0.0604, noise=0.0)
    srgb, linear = _refined(lab, picture), _refined(lab, picture, light="linear")
    assert np.abs(srgb.centres[:, 2] - linear.centres[:, 2]).max() < 0.3e-3
    assert np.abs(srgb.centres[:, 0] - linear.centres[:, 0]).max() < 0.15e-3


def test_stated_uncertainty_is_that_of_repeated_measurements(lab):
    centres, stated = [], []
    for seed in range(12):
        refined = _refined(lab, lab.jaw(0.0604, seed=seed, noise=5.0))
        centres.append(refined.centres)
        stated.append(np.sqrt(np.linalg.inv(refined.information)[:, 2, 2]))
    spread, expected = np.std(centres, axis=0)[:, 2], np.mean(stated, axis=0)
    assert (spread < 2.0 * expected).all()
    assert (spread > 0.1 * expected).all()


def test_a_tag_that_is_half_hidden_is_not_good_and_spoils_no_other(lab, printed):
    left = printed(tag=0, x=-0.0302, hidden=0.5)
    refined = _refined(lab, lab.picture(left, printed(tag=1, x=0.0302)))
    assert refined.good.tolist() == [False, True]
    assert refined.centres[1, 0] == pytest.approx(0.0302, abs=0.1e-3)


def test_only_the_tag_itself_reads_as_printed(lab, printed):
    rotations = np.tile(np.eye(3), (2, 1, 1))

    def read(*tags):
        return reads_as_printed(
            lab.picture(*tags), lab.camera, layout=LAYOUT, rotations=rotations, centres=TRUTH, side_m=0.016
        ).tolist()

    left, right = printed(tag=0, x=-0.0302), printed(tag=1, x=0.0302)
    assert read(left, right) == [True, True]
    assert read(printed(tag=2, x=-0.0302), right) == [False, True]
    assert read(printed(tag=0, x=-0.0302, mirrored=True), right) == [False, True]
    assert read(printed(tag=0, x=-0.0302, hidden=0.3), right) == [False, True]
    assert read(right) == [False, True]


def test_a_dark_picture_reads_as_nothing(lab):
    rotations = np.tile(np.eye(3), (2, 1, 1))
    picture = lab.jaw(0.0604, gain=0.002, noise=1.0)
    assert not reads_as_printed(
        picture, lab.camera, layout=LAYOUT, rotations=rotations, centres=TRUTH, side_m=0.016
    ).any()
