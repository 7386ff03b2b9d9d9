"""A camera's table gives the same camera back, and all its mistakes at once."""

import json

import pytest

from handloom.errors import ConfigError
from handloom.geometry import DoubleSphere, KannalaBrandt, Pinhole, camera_from_table

SIZE = {"width": 640, "height": 480, "fx": 500.0, "fy": 501.0, "cx": 319.5, "cy": 239.5}


@pytest.mark.parametrize(
    "camera",
    [
        Pinhole(**SIZE),
        KannalaBrandt(**SIZE, k1=0.1, k3=1e-17),
        DoubleSphere(**SIZE, xi=-0.2, alpha=0.6),
    ],
)
def test_tables_survive_json(camera):
    assert camera_from_table(json.loads(json.dumps(camera.to_table()))) == camera


def test_whole_numbers_make_the_same_camera():
    camera = camera_from_table({"model": "pinhole", **SIZE, "fx": 500})
    assert camera == Pinhole(**SIZE)
    assert isinstance(camera.fx, float)


def test_all_mistakes_are_reported_at_once():
    table = {"model": "double_sphere", **SIZE, "fx": "wide", "width": 640.0, "alhpa": 0.5, "xi": 3}
    with pytest.raises(ConfigError) as caught:
        camera_from_table(table)
    assert list(caught.value.problems) == [
        "alhpa: unknown key of a double_sphere camera; did you mean 'alpha'?",
        "alpha: missing; a double_sphere camera needs it.",
        "width: found 640.0; expected a whole number of pixels above 0.",
        "fx: found 'wide'; expected a finite number.",
        "xi: found 3.0; expected above -1 and at most 1.",
    ]


@pytest.mark.parametrize("name", [None, "pinhol", 3, ["pinhole"]])
def test_an_unknown_model_lists_the_known_ones(name):
    with pytest.raises(ConfigError, match="expected one of double_sphere, kannala_brandt, pinhole") as caught:
        camera_from_table({"model": name})
    assert "known" not in str(caught.value)
