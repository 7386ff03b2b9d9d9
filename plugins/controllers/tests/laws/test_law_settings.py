"""Presets are what they say, and settings that don't fit the arm are refused with a sentence."""

import ctypes
import math
import threading

import attrs
import numpy as np
import pytest

from handloom.api import CartesianCommand
from handloom.errors import ConfigError, HandloomError
from handloom.testing.serial_arm import LIMITS, THRESHOLDS, SerialArm
from handloom_controllers import cartesian_following, hand_guiding, impedance
from handloom_controllers.cartesian_following import CartesianFollowing
from handloom_controllers.hand_guiding import HandGuiding, HandGuidingConfig
from handloom_controllers.impedance import Impedance, ImpedanceConfig, gains_of
from handloom_controllers.laws import CompiledImpedance, ForeignLaw, NumpyImpedance
from handloom_controllers.native import new, structs
from tests.law_lab import Bench, impedance_structs

pytest_plugins = ("handloom.testing.fixtures",)


def start(law, **thresholds):
    changed = attrs.evolve(THRESHOLDS, **thresholds)
    law.start(limits=LIMITS, thresholds=changed, state=SerialArm(stamp=0).state())
    return law


@pytest.mark.parametrize(
    ("kind", "module", "component"),
    [
        ("impedance", impedance, Impedance),
        ("hand_guiding", hand_guiding, HandGuiding),
        ("cartesian_following", cartesian_following, CartesianFollowing),
    ],
)
def test_their_entry_points_answer_them(only_these_plugins, kind, module, component):
    host = only_these_plugins(controllers={kind: module.__name__})
    assert host.load("controllers", kind).component is component


def test_the_preset_polyumi_has_the_gains_of_polyumi():
    gains = gains_of(ImpedanceConfig(), 7)
    assert gains["stiffness"].tolist() == [2000, 150]
    assert gains["damping"].tolist() == [89, 7]
    assert gains["clip"].tolist() == [0.01, 0.05]
    assert gains["integral"].tolist() == [0, 0]
    assert gains["nullspace_stiffness"][:7].tolist() == [100, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]
    assert np.isnan(gains["nullspace_damping"][:7]).all()
    config, _ = impedance_structs()
    assert config["lambda"] == 0.2
    assert config["tau_step"][:7].tolist() == [1.0] * 7


def test_what_is_set_wins_over_the_preset():
    gains = gains_of(ImpedanceConfig(preset="umi", stiffness_n_per_m=100.0), 7)
    assert gains["stiffness"].tolist() == [100, 30]
    assert gains["damping"].tolist() == [37, 2]


@pytest.mark.parametrize(
    ("settings", "thresholds", "sentence"),
    [
        ({"wrench_bound_n": 50.0}, {"force_n": 40.0}, "press with a force of 50 N, but the robot takes 40 N"),
        ({}, {"torque_nm": 7.0}, "a torque of 7.5 Nm at the flange"),
        ({"T_flange_tcp": (0, 0, 0.5, 0, 0, 0, 1)}, {"torque_nm": 10.0}, "a torque of 17.5 Nm at the flange"),
        ({}, {"joint_torque_nm": np.full(7, 12.0)}, "at joint 2 from the base, but the robot takes 12 Nm"),
    ],
)
def test_a_bound_that_the_robot_takes_for_a_collision_is_refused(settings, thresholds, sentence):
    with pytest.raises(HandloomError, match=sentence):
        start(Impedance(ImpedanceConfig(**settings)), **thresholds)


def test_a_new_bound_is_held_against_the_thresholds_too():
    law = start(Impedance(), force_n=40.0)
    law.set_gains(wrench_bound_n=30.0)
    with pytest.raises(HandloomError, match="Raise the robot's collision thresholds"):
        law.set_gains(wrench_bound_n=41.0)


def test_gains_of_another_arm_are_refused():
    with pytest.raises(HandloomError, match="has 8 values; the arm has 7 joints"):
        start(Impedance(ImpedanceConfig(nullspace_stiffness_nm_per_rad=(1.0,) * 8)))
    with pytest.raises(HandloomError, match="posture_rad has 6 values; the arm has 7 joints"):
        start(CartesianFollowing(CartesianFollowing.Config(posture_rad=(0.0,) * 6)))


@pytest.mark.parametrize("law", [Impedance, CartesianFollowing, HandGuiding])
@pytest.mark.parametrize("at", [100.0, math.nan, -1e300])
def test_a_posture_that_no_arm_can_take_is_refused(law, at):
    with pytest.raises(HandloomError, match=r"posture_rad draws \w+ to .* rad, out of its range"):
        start(law(law.Config(posture_rad=(0.0, 0.0, at, 0.0, 0.0, 0.0, 0.0))))


@pytest.mark.parametrize(
    "wrong",
    [
        {"stiffness_n_per_m": -1.0},
        {"damping_ns_per_m": float("nan")},
        {"wrench_bound_n": 0.0},
        {"T_flange_tcp": (0.0,) * 7},
        {"nullspace_stiffness_nm_per_rad": (-1.0,)},
        {"payload_com_m": (0.0, 0.0)},
        {"braking_share": 1.0},
    ],
)
def test_settings_out_of_range_are_sentences(wrong):
    with pytest.raises(ConfigError, match=rf"^{next(iter(wrong))} is .*; expected .*\.$"):
        ImpedanceConfig(**wrong)


