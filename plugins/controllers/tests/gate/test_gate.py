"""What the gate lets through keeps every limit, whatever comes in and whenever it comes."""

from __future__ import annotations

import math

import attrs
import numpy as np
import pytest

from benchmarks.gate_judge import allowed, judge
from benchmarks.gate_targets import hostile
from handloom.errors import HandloomError
from handloom_controllers.arms import fr3
from handloom_controllers.gate import Gate, GateAnswer, GateSettings

ARM = fr3()
PERIOD = 10_000_000
FAR = ARM.home + np.array([1.6, 0, 0, 0, 0, 0, 0])
NEAR = ARM.home + np.array([0.3, 0.1, -0.2, 0.1, 0.3, -0.2, 0.5])


def started(**changes: object) -> Gate:
    gate = Gate(GateSettings(**changes), ARM)  # type: ignore[arg-type]
    gate.reset(ARM.home)
    return gate


def run(gate: Gate, target: np.ndarray | None, ticks: int, *, begin: int = 0) -> list[GateAnswer]:
    return [gate.step(target, (begin + tick) * PERIOD) for tick in range(1, ticks + 1)]


def kinds(answers: list[GateAnswer]) -> list[str]:
    return [fault.kind for answer in answers for fault in answer.faults]


def broken(answers: list[GateAnswer], start: np.ndarray = ARM.home) -> int:
    return judge(allowed(ARM), start, np.array([answer.q for answer in answers])).total


def test_it_rests_until_a_target_comes() -> None:
    answers = run(started(), None, 50)
    assert all(np.array_equal(answer.q, ARM.home) for answer in answers)
    assert kinds(answers) == []


def test_a_target_is_reached_and_held() -> None:
    answers = run(started(), NEAR, 200)
    assert np.abs(answers[-1].q - NEAR).max() < 1e-9
    assert np.array_equal(answers[-1].dq, np.zeros(7))
    assert broken(answers) == 0
    assert kinds(answers) == []


def test_hostile_targets_break_no_limit() -> None:
    """The same as the bar of the benchmark, in small and with every shape of the arm."""
    gate = started()
    answers = [gate.step(target, now) for target, now in hostile(ARM, np.random.default_rng(7), 250)]
    assert broken(answers) == 0
    assert "not_finite" in kinds(answers)


def test_the_judge_sees_what_is_wrong() -> None:
    step = [
        attrs.evolve(answer, q=answer.q + 0.001 * (row == 3)) for row, answer in enumerate(run(started(), None, 9))
    ]
    assert broken(step) > 0


def test_a_target_that_is_no_position_is_refused_by_name() -> None:
    gate = started()
    run(gate, NEAR, 10)
    for bad in (np.full(7, np.nan), np.where(np.arange(7) == 3, np.inf, NEAR), NEAR[:3]):
        answer = gate.step(bad, 11 * PERIOD)
        assert [fault.kind for fault in answer.faults] == ["not_finite"]
        assert np.isfinite(answer.q).all()


def test_a_refused_target_changes_nothing() -> None:
    calm, disturbed = started(), started()
    for tick in range(1, 60):
        bad = tick % 2 == 0
        expected = calm.step(None if bad else NEAR, tick * PERIOD)
        found = disturbed.step(np.full(7, np.nan) if bad else NEAR, tick * PERIOD)
        assert np.array_equal(expected.q, found.q)


def test_a_target_just_outside_the_range_is_clipped() -> None:
    target = ARM.home.copy()
    target[4] = ARM.limits.upper[4] + 0.05
    answers = run(started(), target, 1600)
    assert set(kinds(answers)) == {"clip_reached"}
    assert ARM.limits.upper[4] - 0.1 < answers[-1].q[4] < ARM.limits.upper[4]
    assert "joint5" in answers[0].faults[0].message


def test_a_target_far_outside_the_range_is_refused() -> None:
    target = ARM.home.copy()
    target[4] = ARM.limits.upper[4] + 0.5
    answers = run(started(), target, 10)
    assert set(kinds(answers)) == {"out_of_range"}
    assert np.array_equal(answers[-1].q, ARM.home)


