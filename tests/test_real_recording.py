"""Other people's recordings through the real command line: what was recorded arrives, in the store and in MCAP."""

import json
import warnings

import attrs
import numpy as np
import pytest
import zarr

from handloom.store import Scene, StepKey

PIPELINE = """
scene.store = "scene"
[run]
executor = "local"
[sensors.camera]
kind = "gopro"
extra_streams = ["gopro_karma_v1_0_attd"]
[sensors.phone]
kind = "video"
[steps.sharpness]
kind = "sharpness"
inputs.video = "camera.video"
[steps.exposure]
kind = "exposure"
inputs.video = "camera.video"
[steps.thumbnails]
kind = "thumbnails"
inputs.video = "camera.video"
[steps.phone_sharpness]
kind = "sharpness"
inputs.video = "phone.video"
[exporters.foxglove]
kind = "mcap"
[episodes.karma]
camera = "{data}/gopro/karma.mp4"
[episodes.phone]
phone = "{data}/misc/phone-no-telemetry.mp4"
[episodes.taken_for_a_gopro]
camera = "{data}/misc/phone-no-telemetry.mp4"
"""
LISTED = "-> camera.gopro_karma_v1_0_attd: vector [float64 n, mixed] on clock camera (where recorded)"


@attrs.frozen
class Ran:
    """A run that has ended.

    Attributes:
        folder: Where the pipeline lies.
        code: Exit code.
        report: What `--json` printed.
    """

    folder: object
    code: int
    report: dict

    @property
    def scene(self):
        return self.folder / "scene"

    def ending(self, episode, node):
        (outcome,) = [o for o in self.report["outcomes"] if (o["episode"], o["step"]) == (episode, node)]
        return outcome["ending"], outcome["reason"]


