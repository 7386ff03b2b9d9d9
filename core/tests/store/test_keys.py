import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import StoreError
from handloom.store import StepKey
from handloom.store.keys import check_name


@pytest.mark.parametrize("name", ["camera", "épisode 1", "録画", "a.b", "1", "grasp-cup_02", "c", "data"])
def test_names_of_any_script_with_spaces_are_allowed(name):
    assert check_name(name, "Step") == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        ("  ", "empty"),
        (".hidden", "starts with"),
        ("__zarr", "starts with"),
        ("..", "starts with"),
        ("a/b", "'/'"),
        ("a\\b", "file names"),
        ("a:b", "':'"),
        ("tab\t", "file names"),
        ("a\ud800", "file names"),
        ("dot.", "ends with"),
        ("space ", "ends with"),
        ("annotations", "uses itself"),
        ("Record", "uses itself"),
        ("zarr.json", "uses itself"),
        ("nul.txt", "device"),
        ("COM1", "device"),
        ("ü" * 101, "longer"),
    ],
)
def test_a_name_that_some_system_refuses_is_refused_with_the_reason(name, reason):
    with pytest.raises(StoreError, match=reason):
        check_name(name, "Step")


NAMES = st.sampled_from(["camera", "épisode 1", "録画", "a.b", "episode", "x" * 40])


@settings(max_examples=40, deadline=None)
@given(step=NAMES, episode=st.one_of(st.just(""), NAMES), kind_of=st.sampled_from(["sensor", "step"]))
def test_a_key_is_found_again_from_its_path_and_its_json(step, episode, kind_of):
    if kind_of == "sensor" and not episode:
        with pytest.raises(StoreError, match="needs an episode"):
            StepKey(step, episode, kind_of)
        return
    key = StepKey(step, episode, kind_of)
    assert StepKey.of_path(key.path) == key
    assert StepKey.from_json(key.to_json()) == key


def test_paths_are_those_of_the_layout():
    assert StepKey("camera", "1", "sensor").path == "episodes/1/camera"
    assert StepKey("track", "1").path == "episodes/1/annotations/track"
    assert StepKey("map").path == "annotations/map"


@pytest.mark.parametrize("path", ["", "media/x", "episodes/1", "episodes/1/a/b/c"])
def test_a_path_that_no_step_owns_is_refused(path):
    with pytest.raises(StoreError, match="expected episodes/"):
        StepKey.of_path(path)


def test_an_unknown_kind_is_refused():
    with pytest.raises(StoreError, match="'sensor' or 'step'"):
        StepKey("a", "1", "device")
