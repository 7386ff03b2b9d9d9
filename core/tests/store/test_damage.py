"""Damage that people, disks and copying do to a scene: each is seen, said, and mended by running again."""

import json
import shutil

import pytest

from handloom.errors import StoreError
from handloom.store import Failure, Scene, StepKey, inspect, verify


@pytest.fixture
def whole(bench, made, film):
    bench.commit(made["camera"], {"video": made["video"](film), "audio": made["audio"]()})
    return bench


def problems(bench):
    return {finding.where: finding.verdict for finding in verify(bench.path) if finding.is_problem}


def entry(bench, key):
    with bench.scene("r") as scene:
        return scene.ledger().get(key)


CHANGES = {
    "streams": {},
    "media": {},
    "inputs": 3,
    "settings": [1],
    "notes": "abc",
    "step_version": "1",
    "sources": [3],
    "component": None,
}


@pytest.mark.parametrize("field", CHANGES)
def test_no_field_of_a_record_can_be_changed_unseen(whole, made, field):
    record = whole.path / made["camera"].path / "record" / "commit.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), field: CHANGES[field]}))
    assert problems(whole) == {made["camera"].path: "damaged"}
    assert entry(whole, made["camera"]) is None
    assert inspect(whole.path).invalid == (made["camera"].path,)


def test_a_failure_that_was_changed_is_none(whole, made):
    key = StepKey("lost", "e")
    with whole.scene() as scene:
        scene.fail(key, "no light", whole.provenance())
    record = whole.path / key.path / "record" / "failed.json"
    Failure.from_text(record.read_bytes(), "failed.json")
    record.write_text(record.read_text().replace("no light", "no sound"))
    assert entry(whole, key) is None
    assert problems(whole)


@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, "\x00"])
def test_what_is_no_record_is_seen_and_not_read(whole, made, text):
    (whole.path / made["camera"].path / "record" / "commit.json").write_text(text)
    assert problems(whole) == {made["camera"].path: "damaged"}
    assert entry(whole, made["camera"]) is None


def test_results_in_the_place_of_another_step_are_not_in_the_ledger(whole, made):
    other = StepKey("other", made["camera"].episode, "sensor")
    shutil.copytree(whole.path / made["camera"].path, whole.path / other.path)
    assert entry(whole, other) is None
    assert entry(whole, made["camera"]) is not None


def test_lost_media_are_told_by_the_ledger_and_the_listing(whole, made):
    (medium,) = (whole.path / "media").glob("*.mp4")
    medium.unlink()
    where = f"media/{medium.name}"
    assert entry(whole, made["camera"]).lost == (where,)
    ((step,),) = inspect(whole.path).episodes.values()
    assert step.lost == (where,)


def test_media_that_were_damaged_are_taken_in_again(whole, made, film):
    (medium,) = (whole.path / "media").glob("*.mp4")
    size = medium.stat().st_size
    medium.unlink()
    medium.write_bytes(bytes(size))
    assert problems(whole) == {f"media/{medium.name}": "damaged"}
    whole.commit(made["camera"], {"video": made["video"](film)})
    assert problems(whole) == {}
    assert medium.read_bytes() == film.read_bytes()


@pytest.mark.parametrize("part", ["episodes", "annotations", "media", "record"])
def test_a_fixed_part_that_is_gone_is_seen_and_made_again(whole, made, film, part):
    shutil.rmtree(whole.path / part)
    assert problems(whole)[f"{part}/zarr.json"] == "missing"
    inspect(whole.path)
    with Scene.open(whole.path, "w") as scene:
        assert scene.repairs == (f"Wrote {part}/zarr.json again, which was gone or had changed.",)
    whole.commit(made["camera"], {"video": made["video"](film)})
    assert problems(whole) == {}


def test_a_part_of_an_episode_that_is_gone_is_made_again(whole, made):
    shutil.rmtree(whole.path / "episodes" / made["camera"].episode / "annotations")
    whole.commit(StepKey("late", made["camera"].episode), {"audio": made["audio"]()})
    assert problems(whole) == {}


@pytest.mark.parametrize("attributes", [[1], 3, {"handloom_schema": True}])
def test_a_root_that_is_none_is_refused(whole, attributes):
    root = whole.path / "zarr.json"
    root.write_text(json.dumps({**json.loads(root.read_text()), "attributes": attributes}))
    for look in (verify, inspect, Scene.open):
        with pytest.raises(StoreError):
            look(whole.path)