def test_what_is_no_gain_cannot_change_while_it_runs():
    law = start(Impedance())
    with pytest.raises(HandloomError, match="payload_kg can't change while the law runs; gains are clip_m, "):
        law.set_gains(payload_kg=1.0)
    with pytest.raises(ConfigError, match="stiffness_n_per_m is -5"):
        law.set_gains(stiffness_n_per_m=-5)
    guiding = start(HandGuiding(HandGuidingConfig()))
    guiding.set_gains(damping_ns_per_m=20.0)
    with pytest.raises(HandloomError, match="leash_m can't change"):
        guiding.set_gains(leash_m=0.1)


def test_a_law_stays_alive_while_the_loop_holds_it(native_once):
    law = start(Impedance())
    native = law.native()
    law.stop()
    bench = Bench(law=ForeignLaw(native.address, native.owner))
    assert np.allclose(bench.step()["tau"], 0)


def test_a_table_of_another_abi_is_refused():
    table = new("hl_law_v1")
    table["abi"], table["struct_size"] = structs.ABI + 1, structs.STRUCTS["hl_law_v1"].itemsize
    with pytest.raises(HandloomError, match=f"expected ABI {structs.ABI}"):
        ForeignLaw(table.ctypes.data, table)


def test_the_compiled_law_refuses_settings_that_are_none(native_once):
    wrong = {"joints": 13, "lambda": 0.0, "tau_max": -1.0, "q_lower": np.nan, "period_s": np.inf}
    for name, value in wrong.items():
        config, gains = impedance_structs()
        config[name] = value
        with pytest.raises(HandloomError, match="hl_impedance refuses its settings"):
            CompiledImpedance(native_once, config, gains)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stiffness", np.nan),
        ("damping", -1.0),
        ("wrench_bound", 0.0),
        ("nullspace_damping", np.inf),
        ("clip", np.inf),
    ],
)
def test_wrong_gains_are_refused_compiled_or_not(native_once, name, value):
    for law in (CompiledImpedance(native_once, *impedance_structs()), NumpyImpedance(*impedance_structs())):
        _, gains = impedance_structs()
        gains[name] = value
        with pytest.raises(HandloomError, match="Gains must be finite"):
            law.set_gains(gains)


def test_python_steps_say_when_a_command_is_missing():
    law, arm = start(Impedance()), SerialArm(stamp=0)
    lost = CartesianCommand(stamp=0, pose=np.full(7, np.nan), twist=np.zeros(6))
    with pytest.raises(HandloomError, match="has no command at 0 ns"):
        law.step(arm.state(), lost)


def test_gains_from_another_thread_come_whole(native_once):
    """A torn handover would mix the force of one set with the torque of the other."""
    sets = [impedance_structs(stiffness_n_per_m=k, stiffness_nm_per_rad=k / 10, blend_s=0.0) for k in (100, 900)]
    law = CompiledImpedance(native_once, *sets[0])
    count = 50_000
    bench = Bench(law=NumpyImpedance(*sets[0]))
    bench.reference["T_base_tcp"][:3] += 0.001
    bench.reference["T_base_tcp"][3:] = [0.02, 0.0, 0.0, 1.0]
    states, references = np.array([bench.state] * count), np.array([bench.reference] * count)
    references["flags"][1:] = 0
    commands, statuses = new("hl_command", count), np.zeros(count, dtype=np.int32)
    unlocked = ctypes.CDLL(str(native_once.path))  # gives Python's lock up, as the loop's thread does
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (commands, statuses)]
    arguments = [ctypes.c_void_p(array.ctypes.data) for array in (states, references)]
    stepping = threading.Thread(
        target=lambda: unlocked.hl_law_step_many(
            ctypes.c_void_p(law.address), count, *arguments, ctypes.c_void_p(None), *pointers
        )
    )
    stepping.start()
    changes = 0
    while stepping.is_alive():
        law.set_gains(sets[changes % 2][1])
        changes += 1
    stepping.join()
    forces = np.linalg.norm(commands["wrench"][:, :3], axis=1)
    turns = np.linalg.norm(commands["wrench"][:, 3:], axis=1)
    assert changes > 2
    assert len(np.unique(np.round(forces, 9))) == 2, "both sets were met"
    assert np.ptp(turns / forces) < 1e-9


def test_a_compiled_library_that_is_broken_is_no_reason_to_do_without(monkeypatch, tmp_path):
    from handloom_controllers.laws import struct_law
    from handloom_controllers.native import NativeLibraryError, location

    (tmp_path / "libhandloom_rt.so").write_bytes(b"no library")
    monkeypatch.setenv(location.OVERRIDE, str(tmp_path / "libhandloom_rt.so"))
    with pytest.raises(NativeLibraryError, match="can't be loaded"):
        struct_law._loaded()
