"""Following tags finds what detecting them in every whole picture finds."""

from __future__ import annotations

import numpy as np
import pytest

from handloom_sensors.width import GripperWidthConfig
from handloom_sensors.width.detecting import Detector
from handloom_sensors.width.following import TagFollower
from handloom_sensors.width.pattern import Layout, dictionary_of, pattern_of
from handloom_sensors.width.places import shrinking, whole

DICTIONARY = dictionary_of("DICT_4X4_50")
CONFIG = GripperWidthConfig()


def _follower(camera):
    return TagFollower(camera, CONFIG, DICTIONARY, Layout.of([pattern_of(DICTIONARY, tag) for tag in CONFIG.ids]))


def test_a_fast_jaw_is_followed_and_found_where_whole_pictures_have_it(lab, printed):
    follower, detector = _follower(lab.camera), Detector(DICTIONARY)
    for number, x in enumerate((0.025, 0.026, 0.030, 0.038, 0.038, 0.031)):
        shown = [printed(tag=0, x=-x)] + ([] if number == 3 else [printed(tag=1, x=x)])
        picture = lab.picture(*shown, seed=number)
        seen = follower.look(picture)
        # Small tags are found more safely in an enlarged picture.
        there = {each.tag: each.corners.mean(axis=0) for each in detector.find(picture, whole(lab.camera), 0.5)}
        assert [not sighting.reason for sighting in seen] == [tag in there for tag in CONFIG.ids]
        for tag, sighting in zip(CONFIG.ids, seen, strict=True):
            if tag in there:
                middle, _ = lab.camera.project(sighting.centre)
                assert np.abs(middle - there[tag]).max() < 2.0


def test_a_followed_tag_costs_no_detection(lab, monkeypatch):
    follower = _follower(lab.camera)
    follower.look(lab.jaw(0.06))
    monkeypatch.setattr(Detector, "find", lambda *_: pytest.fail("a tag in sight was searched for"))
    for step in range(1, 6):
        assert [each.reason for each in follower.look(lab.jaw(0.06 + 0.001 * step))] == ["", ""]


@pytest.mark.parametrize("blind", [0.5, 1.0])
def test_a_tag_that_one_size_of_the_picture_misses_is_found_in_the_other_at_once(lab, monkeypatch, blind):
    find = Detector.find

    def half_blind(self, luma, box, shrink=1.0):
        return [each for each in find(self, luma, box, shrink) if each.tag != 0 or shrink != blind]

    monkeypatch.setattr(Detector, "find", half_blind)
    assert [each.reason for each in _follower(lab.camera).look(lab.jaw(0.06))] == ["", ""]


def test_a_video_without_tags_is_seldom_searched_whole(lab, monkeypatch):
    follower, searches = _follower(lab.camera), []
    monkeypatch.setattr(Detector, "find", lambda *arguments: searches.append(1) or [])
    empty = lab.picture()
    for _ in range(300):
        follower.look(empty)
    looks = 60 + 240 / 8
    assert looks <= len(searches) <= 2 * looks + 40  # twice in a small picture: enlarged and as it is


@pytest.mark.parametrize(("side", "shrink"), [(20, 0.5), (40, 0.5), (50, 1.0), (80, 2.0), (140, 3.0)])
def test_pictures_are_shrunk_as_far_as_tags_stay_readable(side, shrink):
    assert shrinking(side) == shrink