def test_silence_brakes_within_the_limits_and_says_so_once() -> None:
    gate = started(silence_s=0.1)
    target = ARM.home + np.array([1.5, 0, 0, 0, 0, 0, 0])
    moving = run(gate, target, 40)
    silent = run(gate, None, 100, begin=40)
    assert kinds(silent) == ["stale_stream"]
    assert np.array_equal(silent[-1].dq, np.zeros(7))
    assert abs(silent[-1].q[0] - target[0]) > 0.3, "it went on to the target"
    assert broken(moving + silent) == 0


def test_a_short_silence_is_bridged() -> None:
    gate = started(silence_s=0.1)
    run(gate, NEAR, 20)
    answers = run(gate, None, 8, begin=20) + run(gate, NEAR, 200, begin=28)
    assert kinds(answers) == []
    assert np.abs(answers[-1].q - NEAR).max() < 1e-9


def test_targets_that_come_back_are_approached_with_a_ramp() -> None:
    gate = started(silence_s=0.1)
    before = run(gate, NEAR, 20) + run(gate, None, 100, begin=20)
    back = ARM.home + np.array([1.5, 0, 0, 0, 0, 0, 0])
    after = run(gate, back, 300, begin=120)
    assert broken(before + after) == 0
    full = allowed(ARM).speed
    for tick, answer in enumerate(after[:50]):
        assert (np.abs(answer.dq) <= full * (0.1 + 0.9 * tick / 50) + 1e-9).all()
    assert max(abs(answer.dq[0]) for answer in after) > 0.5 * full[0]


def test_a_target_given_once_is_still_reached_at_full_speed() -> None:
    gate = started(silence_s=100.0)
    answers = [gate.step(NEAR, PERIOD), *run(gate, None, 300, begin=1)]
    assert np.abs(answers[-1].q - NEAR).max() < 1e-9


