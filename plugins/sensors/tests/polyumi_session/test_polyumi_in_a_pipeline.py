"""Sessions go through a whole pipeline: folders found by a pattern, one refused, the other stored to the byte."""

import av
import numpy as np

from handloom.api import clock_map_of
from handloom.plan import load_plan
from handloom.run import run_plan
from handloom.run.serial import SerialExecutor
from handloom.store import Scene, StepKey

pytest_plugins = ("handloom.testing.fixtures",)

PIPELINE = """
[scene]
store = "scene"
[episodes."*"]
session = "recordings für alle/session_*"
[sensors.session]
kind = "polyumi_session"
[steps.contact]
kind = "contact_audio"
inputs.audio = "session.contact_audio"
inputs.video = "session.gopro_video"
[rig.clocks."session/gopro"]
reference = "session/pi"
offset_ns = 5_000_100_000_000
uncertainty_s = 0.001
"""


def test_a_session_is_stored_whole_and_a_wrong_gopro_file_costs_only_what_needs_it(
    new_session, tmp_path, only_these_plugins
):
    host = only_these_plugins(
        sensors={"polyumi_session": "handloom_sensors.polyumi_session"},
        steps={"contact_audio": "handloom_sensors.contact_audio"},
    )
    good = new_session(tmp_path / "recordings für alle" / "session_a")
    wrong = new_session(tmp_path / "recordings für alle" / "session_b")
    wrong.metadata(gopro_sync_time="2026-01-01T11:50:00+00:00")
    (tmp_path / "pipeline.toml").write_text(PIPELINE, encoding="utf-8")
    report = run_plan(load_plan(tmp_path / "pipeline.toml", host), host, executor=SerialExecutor)
    failed = {(one.episode, one.node): one.reason for one in report.outcomes if one.ending == "failed"}
    assert list(failed) == [("session_b", "contact")]
    assert "no 'session.gopro_video'" in failed["session_b", "contact"]
    with Scene.open(tmp_path / "scene") as scene:
        assert len(scene.stream(StepKey("session", "session_b", "sensor"), "finger_video")) == 20
        key = StepKey("session", "session_a", "sensor")
        finger = scene.stream(key, "finger_video")
        known = clock_map_of(scene.stream(key, "pi_to_wall"))
        sound = scene.stream(key, "contact_audio")
        blocks = scene.stream(StepKey("contact", "session_a"), "blocks")
        with av.open(str(finger.files[0].path)) as container:
            packets = [bytes(packet) for packet in container.demux(video=0) if packet.size]
    assert (known.source, known.target) == ("session/pi", "session/wall")
    assert packets == [path.read_bytes() for path in sorted(good.video.glob("*.jpg"))]
    assert finger.type.clock == sound.type.clock == "session/pi"
    assert blocks.type.clock == "session/gopro"
    heard = ~np.isnan(blocks.data[:, 0])
    assert heard.sum() > 100
    row = int(np.flatnonzero(heard)[0])
    taken = sound.all_stamps()
    end = int(np.searchsorted(taken, blocks.stamps[row] + 5_000_100_000_000, side="right"))
    assert np.array_equal(blocks.data[row], sound.data[end - 268 : end, 0])
