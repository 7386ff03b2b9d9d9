"""An arm gets its tool from the rig of the recordings, and is not moved where the motion was made with another."""

import json

import attrs
import numpy as np
import pytest

from handloom.api import tcp_digest
from handloom.errors import ConfigError, HandloomError
from handloom.geometry import pose
from handloom_controllers.control import actions
from handloom_controllers.control.feeding import LocalFeed
from handloom_controllers.control.pipeline import load_control
from handloom_controllers.control.running import move, run_motion
from handloom_controllers.control.tcp_claims import TcpClaim, header_lines
from handloom_controllers.control.tie import tied

TCP = np.array([0.0, 0.07069, 0.259, 0.0, 0.0, 0.0, 1.0])
OTHER = TCP + np.array([0.0, 0.0, 0.012, 0.0, 0.0, 0.0, 0.0])
MOUNT = np.array([0.01, -0.05, 0.02, 0.0, 0.0, -0.382683432, 0.923879533])  # turned about z: the order matters
MOUNT[3:] /= np.linalg.norm(MOUNT[3:])

QUIET = ["control.plots=false", "control.mcap=false"]


def rig(T_gopro_tcp=TCP, T_flange_gopro=MOUNT):
    """Return the tables of a rig: the camera on the flange, the tool on the camera."""

    def frame(child, parent, T):
        return f"[rig.frames.{child}]\nparent = '{parent}'\ntranslation_m = {T[:3].tolist()}\n" + (
            f"rotation_xyzw = {T[3:].tolist()}\n"
        )

    return f"[rig]\nname = 'bench'\n{frame('tcp', 'gopro', T_gopro_tcp)}{frame('gopro', 'flange', T_flange_gopro)}"


@pytest.fixture
def with_tool(pipeline, parts):
    """Return a function that reads the pipeline with more text, and with a head on its path."""

    def read(text="[control.tool]\n", *, head=(), frames=None, overrides=()):
        path = pipeline.parent / "path.txt"
        path.write_text("\n".join([*head, path.read_text()]))
        pipeline.write_text(f"{pipeline.read_text()}\n{rig() if frames is None else frames}\n{text}")
        return load_control(pipeline, parts.fake_host(), [*QUIET, *overrides])

    return read


def moved(pipeline):
    return run_motion(pipeline, folder=pipeline.control.folder, progress=lambda _: None)


def test_the_tool_is_the_cameras_mount_and_then_the_fingers(with_tool):
    read = with_tool()
    assert np.allclose(read.law.config.T_flange_tcp, pose.compose(MOUNT, TCP), atol=1e-12)
    assert not np.allclose(read.law.config.T_flange_tcp, pose.compose(TCP, MOUNT), atol=1e-3)
    assert np.array_equal(read.law.make().T_flange_tcp, read.law.config.T_flange_tcp)


def test_the_digest_is_that_of_the_recordings_wherever_the_camera_is_mounted(with_tool):
    assert with_tool().tool.digest == tcp_digest(TCP)


def test_a_rig_whose_edges_point_the_other_way_gives_the_same_tool(with_tool):
    back = pose.inverse(TCP)
    frames = rig().partition("[rig.frames.tcp]")[0] + (
        f"[rig.frames.gopro]\nparent = 'tcp'\ntranslation_m = {back[:3].tolist()}\n"
        f"rotation_xyzw = {back[3:].tolist()}\n"
        f"[rig.frames.flange]\nparent = 'gopro'\ntranslation_m = {pose.inverse(MOUNT)[:3].tolist()}\n"
        f"rotation_xyzw = {pose.inverse(MOUNT)[3:].tolist()}\n"
    )
    read = with_tool(frames=frames)
    assert read.tool.digest == tcp_digest(TCP)
    assert np.allclose(read.tool.T_flange_tcp, pose.compose(MOUNT, TCP), atol=1e-12)


def test_a_motion_of_the_same_tool_is_followed_and_told(with_tool):
    read = with_tool(head=header_lines(TCP))
    run = moved(read)
    assert run.outcome.well
    told = run.tie.sentence
    assert told == (
        f"The arm's tool is that of the rig 'bench': T_gopro_tcp has the digest {tcp_digest(TCP)}, as in path.txt."
    )