@pytest.fixture(scope="module")
def ran(shared_data, handloom, tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    (folder / "pipeline.toml").write_text(PIPELINE.format(data=shared_data.as_posix()))
    done = handloom("run", "pipeline.toml", "--json", cwd=folder)
    assert done.stderr == ""
    return Ran(folder, done.returncode, json.loads(done.stdout))


@pytest.fixture(scope="module")
def scene(ran):
    with Scene.open(ran.scene) as opened:
        yield opened


@pytest.fixture(scope="module")
def karma(scene):
    key = StepKey("camera", "karma", "sensor")
    return {name: scene.stream(key, name) for name in scene.read(key).commit.streams}


@pytest.fixture(scope="module")
def messages(ran):
    """Return (schema, log time, message) by topic, of karma's MCAP file, in the file's order."""
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    found, decoders = {}, {}
    with (ran.folder / "exports" / "karma.mcap").open("rb") as file:
        for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages(log_time_order=False):
            decode = decoders.setdefault(
                channel.id, DecoderFactory().decoder_for(channel.message_encoding, schema) or json.loads
            )
            found.setdefault(channel.topic, []).append((schema.name, message.log_time, decode(message.data)))
    return found


def test_karma_goes_through_every_step_to_a_file(ran):
    endings = {name: ran.ending("karma", name) for name in ("camera", "sharpness", "exposure", "thumbnails")}
    assert set(endings.values()) == {("committed", "")}
    assert ran.ending("karma", "foxglove") == ("committed", "")
    assert (ran.folder / "exports" / "karma.mcap").stat().st_size > 4_000_000


def test_karma_has_the_counts_and_rates_that_are_known_of_it(karma):
    assert len(karma["video"]) == 362
    assert len(karma["accelerometer_raw"]) == 2397
    assert len(karma["gyroscope_raw"]) == 4795
    assert karma["accelerometer_raw"].rate_hz() == pytest.approx(198, abs=1)
    assert karma["gyroscope_raw"].rate_hz() == pytest.approx(397, abs=1)
    assert karma["audio"].rate_hz() == pytest.approx(48_000, rel=1e-6)
    stamps = karma["video"].stamps
    assert (stamps[-1] - stamps[0] + np.median(np.diff(stamps))) * 1e-9 == pytest.approx(12.079, abs=0.001)


def test_karma_is_never_taken_for_a_camera_that_states_its_axes(karma):
    assert "accelerometer" not in karma
    assert karma["accelerometer_raw"].type.frame == "camera/raw"


def test_the_grip_is_there_and_what_the_config_lists_can_be_wired(ran, karma, handloom):
    assert karma["gopro_karma_v1_0_attd"].data.shape == (47, 8)
    assert karma["gopro_karma_v1_0_simu"].data.shape == (47, 10)
    plan = handloom("plan", "pipeline.toml", cwd=ran.folder)
    assert (plan.returncode, plan.stderr) == (0, "")
    assert LISTED in plan.stdout
    assert "-> camera.accelerometer_raw: vector [float64 3, m/s^2] in camera/raw" in plan.stdout


def test_every_frame_was_looked_at(scene, karma):
    for step, stream in (("sharpness", "sharpness"), ("exposure", "brightness")):
        made = scene.stream(StepKey(step, "karma"), stream)
        np.testing.assert_array_equal(made.all_stamps(), karma["video"].stamps)


def test_the_mcap_file_holds_as_many_samples_as_the_store(messages, scene, karma):
    stored = {f"/camera/{name}": len(stream) for name, stream in karma.items()}
    for step in ("sharpness", "exposure", "thumbnails"):
        streams = scene.read(StepKey(step, "karma")).commit.streams
        stored |= {f"/{step}/{name}": len(scene.stream(StepKey(step, "karma"), name)) for name in streams}
    counts = {topic: len(found) for topic, found in messages.items()}
    sound = b"".join(message.data for _, _, message in messages["/camera/audio"])
    counts["/camera/audio"] = len(sound) // (2 * karma["audio"].data.shape[1])
    assert counts == stored


def test_every_channel_of_the_mcap_file_is_monotone(messages):
    for topic, found in messages.items():
        assert (np.diff([log_time for _, log_time, _ in found]) >= 0).all(), topic


def test_all_frames_of_the_mcap_file_decode_to_the_recordings_own_pictures(messages, shared_data):
    import av

    decoder = av.CodecContext.create("h264", "r")
    assert {schema for schema, *_ in messages["/camera/video"]} == {"foxglove.CompressedVideo"}
    pictures = [p for _, _, message in messages["/camera/video"] for p in decoder.decode(av.Packet(message.data))]
    pictures += decoder.decode(None)
    with av.open(str(shared_data / "gopro" / "karma.mp4")) as recorded:
        originals = list(recorded.decode(video=0))
    assert len(pictures) == len(originals) == 362
    for number in (0, 180, 361):
        # The stream is coded 864 wide, and the MP4 says that 854 of it are the picture.
        np.testing.assert_array_equal(luma(pictures[number])[:, :854], luma(originals[number]))


def luma(picture):
    return np.frombuffer(picture.planes[0], np.uint8).reshape(picture.height, -1)[:, : picture.width]


def test_a_phones_video_works_as_plain_video(ran, scene):
    assert ran.ending("phone", "phone") == ran.ending("phone", "phone_sharpness") == ("committed", "")
    assert len(scene.stream(StepKey("phone", "phone", "sensor"), "video")) > 100


def test_a_phones_b_frames_are_not_exported_unasked_and_the_sentence_says_what_to_do(ran):
    ending, reason = ran.ending("phone", "foxglove")
    assert ending == "failed"
    assert "Video 'phone.video' has B-frames" in reason
    assert "`transcode_b_frames = true`" in reason


def test_a_phones_video_is_no_gopros_and_the_sentence_says_what_to_do(ran):
    ending, reason = ran.ending("taken_for_a_gopro", "camera")
    assert ran.code == 1
    assert ending == "failed"
    assert "phone-no-telemetry.mp4 has no GoPro telemetry track" in reason
    assert 'use kind = "video"' in reason
    assert ran.ending("taken_for_a_gopro", "sharpness") == (
        "skipped",
        "nothing it is fed by has a result here: camera.",
    )


def test_nothing_is_exported_of_an_episode_that_has_nothing(ran):
    assert ran.ending("taken_for_a_gopro", "foxglove")[0] == "skipped"
    assert sorted(path.name for path in (ran.folder / "exports").iterdir()) == ["karma.mcap"]


def test_the_store_is_proved_and_listed(ran, handloom):
    proved = handloom("verify", "scene", cwd=ran.folder)
    assert (proved.returncode, proved.stderr) == (0, "")
    listed = handloom("inspect", "scene", cwd=ran.folder)
    assert (listed.returncode, listed.stderr) == (0, "")
    for word in ("karma", "accelerometer_raw", "2397", "4795", "362", "has no GoPro telemetry track"):
        assert word in listed.stdout


def test_any_zarr_reader_reads_all_of_it_without_a_warning(ran):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        root = zarr.open_group(ran.scene, mode="r")
        arrays = {name: member for name, member in root.members(max_depth=None) if isinstance(member, zarr.Array)}
        sizes = {name: array[...].size for name, array in arrays.items()}
    assert not [str(warning.message) for warning in caught]
    assert sizes["episodes/karma/camera/gyroscope_raw/data"] == 4795 * 3
    assert len(sizes) > 40


def test_a_second_run_finds_the_good_episodes_up_to_date(ran, handloom):
    again = json.loads(handloom("run", "pipeline.toml", "--json", cwd=ran.folder).stdout)
    endings = {(o["episode"], o["ending"]) for o in again["outcomes"]}
    assert {ending for episode, ending in endings if episode == "karma"} == {"fresh", "skipped", "absent"}
    assert not [o for o in again["outcomes"] if o["ending"] == "committed"]
