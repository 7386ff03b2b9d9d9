"""The exporter in a pipeline: read from a store an episode at a time, written beside its provenance."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import zarr

from handloom.errors import ConfigError
from handloom.host import Host
from handloom.media import Clip, write_clip
from handloom.plan import load_plan
from handloom.run import run_plan
from handloom.run.serial import SerialExecutor

LAB = Path(__file__).parent / "lab"
MAP = "[steps.sync]\nkind = 'umi_lab_map'\n"
PIPELINE = """
scene.store = "scene"
[episodes.one]
take = "one.mp4"
[episodes.two]
take = "two.mp4"
[sensors.take]
kind = "umi_lab_take"
[exporters.set]
kind = "umi_lab_set"
image_size = 32
min_steps = 20
"""


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(LAB))
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        write_clip(tmp_path / f"{name}.mp4", Clip(width=64, height=64, rate=Fraction(60), frames=30))

    def go(text):
        (tmp_path / "pipeline.toml").write_text(text)
        host = Host()
        return run_plan(load_plan(tmp_path / "pipeline.toml", host), host, executor=SerialExecutor)

    yield go
    sys.modules.pop("umi_lab", None)


def ending(report, node="set"):
    return next(outcome for outcome in report.outcomes if outcome.node == node)


def test_a_scene_becomes_a_dataset_with_its_provenance_beside(run, tmp_path):
    report = run(PIPELINE + MAP)
    assert report.ok
    folder = tmp_path / "exports"
    assert sorted(path.name for path in folder.iterdir()) == ["scene.provenance.json", "scene.zarr.zip"]
    with zarr.storage.ZipStore(folder / "scene.zarr.zip", mode="r") as store:
        root = zarr.open_group(store, mode="r", zarr_format=2)
        assert root["meta"]["episode_ends"][:].tolist() == [30, 60]
        assert np.allclose(np.diff(root["data"]["robot0_eef_pos"][:30, 0]), 1 / 600, atol=1e-6)
        assert json.loads((folder / "scene.provenance.json").read_text()) == dict(root.attrs)["handloom"]
    assert str(tmp_path) not in (folder / "scene.provenance.json").read_text()


def test_a_second_run_leaves_it_alone_and_a_forced_one_gives_the_same_bytes(run, tmp_path):
    run(PIPELINE + MAP)
    path = tmp_path / "exports" / "scene.zarr.zip"
    before = path.read_bytes()
    assert ending(run(PIPELINE + MAP)).ending == "fresh"
    path.unlink()
    assert ending(run(PIPELINE + MAP)).ending == "committed"
    assert path.read_bytes() == before


def test_an_episode_that_failed_is_left_out_and_said(run, tmp_path):
    (tmp_path / "two.mp4").rename(tmp_path / "bad.mp4")
    report = run(PIPELINE.replace("two.mp4", "bad.mp4") + MAP)
    assert ending(report).ending == "committed"
    assert ending(report).notes == ("Episode 'two' is left out: it has no stream for 'camera0'.",)


def test_a_clock_that_nothing_joins_is_refused_before_anything_runs(run, tmp_path):
    with pytest.raises(ConfigError, match=r"'take\.pose' can't be brought to the frames"):
        run(PIPELINE)
    assert not (tmp_path / "scene").exists()