def test_a_motion_of_another_tool_is_refused_before_anything_is_opened(with_tool, parts, monkeypatch):
    monkeypatch.setattr(parts.FakeArm, "open", lambda self: pytest.fail("the arm was opened"))
    read = with_tool(head=header_lines(OTHER))
    with pytest.raises(HandloomError) as caught:
        moved(read)
    told = str(caught.value)
    assert tcp_digest(TCP) in told
    assert tcp_digest(OTHER) in told
    assert "The arm's rig has the TCP at [0, 70.69, 259] mm in 'gopro'." in told
    assert "path.txt has it at [0, 70.69, 271] mm in the camera, " in told
    assert "12 mm and 0 degrees away. The arm was not moved. Include the rig file" in told
    assert not read.control.folder.exists()


def test_another_turn_of_the_same_point_is_another_tool(with_tool):
    turned = pose.compose(TCP, pose.exp([0.0, 0.0, 0.0, 0.0, 0.0, np.radians(5.0)]))
    with pytest.raises(HandloomError, match="0 mm and 5 degrees away"):
        tied(with_tool(head=header_lines(turned)))


def test_a_digest_alone_is_refused_without_a_place(with_tool):
    with pytest.raises(HandloomError) as caught:
        tied(with_tool(f"[control.tool]\ntcp_digest = '{tcp_digest(OTHER)}'\n"))
    assert f"{tcp_digest(OTHER)} there. The arm's rig has the TCP at" in str(caught.value)
    assert "control.tool.tcp_digest has it" not in str(caught.value)


def test_a_digest_alone_that_is_right_ties_a_motion_that_says_nothing(with_tool):
    tie = tied(with_tool(f"[control.tool]\ntcp_digest = '{tcp_digest(TCP)}'\n"))
    assert tie.sentence.endswith("as in control.tool.tcp_digest.")


@pytest.mark.parametrize(("tool", "fits"), [(TCP, True), (OTHER, False)])
def test_a_dataset_is_held_against_the_arm(with_tool, pipeline, tool, fits):
    streams = {"robot0_pose": {"camera": "gopro", "T_camera_tcp": tool.tolist()}}
    about = {"tcp_digest": {"robot0_pose": tcp_digest(tool)}, "episodes": {"pick": {"streams": streams}}}
    (pipeline.parent / "set.provenance.json").write_text(json.dumps(about))
    read = with_tool("[control.tool]\ndataset = 'set.provenance.json'\n")
    if fits:
        assert tied(read).sentence.endswith("as in set.provenance.json.")
    else:
        with pytest.raises(HandloomError, match=r"set\.provenance\.json has it at .* in 'gopro', 12 mm"):
            tied(read)


def test_every_source_must_agree(with_tool):
    text = f"[control.tool]\ntcp_digest = '{tcp_digest(TCP)}'\n"
    with pytest.raises(HandloomError, match=r"another one than that of path\.txt"):
        tied(with_tool(text, head=header_lines(OTHER)))


def test_a_source_of_chunks_that_was_made_with_another_tool_is_refused(with_tool):
    read, feed = with_tool(), LocalFeed()
    feed.claims = (TcpClaim(source="the policy 'wipe'", digest=tcp_digest(OTHER)),)
    with pytest.raises(HandloomError, match="another one than that of the policy 'wipe'"):
        move(read, folder=read.control.folder, feed=feed, path_from=pytest.fail, progress=lambda _: None)


def test_the_rig_of_another_gripper_is_refused(with_tool):
    with pytest.raises(HandloomError, match=r"another one than that of path\.txt"):
        tied(with_tool(head=header_lines(TCP), frames=rig(T_gopro_tcp=OTHER)))


def test_a_motion_that_says_nothing_is_followed_and_nothing_is_claimed(with_tool):
    run = moved(with_tool())
    assert run.outcome.well
    assert "path.txt does not say which tool it was made with, so nothing ties the two" in run.tie.sentence


def test_a_bare_tool_says_that_nothing_ties_it_even_to_a_motion_that_tells_its_own(with_tool, pipeline):
    read = with_tool("", frames="", head=header_lines(TCP))
    told = tied(read).sentence
    assert told.startswith("Nothing ties the arm's tool to the TCP of a dataset: the law has a T_flange_tcp of")
    assert f"path.txt was made with a tool of digest {tcp_digest(TCP)}; whether the arm's is the same" in told
    assert moved(read).outcome.well


