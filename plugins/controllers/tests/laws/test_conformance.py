"""One law, three ways to call it: through cppyy, through ctypes, and in numpy, equal to 1e-9."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.law_inputs import hostile, plausible
from handloom.testing import native_law
from handloom_controllers.native import new, structs
from tests.law_lab import Bench, impedance_structs, pairs

KINDS = ("impedance", "hand_guiding", "cartesian_following")
BAD = np.array([np.nan, np.inf, -np.inf])

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
seeds = st.integers(0, 2**32 - 1)


def assert_equal(first, second):
    for name in structs.STRUCTS["hl_command"].names:
        assert np.allclose(first[name], second[name], rtol=1e-9, atol=1e-9, equal_nan=True), name


@pytest.mark.parametrize("kind", KINDS)
@few
@given(seed=seeds, warped=st.booleans())
def test_the_compiled_laws_are_the_numpy_laws(native, kind, seed, warped):
    random = np.random.default_rng(seed)
    states, references = hostile(random, 30, bad=BAD) if warped else plausible(random, 30)
    compiled, plain = pairs(native)[kind]
    first, second = new("hl_command"), new("hl_command")
    for state, reference in zip(states, references, strict=True):
        pair = state.reshape(()), reference.reshape(())
        pair = tuple(np.array(one) for one in pair)
        assert compiled.step(*pair, first) == plain.step(*pair, second)
        assert_equal(first, second)


@few
@given(seed=seeds)
def test_gains_blend_alike(native, seed):
    random = np.random.default_rng(seed)
    compiled, plain = pairs(native)["impedance"]
    states, references = plausible(random, 40)
    first, second = new("hl_command"), new("hl_command")
    for cycle in range(40):
        if cycle in (5, 11, 30):
            bound = np.inf if cycle == 11 else random.uniform(1, 50)
            _, gains = impedance_structs(stiffness_n_per_m=random.uniform(0, 3000), clip_m=random.uniform(0, 1))
            gains["wrench_bound"] = bound
            compiled.set_gains(gains)
            plain.set_gains(gains)
        states["period_ns"][cycle] = random.integers(0, 20_000_000)
        pair = np.array(states[cycle]), np.array(references[cycle])
        assert compiled.step(*pair, first) == plain.step(*pair, second)
        assert_equal(first, second)


def test_many_steps_are_single_steps(native):
    states, references = plausible(np.random.default_rng(1), 50)
    one, other = (pairs(native)["impedance"][0] for _ in range(2))
    lost = np.zeros(50, dtype=np.uint8)
    commands, statuses, command = new("hl_command", 50), np.zeros(50, dtype=np.int32), new("hl_command")
    assert one.bound_many(states, references, lost, commands, statuses)() == 0
    for cycle in range(50):
        assert other.step(np.array(states[cycle]), np.array(references[cycle]), command) == structs.OK
        assert np.array_equal(commands["tau"][cycle], command["tau"])
    assert np.array_equal(states["tau_applied"][1:], commands["tau"][:-1])


def test_the_contract_of_laws_has_the_structs_of_the_header():
    for name in ("hl_state", "hl_reference", "hl_command", "hl_law_v1"):
        assert getattr(native_law, name.upper()) == structs.STRUCTS[name]
    assert (native_law.ABI, native_law.MAX_JOINTS) == (structs.ABI, structs.MAX_JOINTS)


def test_a_wrong_law_would_be_noticed(native):
    compiled, _ = pairs(native)["impedance"]
    bench = Bench(law=compiled)
    bench.reference["T_base_tcp"][0] += 0.005
    before = bench.step()
    bench.reference["T_base_tcp"][0] += 1e-6
    with pytest.raises(AssertionError):
        assert_equal(before, bench.step())
