"""Every kind of bad recording beside a good one: what can be kept is kept, the rest is a sentence."""

import json
import re
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from itertools import pairwise
from pathlib import Path

import attrs
import numpy as np
import pytest

from handloom.cli import main
from handloom.media import Clip, read_number, write_clip
from handloom.store import Scene, StepKey, verify

SMALL = Clip(width=160, height=120, frames=48)
VARIABLE = [1440 + 3000 * frame + frame * frame % 7 * 300 for frame in range(48)]
EVERYTHING = list(range(48))
SEEN = {
    "variable": EVERYTHING,
    "edited": EVERYTHING[17:37],
    "offset": EVERYTHING,
    "turned": EVERYTHING,
    "short_sound": EVERYTHING,
    "cut_fragmented": None,
    "cut_faststart": None,
}
"""The numbers in the pixels of the frames that must be seen; None where the place of the break decides."""

PIPELINE = """
scene.store = "scene"
run.executor = "serial"
[sensors.camera]
kind = "video"
[sensors.gopro]
kind = "gopro"
[steps.sharpness]
kind = "sharpness"
inputs.video = "camera.video"
[steps.seen]
kind = "thumbnails"
every = 1
width = 128
inputs.video = "camera.video"
[steps.gopro_seen]
kind = "thumbnails"
every = 1
width = 128
inputs.video = "gopro.video"
[exporters.foxglove]
kind = "mcap"
"""