def test_ticks_that_jitter_are_even_at_the_arm() -> None:
    jittering, even = started(), started()
    rng = np.random.default_rng(0)
    for tick in range(1, 100):
        early = int(rng.integers(-PERIOD // 3, PERIOD // 3)) if tick > 1 else 0
        assert np.array_equal(jittering.step(NEAR, tick * PERIOD + early).q, even.step(NEAR, tick * PERIOD).q)


def test_missed_slots_are_not_made_good_in_a_leap() -> None:
    gate = started()
    before = run(gate, NEAR, 20)
    late = [gate.step(NEAR, (23 + tick) * PERIOD) for tick in range(100)]
    assert broken(before + late) == 0
    assert kinds(late) == []


def warped(jump: int) -> tuple[list[GateAnswer], list[GateAnswer]]:
    """Return the answers before and after the clock was set by `jump` ns, the arm moving at more than 2 rad/s."""
    gate = started()
    before = run(gate, FAR, 45)
    assert np.abs(before[-1].dq).max() > 2.0
    after = [gate.step(FAR, (45 + tick) * PERIOD + jump) for tick in range(1, 300)]
    return before, after


@pytest.mark.parametrize("jump", [10**9, 10**15, -PERIOD, -10 * PERIOD, -(10**15), -44 * PERIOD])
def test_a_clock_that_is_set_stops_no_arm_dead(jump: int) -> None:
    """Moving at 2.3 rad/s it stood still in the next tick: 233 rad/s^2 where 10 are allowed."""
    before, after = warped(jump)
    assert broken(before + after) == 0
    assert np.abs(after[-1].q - FAR).max() < 1e-9


@pytest.mark.parametrize(("jump", "kind"), [(10**9, "missed_slots"), (-(10**9), "clock_jump")])
def test_after_a_clock_was_set_it_brakes_and_begins_anew_with_a_ramp(jump: int, kind: str) -> None:
    _, after = warped(jump)
    assert kinds(after) == [kind]
    speeds = np.array([np.abs(answer.dq).max() for answer in after])
    rest = int(np.argmax(speeds == 0))
    assert 5 < rest < 100
    full = allowed(ARM).speed[0]
    assert (speeds[rest : rest + 50] <= full * (0.1 + 0.9 * np.arange(50) / 50) + 1e-9).all()
    assert speeds[rest + 50 :].max() > 0.2 * full


def test_the_same_instant_again_and_again_is_one_period_each() -> None:
    gate = started()
    answers = run(gate, FAR, 45) + [gate.step(FAR, 45 * PERIOD) for _ in range(5)] + run(gate, FAR, 99, begin=45)
    assert broken(answers) == 0
    assert kinds(answers) == []


def test_a_caller_that_calls_too_often_is_braked_and_told() -> None:
    gate = started()
    answers = [gate.step(FAR, tick * PERIOD // 2) for tick in range(1, 400)]
    assert broken(answers) == 0
    assert set(kinds(answers)) == {"clock_jump"}
    assert "period_s" in next(fault.message for answer in answers for fault in answer.faults)
    per_second = np.abs(answers[-1].q[0] - ARM.home[0]) / (400 * PERIOD // 2 * 1e-9)
    assert per_second < 0.5 * allowed(ARM).speed[0]


def test_the_arms_own_limits_hold_where_they_are_lower() -> None:
    limits = attrs.evolve(
        ARM.limits, velocity=np.full(7, 0.2), acceleration=np.full(7, 1.0), jerk=np.full(7, 20.0)
    )
    slow = attrs.evolve(ARM, limits=limits)
    gate = Gate(GateSettings(), slow)
    gate.reset(slow.home)
    answers = run(gate, NEAR, 300)
    assert max(np.abs(answer.dq).max() for answer in answers) == pytest.approx(0.2)
    assert max(np.abs(answer.ddq).max() for answer in answers) <= 1.0 + 1e-9


def test_the_settings_hold_where_the_arm_allows_more() -> None:
    gate = started(max_speed_deg_per_s=10.0, max_acceleration_deg_per_s2=50.0, max_jerk_deg_per_s3=500.0)
    answers = run(gate, NEAR, 400)
    assert max(np.abs(answer.dq).max() for answer in answers) == pytest.approx(math.radians(10))


def test_an_arm_that_was_never_measured_is_not_commanded() -> None:
    with pytest.raises(HandloomError, match="call reset"):
        Gate(GateSettings(), ARM).step(NEAR, 0)


def test_it_does_not_begin_at_a_lost_position() -> None:
    with pytest.raises(HandloomError, match="7 joints"):
        Gate(GateSettings(), ARM).reset(np.full(7, np.nan))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"period_s": 0.0}, "period_s is 0"),
        ({"max_jerk_deg_per_s3": float("inf")}, "max_jerk_deg_per_s3 is inf"),
        ({"range_margin_rad": -0.1}, "range_margin_rad is -0.1"),
        ({"max_width_m": 0.0}, "range is empty"),
        ({"ramp_from": 2.0}, "ramp_from is 2.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict, found: str) -> None:
    with pytest.raises(HandloomError, match=found):
        GateSettings(**changes)


def test_a_margin_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(HandloomError, match="leaves joint1 of fr3 no room"):
        Gate(GateSettings(range_margin_rad=3.0), ARM)


def test_without_ruckig_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ruckig", None)
    with pytest.raises(HandloomError, match=r"handloom-controllers\[gate\]"):
        started()


def test_the_jaw_is_held_to_its_range_and_speed() -> None:
    gate = Gate(GateSettings(max_width_speed_m_per_s=0.1), ARM)
    gate.reset(ARM.home, width_m=0.04)
    answer = gate.width(0.5, PERIOD)
    assert answer.width_m == pytest.approx(0.041)
    assert [fault.kind for fault in answer.faults] == ["clip_reached"]
    widths = [gate.width(0.5, tick * PERIOD).width_m for tick in range(2, 100)]
    assert widths[-1] == 0.08
    assert np.diff(widths).max() <= 0.001 + 1e-12


def test_a_jaw_target_that_is_no_number_leaves_the_jaw_where_it_is() -> None:
    gate = Gate(GateSettings(), ARM)
    gate.reset(ARM.home, width_m=0.04)
    for bad in (float("nan"), float("inf")):
        answer = gate.width(bad, PERIOD)
        assert answer.width_m == 0.04
        assert [fault.kind for fault in answer.faults] == ["not_finite"]


@pytest.mark.parametrize("jump", [3 * PERIOD, 1000 * PERIOD, -PERIOD, 0])
def test_a_clock_that_is_set_does_not_hurry_the_jaw(jump: int) -> None:
    gate = Gate(GateSettings(), ARM)
    gate.reset(ARM.home, width_m=0.0)
    first = gate.width(0.08, 0).width_m
    assert gate.width(0.08, jump).width_m - first == pytest.approx(0.2 * 0.01)
