"""Decode passes: one for all stale frame steps of a video, and a step that raises goes alone."""

import pytest

from handloom.media import Clip, write_clip
from handloom.run.local import LocalExecutor
from handloom.run.schedule import units
from handloom.store import Scene, StepKey

PIPELINE = """
[episodes.take]
camera = "take.mp4"
[sensors.camera]
kind = "clip"
[steps.a]
kind = "brightness"
record = "passes.txt"
[steps.b]
kind = "brightness"
record = "passes.txt"
"""


@pytest.fixture
def camera(lab):
    write_clip(lab.folder / "take.mp4", Clip(frames=12, width=64, height=48))
    return lab


def level(lab, step):
    with Scene.open(lab.scene) as scene:
        return scene.stream(StepKey(step, "take"), "level")


def passes(lab):
    """Count the decode passes by the process and episode that each step noted when it started."""
    return (lab.folder / "passes.txt").read_text().splitlines()


def test_steps_of_one_video_share_a_pass_and_commit_alone(camera):
    report = camera.run(PIPELINE, executor=LocalExecutor)
    assert report.ok
    first, second = passes(camera)
    assert first == second
    assert len(level(camera, "a")) == 12


def test_only_the_stale_steps_are_fed(camera):
    camera.run(PIPELINE)
    camera.run(PIPELINE, ["steps.b.fail_at=99"])
    assert len(passes(camera)) == 3


def test_a_step_that_raises_is_detached_and_the_others_go_on(camera):
    report = camera.run(PIPELINE, ["steps.b.fail_at=3"])
    (failed,) = [outcome for outcome in report.outcomes if outcome.ending == "failed"]
    assert failed.node == "b"
    assert failed.reason.startswith("ValueError: frame 3 is no good (frame, line ")
    assert len(level(camera, "a")) == 12


def test_a_step_alone_and_in_company_makes_the_same_bytes(camera):
    camera.run(PIPELINE)
    with Scene.open(camera.scene) as scene:
        together = scene.entry(StepKey("a", "take")).digest
    camera.scene.rename(camera.folder / "other")
    camera.run(PIPELINE.partition("[steps.b]")[0])
    with Scene.open(camera.scene) as scene:
        assert scene.entry(StepKey("a", "take")).digest == together


def test_a_frame_step_that_needs_another_gets_a_pass_of_its_own(camera):
    plan = camera.plan(PIPELINE + 'inputs.after = "a.level"\n')
    assert [unit.nodes for unit in units(plan)] == [("camera",), ("a",), ("b",)]
    report = camera.run(PIPELINE + 'inputs.after = "a.level"\n')
    assert report.ok


def test_steps_stamp_their_output_like_the_video(camera):
    camera.run(PIPELINE)
    with Scene.open(camera.scene) as scene:
        video = scene.stream(StepKey("camera", "take", "sensor"), "video")
    assert level(camera, "a").stamps.tolist() == video.stamps.tolist()
    assert level(camera, "a").type.clock == "camera"


def test_frames_that_do_not_decode_are_a_note_of_every_step_that_missed_them(camera):
    import av

    take = camera.folder / "take.mp4"
    with av.open(str(take)) as container:
        places = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]
    position, size = places[7]
    data = bytearray(take.read_bytes())
    data[position + 4 : position + size] = b"\xff" * (size - 4)
    take.write_bytes(data)
    report = camera.run(PIPELINE)
    notes = {outcome.node: outcome.notes for outcome in report.outcomes}
    assert notes["a"] == notes["b"] == ("1 frames did not decode and were skipped: 7.",)
    assert len(level(camera, "a")) == 11