def write_recordings(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Write every recording; return the files of each device by episode."""
    plain = write_clip(folder / "plain.mp4", attrs.evolve(SMALL, audio_s=1.6))
    layouts = {
        "variable": {"time_base": Fraction(1, 90_000), "pts": VARIABLE},
        "edited": {"edit": (Fraction(17, 30), Fraction(20, 30))},
        "offset": {"start_ticks": 15, "audio_s": 1.6},
        "turned": {"rotation_deg": 90},
        "short_sound": {"audio_s": 0.8},
        "fragmented": {"fragmented": True},
        "faststart": {"faststart": True},
    }
    for name, changes in layouts.items():
        write_clip(folder / f"{name}.mp4", attrs.evolve(SMALL, **changes))
    fragmented = (folder / "fragmented.mp4").read_bytes()
    broken = {
        "no_index.mp4": share(plain.read_bytes(), 0.6),
        "cut_fragmented.mp4": share(fragmented, 0.7),
        "cut_faststart.mp4": share((folder / "faststart.mp4").read_bytes(), 0.7),
        "no_frames.mp4": fragmented[: fragmented.index(b"moof") - 4],
        "empty.mp4": b"",
        "backward.ts": write_clip(folder / "once.ts", SMALL).read_bytes() * 2,
    }
    for name, data in broken.items():
        (folder / name).write_bytes(data)
    ticks = [33 * (frame if frame != 10 else 9) for frame in range(48)]
    write_clip(folder / "repeated.mkv", attrs.evolve(SMALL, time_base=Fraction(1, 1000), pts=ticks))
    names = ["missing.mp4", "repeated.mkv", *broken, *(f"{name}.mp4" for name in layouts if name in SEEN)]
    return {
        "good": {"camera": ["plain.mp4"]},
        **{name.partition(".")[0]: {"camera": [name]} for name in names},
        **write_chapters(folder / "chapters"),
    }


def share(data: bytes, kept: float) -> bytes:
    """Keep the first share of a file, as when power was lost or a copy stopped."""
    return data[: int(len(data) * kept)]


def write_chapters(folder: Path) -> dict[str, dict[str, list[str]]]:
    from handloom_sensors.demo_recording import DemoRecording, write_demo_recording

    demo = DemoRecording(duration_s=3.0, width=160, height=120, rate=Fraction(30), chapters=3)
    one, two, three = (f"chapters/{path.name}" for path in write_demo_recording(folder, demo).videos)
    return {
        "out_of_order": {"gopro": [three, one, two]},
        "first_chapter_missing": {"gopro": [three, two]},
        "chapter_missing": {"gopro": [one, three]},
    }


@attrs.frozen(kw_only=True)
class Ran:
    """A run of some of the recordings.

    Attributes:
        folder: Where the pipeline lies.
        code: Exit code.
        outcomes: By episode and component.
    """

    folder: Path
    code: int
    outcomes: dict[tuple[str, str], dict]

    @property
    def scene(self) -> Path:
        return self.folder / "scene"

    def reason(self, episode, node="camera"):
        outcome = self.outcomes[episode, node]
        assert outcome["ending"] == "failed"
        return outcome["reason"]

    def notes(self, episode, node="camera"):
        outcome = self.outcomes[episode, node]
        assert outcome["ending"] == "committed", outcome["reason"]
        return "\n".join(outcome["notes"])

    def stream(self, episode, node="camera", name="video", kind_of="sensor"):
        with Scene.open(self.scene) as scene:
            return scene.stream(StepKey(node, episode, kind_of), name)

    def seen(self, episode, step="seen"):
        """Return the numbers in the pixels of the frames that a step was shown."""
        return [read_number(picture) for picture in self.stream(episode, step, "thumbnails", "step").data]

    def digests(self, episode):
        with Scene.open(self.scene) as scene:
            return {key.path: entry.digest for key, entry in scene.ledger().items() if key.episode == episode}


def run(folder: Path, recordings: Path, episodes: dict[str, dict[str, list[str]]]) -> Ran:
    """Run the pipeline on some episodes, in this process."""
    lines = [PIPELINE]
    for name, devices in episodes.items():
        lines.append(f"[episodes.{name}]")
        for device, files in devices.items():
            lines.append(f"{device} = {json.dumps([(recordings / file).as_posix() for file in files])}")
    (folder / "pipeline.toml").write_text("\n".join(lines))
    said = StringIO()
    with redirect_stdout(said):
        code = main(["run", str(folder / "pipeline.toml"), "--json"])
    outcomes = json.loads(said.getvalue())["outcomes"]
    return Ran(folder=folder, code=code, outcomes={(o["episode"], o["step"]): o for o in outcomes})


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    pytest.importorskip("av", reason="needs PyAV: pip install 'handloom[video]'")
    folder = tmp_path_factory.mktemp("recordings")
    return folder, write_recordings(folder)


@pytest.fixture(scope="module")
def ran(recordings, tmp_path_factory):
    return run(tmp_path_factory.mktemp("all"), *recordings)


@pytest.fixture(scope="module")
def alone(recordings, tmp_path_factory):
    folder, episodes = recordings
    return run(tmp_path_factory.mktemp("alone"), folder, {"good": episodes["good"]})


def test_the_good_episode_is_the_same_as_alone_to_the_byte(ran, alone):
    assert (ran.code, alone.code) == (1, 0)
    assert len(alone.digests("good")) == 4
    assert ran.digests("good") == alone.digests("good")
    exported = [(each.folder / "exports" / "good.mcap").read_bytes() for each in (ran, alone)]
    assert exported[0] == exported[1]
    assert ran.seen("good") == list(range(48))
    assert ran.notes("good") == ""


def test_only_what_can_not_be_read_fails(ran):
    failed = {place for place, outcome in ran.outcomes.items() if outcome["ending"] == "failed"}
    assert failed == {
        *((episode, "camera") for episode in ("missing", "no_index", "no_frames", "empty")),
        ("chapter_missing", "gopro"),
    }


def test_what_was_kept_is_proved_and_exported(ran):
    assert [finding for finding in verify(ran.scene) if finding.is_problem] == []
    exported = {path.stem for path in (ran.folder / "exports").iterdir()}
    assert exported == {"good", "repeated", "backward", "out_of_order", "first_chapter_missing", *SEEN}


def test_a_missing_file(ran):
    assert "missing.mp4: the file does not exist" in ran.reason("missing")


def test_a_file_without_an_index(ran):
    reason = ran.reason("no_index")
    assert "no_index.mp4: the MP4 has no readable index (moov box" in reason
    assert "power was lost" in reason


def test_an_empty_file(ran):
    assert "empty.mp4: the file is empty" in ran.reason("empty")


def test_a_video_without_frames(ran):
    assert "no_frames.mp4: no frame of the video can be shown (0 packets, 0 damaged)" in ran.reason("no_frames")


@pytest.mark.parametrize("episode", ["cut_fragmented", "cut_faststart"])
def test_a_file_that_breaks_off_keeps_its_beginning_and_says_what_is_lost(ran, episode):
    seen, notes = ran.seen(episode), ran.notes(episode)
    assert 12 < len(seen) < 40
    assert seen == list(range(len(seen)))
    assert f"{episode}.mp4 breaks off or is damaged: {len(seen)} frames over" in notes
    lost = int(notes.partition("are kept; ")[2].split()[0])
    # A fragment's header counts its own frames only: what came after the last one that is there, nobody knows.
    assert lost == 48 - len(seen) if episode == "cut_faststart" else 0 < lost <= 48 - len(seen)


@pytest.mark.parametrize("episode", sorted(SEEN))
def test_every_frame_that_is_there_was_seen_under_its_own_stamp(ran, episode):
    expected = SEEN[episode]
    video, stamps = ran.stream(episode), ran.stream(episode, "seen", "thumbnails", "step").all_stamps()
    if expected is not None:
        assert ran.seen(episode) == expected
    np.testing.assert_array_equal(stamps, video.stamps)
    assert all(before < after for before, after in pairwise(stamps.tolist()))


def test_a_variable_rate_keeps_its_own_stamps(ran):
    stamps = ran.stream("variable").stamps
    assert np.abs(stamps - np.array(VARIABLE) * 1e9 / 90_000).max() <= 0.5
    assert ran.notes("variable") == ""


def test_an_edit_list_is_obeyed_and_told(ran):
    assert "edited.mp4: its edit list hides 28 frames" in ran.notes("edited")
    assert "5 frames that are never shown but that later ones need" in ran.notes("edited", "foxglove")


def test_a_late_start_is_kept(ran):
    assert ran.stream("offset").stamps[0] == 500_000_000
    assert ran.stream("offset", name="audio").all_stamps()[0] == pytest.approx(500_000_000, abs=25_000_000)
    assert ran.notes("offset") == ""


def test_a_turned_video_is_upright_and_its_mcap_file_says_that_it_is_not(ran):
    picture = ran.stream("turned", "seen", "thumbnails", "step").data[3]
    assert picture.shape == (96, 128, 3)
    assert read_number(picture) == 3
    assert ran.stream("turned").type.shape == (120, 160, 3)
    assert "turn them 90 degrees clockwise" in ran.notes("turned", "foxglove")


def test_repeated_timestamps_cost_the_frames_that_repeat_them(ran):
    assert "repeated.mkv: 1 of 48 frames repeat the timestamp of another frame" in ran.notes("repeated")
    assert ran.seen("repeated") == [*range(10), *range(11, 48)]


def test_time_that_goes_back_costs_the_frames_that_do(ran):
    assert "backward.ts: 47 of 96 frames go back in time" in ran.notes("backward")
    assert "backward.ts breaks off or is damaged" in ran.notes("backward")
    assert (np.diff(ran.stream("backward").stamps) > 0).all()
    assert ran.seen("backward")[:46] == list(range(46))


def test_sound_that_ends_early_is_told_and_kept(ran):
    note = ran.notes("short_sound")
    told = re.fullmatch(r"short_sound\.mp4: the last (.*) s of the video have no sound\.", note)
    assert told
    assert float(told[1]) == pytest.approx(0.8, abs=0.03)  # how much AAC adds at the ends differs between FFmpegs
    assert len(ran.stream("short_sound", name="audio")) >= 0.8 * 48_000


def test_chapters_out_of_order_are_put_in_order(ran):
    assert ran.seen("out_of_order", "gopro_seen") == list(range(90))
    assert (np.diff(ran.stream("out_of_order", "gopro").stamps) > 0).all()
    assert ran.stream("out_of_order", "gopro", "gyroscope").attributes["lost_samples"] == 0


def test_a_missing_chapter_is_named(ran):
    reason = ran.reason("chapter_missing", "gopro")
    assert "Chapter 2 is missing between GX010001.MP4 and GX030001.MP4" in reason


def test_missing_first_chapters_are_a_note_and_the_rest_is_kept(ran):
    assert "GX020001.MP4 is chapter 2; the chapters before it were not given" in ran.notes(
        "first_chapter_missing", "gopro"
    )
    assert ran.seen("first_chapter_missing", "gopro_seen") == list(range(30, 90))