@pytest.mark.parametrize(
    ("text", "frames", "said"),
    [
        ("[control.tool]\n", "", "control.tool: there is no [rig]; expected one whose frames lead from"),
        ("[control.tool]\ncamera = 'gopra'\n", None, "control.tool: T_gopra_tcp is needed to tell where"),
        ("[control.tool]\nflange = 'hand'\n", None, "control.tool: T_hand_tcp is needed to know the point"),
        ("", None, "controllers.law: there is a [rig], and nothing says where the tool is in it: add"),
        ("[control.tool]\ntcp_digest = '3f'\n", None, "tcp_digest is '3f'; expected 64 hexadecimal digits"),
        ("[control.tool]\ncamra = 'gopro'\n", None, "control.tool.camra: unknown key; did you mean 'camera'?"),
        ("[control.tool]\n", "[rig]\nframs = 3\n", "rig.frams: unknown key"),
    ],
)
def test_a_tool_that_can_not_be_found_is_told_in_the_file(with_tool, text, frames, said):
    with pytest.raises(ConfigError) as caught:
        with_tool(text, frames=frames)
    assert any(said in line for line in caught.value.problems), caught.value.problems


def test_a_rig_that_does_not_lead_to_the_flange_is_told(with_tool):
    frames = rig().partition("[rig.frames.gopro]")[0]
    with pytest.raises(ConfigError, match="T_flange_tcp is needed to know the point that the arm moves"):
        with_tool(frames=frames)


def test_two_tools_in_one_file_are_refused(with_tool):
    with pytest.raises(ConfigError, match=r"controllers\.law: T_flange_tcp is given here, and by "):
        with_tool(overrides=["controllers.law.T_flange_tcp=[0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]"])


def test_a_bare_tool_beside_a_rig_is_taken(with_tool):
    read = with_tool("", overrides=["controllers.law.T_flange_tcp=[0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]"])
    assert read.tool is None
    assert tied(read).sentence.startswith("Nothing ties the arm's tool")


def test_a_law_that_can_have_no_tool_is_refused_one(with_tool):
    with pytest.raises(ConfigError, match=r"this law has no setting T_flange_tcp, so it can't have the tool of"):
        with_tool(overrides=["controllers.law.kind='flange_law'"])


@pytest.fixture
def control(with_tool, pipeline, monkeypatch, parts, capsys):
    """Return a function that runs the command on a pipeline with the tool and returns code, output and errors."""
    monkeypatch.setattr(actions, "Host", parts.fake_host)

    def run(action, *words, **how):
        with_tool(**how)
        sets = [word for override in QUIET for word in ("--set", override)]
        code = actions.control([action, str(pipeline), *sets, *words])
        return code, *capsys.readouterr()

    return run


def test_the_start_says_what_ties_the_tool_and_machines_read_it(control, pipeline):
    code, _, told = control("run", head=header_lines(TCP))
    assert code == 0
    assert told.splitlines()[0].startswith("The arm's tool is that of the rig 'bench'")
    about = json.loads((pipeline.parent / "out/telemetry.json").read_text())["tool"]
    assert about["tcp_digest_by_source"] == {"path.txt": tcp_digest(TCP)}
    assert about["from_rig"]["tcp_digest"] == tcp_digest(TCP)
    assert np.allclose(about["from_rig"]["T_flange_tcp"], pose.compose(MOUNT, TCP))


def test_check_refuses_another_tool(control):
    with pytest.raises(HandloomError, match="The arm's tool is another one"):
        control("check", head=header_lines(OTHER))


def test_what_is_led_by_hand_keeps_the_tool_and_is_refused_by_another(control, pipeline, parts):
    code, *_ = control("guide", "--seconds", "0.5")
    assert code == 0
    follow = [f"control.reference.file={pipeline.parent / 'out/guided.txt'}"]
    again = load_control(pipeline, parts.fake_host(), follow)
    assert tied(again).sentence.endswith("as in guided.txt.")
    longer = [*follow, f"rig.frames.tcp.translation_m={OTHER[:3].tolist()}"]
    with pytest.raises(HandloomError, match=r"another one than that of guided\.txt"):
        tied(load_control(pipeline, parts.fake_host(), longer))


def test_a_hand_whose_file_tells_its_tool_is_held_against_the_arm(with_tool):
    read = with_tool(head=header_lines(OTHER))
    from handloom_controllers.control.settings import HandSettings

    hand = HandSettings(file=read.reference.file)
    with pytest.raises(HandloomError, match=r"another one than that of path\.txt"):
        tied(attrs.evolve(read, reference=None, hand=hand))
