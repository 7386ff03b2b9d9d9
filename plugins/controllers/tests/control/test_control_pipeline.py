"""A control pipeline is read whole or refused with all its mistakes."""

import pytest

from handloom.errors import ConfigError
from handloom.host import Found, Host
from handloom_controllers.control.pipeline import load_control


def problems(file, parts, text="", overrides=()):
    file.write_text(file.read_text() + text)
    with pytest.raises(ConfigError) as caught:
        load_control(file, parts.fake_host(), overrides)
    return [line.removeprefix(f"{file}: ") for line in caught.value.problems]


def test_one_that_is_right_is_read(pipeline, parts):
    read = load_control(pipeline, parts.fake_host())
    assert (read.robot.kind, read.law.kind) == ("fake_arm", "fake_law")
    assert read.control.folder == pipeline.parent / "out"
    assert read.reference.file == pipeline.parent / "path.txt"
    assert read.loop.hold_s == 0.3
    assert isinstance(read.robot.make(), parts.FakeArm)


def test_what_is_included_comes_first(pipeline, parts):
    top = pipeline.parent / "top.toml"
    top.write_text('include = ["track.toml"]\n[control]\nhorizon = 20\n[robots.arm]\nlag_cycles = 5\n')
    read = load_control(top, parts.fake_host())
    assert (read.control.horizon, read.robot.config.lag_cycles) == (20, 5)


def test_all_mistakes_are_told_at_once_each_with_its_key(pipeline, parts):
    wrong = [
        "robots.arm.lag_cycels=3",
        "control.horizn=5",
        "control.chunk_rate_hz=0",
        "control.reference.place='here'",
    ]
    wrong += [
        "control.loop.rate_hz='fast'",
        "control.loop.way.max_sped_m_per_s=1.0",
        "control.law='lw'",
        "contrl.x=1",
    ]
    told = problems(pipeline, parts, overrides=wrong)
    told = [line.removeprefix("--set: ") for line in told]
    assert [line.partition(":")[0] for line in told] == [
        "contrl",
        "control.horizn",
        "control.loop.rate_hz",
        "control.loop.way.max_sped_m_per_s",
        "control.reference.place",
        "robots.arm.lag_cycels",
        "control.law",
    ]
    assert "did you mean 'control'?" in told[0]
    assert "did you mean 'lag_cycles'?" in told[5]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('\n[robots.other]\nkind = "fake_arm"\n', "control.robot: there are 2: arm, other; say which"),
        ('\n[controllers.other]\nkind = "fake_law"\n', "control.law: there are 2: law, other; say which"),
        ('\n[sensors.camera]\nkind = "gopro"\n', "sensors: unknown table of a control pipeline"),
    ],
)
def test_what_is_too_much_is_told(pipeline, parts, text, told):
    [line] = problems(pipeline, parts, text)
    assert line.startswith(told)


def test_a_robot_and_a_law_must_be_there(tmp_path, parts):
    file = tmp_path / "empty.toml"
    file.write_text("")
    assert problems(file, parts) == [
        "control.folder: is missing; it has no default.",
        "robots: there is no robot; add [robots.NAME] with its `kind`.",
        "controllers: there is no law; add [controllers.NAME] with its `kind`.",
    ]


def test_a_kind_that_nobody_brings_is_told_with_its_remedy(pipeline, parts):
    [line] = problems(pipeline, parts, overrides=['robots.arm.kind="fake_arn"'])
    assert "robots.arm.kind: " in line
    assert "fake_arm" in line


def test_a_controller_that_is_no_law_is_told_so_and_not_its_settings(pipeline, parts):
    pipeline.write_text(pipeline.read_text().replace('"fake_law"', '"cartesian_follower"\nstiffness = 1.0'))
    target, made = "handloom_controllers.cartesian_follower", {"distribution": "handloom-tests", "version": "1"}
    follower = Found(family="controllers", kind="cartesian_follower", target=target, **made)
    arm = Found(family="robots", kind="fake_arm", target=parts.__name__, **made)
    with pytest.raises(ConfigError) as caught:
        load_control(pipeline, Host([arm, follower]))
    [line] = caught.value.problems
    assert "'cartesian_follower' is a controller for loops in Python; expected a law, as 'impedance'." in line


def test_a_pipeline_over_recordings_is_told_to_be_one(tmp_path, parts):
    file = tmp_path / "record.toml"
    file.write_text('[scene]\nstore = "scene"\n[sensors.camera]\nkind = "gopro"\n')
    [line] = problems(file, parts)
    assert "this is a pipeline over recordings, which moves no robot; run it with: handloom run" in line


def test_chunks_that_end_before_the_next_are_refused(pipeline, parts):
    [line] = problems(pipeline, parts, overrides=["control.horizon=2"])
    assert "control.horizon: a chunk of 2 waypoints at 20 Hz reaches 0.1 s, but the next comes after 0.1 s" in line
    [line] = problems(pipeline, parts, overrides=["control.horizon=4", "control.loop.way.arm_latency_s=0.1"])
    assert "commanded 0.1 s ahead" in line


def test_a_watch_over_the_owner_that_python_could_not_keep_is_refused(pipeline, parts):
    [line] = problems(pipeline, parts, overrides=["control.loop.owner_s=0.01"])
    assert "control.loop.owner_s: 0.01; Python looks after the loop every 10 ms" in line


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("control.loop.way.max_speed_m_per_s=-1", "`max_speed_m_per_s` is -1; expected a positive number"),
        ("control.loop.way.braking_m_per_s2=0", "`braking_m_per_s2` is 0; expected a positive number"),
        ("control.loop.way.reach_m=-1", "`reach_m` is -1; expected a positive number"),
        ("control.loop.way.ahead_s=1e300", "`ahead_s` is 1e+300; expected 0.001 to 3600 s"),
        ("control.loop.way.ahead_s=1e-300", "`ahead_s` is 1e-300; expected 0.001 to 3600 s"),
        ("control.loop.way.arm_latency_s=-1", "`arm_latency_s` is -1; expected 0 to 3600 s"),
        ("control.loop.way.gripper_latency_s=1e300", "`gripper_latency_s` is 1e+300; expected 0 to 3600 s"),
        ("control.waypoint_rate_hz=1e-300", "control.waypoint_rate_hz: 1e-300; expected >= 0.01"),
        ("control.reference.speed=1e-300", "control.reference.speed: 1e-300; expected >= 0.001"),
        ("control.reference.max_gap_s=1e300", "control.reference.max_gap_s: 1e+300; expected <= 60"),
    ],
)
def test_what_the_loop_would_refuse_is_told_before_anything_is_opened(pipeline, parts, setting, said):
    [line] = problems(pipeline, parts, overrides=[setting])
    assert said in line


def test_a_setting_out_of_range_is_told_by_its_name(pipeline, parts):
    [line] = problems(pipeline, parts, overrides=["control.loop.rate_hz=0.5"])
    assert "control.loop: " in line
    assert "`rate_hz` is 0.5" in line


def test_a_value_in_the_place_of_a_table_is_told_once(pipeline, parts):
    told = problems(pipeline, parts, overrides=["control=3"])
    assert told.count("--set: control: 3; expected a table.") == 1
