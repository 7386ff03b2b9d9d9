"""A text beside an exported file: there when the file is there, swept when it is not."""

import pytest

from handloom.errors import StreamError
from handloom.run.exports import partial_path
from handloom.store import Disk

PIPELINE = """
[episodes.one]
ramp = "one.txt"
[sensors.ramp]
kind = "ramp"
[exporters.text]
kind = "labelled"
"""


@pytest.fixture
def one(lab):
    lab.ramp("one.txt")
    return lab


def names(lab):
    return sorted(path.name for path in (lab.folder / "exports").iterdir())


def endings(report):
    return {outcome.node: outcome.ending for outcome in report.outcomes}


def test_it_takes_the_place_of_the_suffix(one):
    assert one.run(PIPELINE).ok
    assert names(one) == ["one.label", "one.txt"]
    assert (one.folder / "exports" / "one.label").read_text() == "what is in one"


def test_a_lost_one_is_written_again(one):
    one.run(PIPELINE)
    assert endings(one.run(PIPELINE))["text"] == "fresh"
    (one.folder / "exports" / "one.label").unlink()
    assert endings(one.run(PIPELINE))["text"] == "committed"
    assert names(one) == ["one.label", "one.txt"]


@pytest.mark.parametrize("ending", ["label", "./label", "../one.json", ".txt"])
def test_an_ending_that_is_none_fails_and_leaves_nothing(one, ending):
    report = one.run(PIPELINE + f"ending = '{ending}'\n")
    (failed,) = [outcome for outcome in report.outcomes if outcome.ending == "failed"]
    assert f"names a text beside its file '{ending}'" in failed.reason
    assert names(one) == []


@pytest.mark.parametrize("at", ["one.label", "one.txt"])
def test_a_run_that_dies_between_the_two_names_leaves_no_file_without_its_text(one, at):
    class Dead(BaseException):
        pass

    class Dying(Disk):
        def rename(self, source, target):
            if target.name == at:
                raise Dead
            super().rename(source, target)

    with pytest.raises(Dead):
        one.run(PIPELINE, disk=Dying())
    assert "one.txt" not in names(one)
    assert one.run(PIPELINE).ok
    assert names(one) == ["one.label", "one.txt"]


@pytest.mark.parametrize("at", ["one.label", "one.txt"])
def test_an_older_file_never_stands_beside_the_text_of_a_newer_one(one, at):
    class Dead(BaseException):
        pass

    class Dying(Disk):
        def rename(self, source, target):
            super().rename(source, target)
            if target.name == at:
                raise Dead

    one.run(PIPELINE)
    folder = one.folder / "exports"
    old = (folder / "one.txt").read_bytes()
    one.ramp("one.txt", 7)
    (folder / "one.label").write_text("of the old file")
    with pytest.raises(Dead):
        one.run(PIPELINE, disk=Dying())
    pair = [path.read_bytes() for path in (folder / "one.txt", folder / "one.label") if path.exists()]
    assert old not in pair or pair == [old, b"of the old file"]
    assert one.run(PIPELINE).ok
    assert names(one) == ["one.label", "one.txt"]


def test_a_run_sweeps_nothing_that_another_scene_or_exporter_is_writing_into_the_same_folder(one):
    folder = one.folder / "exports"
    folder.mkdir()
    final = folder / "one.txt"
    ours = partial_path(final, "text", one.scene, "ab")
    theirs = partial_path(final, "text", one.scene.with_name("other"), "ab")
    longer = partial_path(final, "text-2", one.scene, "ab")
    for path in (ours, theirs, longer):
        path.touch()
    assert one.run(PIPELINE).repairs == (f"Removed {ours.name}, left by an export that was interrupted.",)
    assert not ours.exists()
    assert theirs.exists()
    assert longer.exists()


def test_a_step_that_gives_one_is_refused(one):
    from handloom.api import Outputs
    from handloom.run.outputs import checked

    node = one.plan(PIPELINE).nodes["ramp"]
    with pytest.raises(StreamError, match="only exporters write files"):
        checked(node, Outputs(beside={".json": "{}"}))
