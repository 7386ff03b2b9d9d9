"""Clock maps are exact at epoch stamps and form a groupoid: inverse, composition, uncertainty."""

from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import ClockError
from handloom.time import ClockMap

EPOCH = 1_700_000_000_000_000_000
HOUR = 3_600_000_000_000

laws = settings(max_examples=60, deadline=None)
nearby = st.integers(EPOCH - HOUR, EPOCH + HOUR)
drifts = st.floats(-200.0, 200.0)


def maps(source="a", target="b"):
    return st.builds(
        ClockMap,
        source=st.just(source),
        target=st.just(target),
        offset_ns=st.integers(-HOUR, HOUR),
        origin_ns=nearby,
        drift_ppm=drifts,
        uncertainty_ns=st.floats(0.0, 1e6),
        drift_uncertainty_ppm=st.floats(0.0, 10.0),
    )


def exact(known, stamp):
    """Apply a map with rational numbers."""
    return stamp + known.offset_ns + (stamp - known.origin_ns) * Fraction(known.drift_ppm) / 10**6


@laws
@given(known=maps(), stamps=st.lists(nearby, min_size=1, max_size=5))
def test_apply_agrees_with_rational_arithmetic_to_the_rounding(known, stamps):
    for stamp, mapped in zip(stamps, known.apply(stamps).tolist(), strict=True):
        assert abs(mapped - exact(known, stamp)) <= Fraction(501, 1000)


def test_offset_alone_is_exact_at_epoch_stamps():
    known = ClockMap(source="a", target="b", offset_ns=-1_699_999_999_999_999_999)
    assert known.apply([EPOCH + 7]).tolist() == [8]


def test_apply_keeps_the_shape():
    known = ClockMap(source="a", target="b", offset_ns=1)
    assert known.apply(np.zeros((2, 3), np.int64)).shape == (2, 3)
    assert known.apply([]).dtype == np.int64
    assert int(known.apply(5)) == 6


@laws
@given(known=maps(), stamp=nearby)
def test_inverse_returns_within_a_nanosecond(known, stamp):
    inverse = known.inverse()
    assert (inverse.source, inverse.target) == ("b", "a")
    assert abs(int(inverse.apply(known.apply(stamp))) - stamp) <= 1


@laws
@given(first=maps("a", "b"), after=maps("b", "c"), stamp=nearby)
def test_composition_is_one_map_after_the_other(first, after, stamp):
    whole = first.compose(after)
    assert (whole.source, whole.target) == ("a", "c")
    assert abs(int(whole.apply(stamp)) - exact(after, exact(first, stamp))) <= 3


@laws
@given(first=maps("a", "b"), after=maps("b", "c"), stamp=nearby)
def test_composed_variance_is_the_sum_of_the_variances(first, after, stamp):
    middle = first.apply(stamp)
    expected = np.hypot(first.uncertainty_at(stamp) * after.rate, after.uncertainty_at(middle))
    assert first.compose(after).uncertainty_at(stamp) == pytest.approx(expected, rel=1e-6, abs=1e-3)


@laws
@given(known=maps(), stamp=nearby)
def test_inverse_is_as_uncertain_as_the_map(known, stamp):
    back = known.inverse().uncertainty_at(known.apply(stamp))
    assert back == pytest.approx(known.uncertainty_at(stamp) / known.rate, rel=1e-6, abs=1e-3)


def test_composition_with_the_inverse_maps_a_stamp_to_itself():
    known = ClockMap(source="a", target="b", offset_ns=12_345, origin_ns=EPOCH, drift_ppm=37.5)
    whole = known.compose(known.inverse())
    assert abs(int(whole.apply(EPOCH + HOUR)) - (EPOCH + HOUR)) <= 1


def test_composition_of_maps_that_do_not_meet_names_both_clocks():
    first = ClockMap(source="a", target="b", offset_ns=0)
    with pytest.raises(ClockError, match=r"'b'.*'c'"):
        first.compose(ClockMap(source="c", target="d", offset_ns=0))


def test_uncertainty_grows_away_from_the_origin():
    known = ClockMap(
        source="a", target="b", offset_ns=0, origin_ns=EPOCH, uncertainty_ns=30.0, drift_uncertainty_ppm=1.0
    )
    spread = known.uncertainty_at([EPOCH, EPOCH + 40_000_000, EPOCH + HOUR])
    assert spread == pytest.approx([30.0, 50.0, 3.6e6], rel=1e-6)


@pytest.mark.parametrize("stamps", [[0.5], np.array([1.0]), [True], ["1"]])
def test_stamps_that_are_not_integers_are_refused(stamps):
    with pytest.raises(ClockError, match="int64"):
        ClockMap(source="a", target="b", offset_ns=0).apply(stamps)


def test_a_stamp_that_would_wrap_around_is_refused():
    with pytest.raises(ClockError, match="does not fit"):
        ClockMap(source="a", target="b", offset_ns=2**62).apply([2**62 + 2**61])
    with pytest.raises(ClockError, match="does not fit"):
        ClockMap(source="a", target="b", offset_ns=0, origin_ns=-(2**62), drift_ppm=1.0).apply([2**62])


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": ""},
        {"offset_ns": 0.5},
        {"origin_ns": True},
        {"drift_ppm": float("nan")},
        {"drift_ppm": -1e6},
        {"uncertainty_ns": -1.0},
        {"drift_uncertainty_ppm": float("inf")},
    ],
)
def test_impossible_maps_are_refused(wrong):
    with pytest.raises(ClockError):
        ClockMap(**{"source": "a", "target": "b", "offset_ns": 0, **wrong})


@laws
@given(known=maps())
def test_json_form_gives_the_same_map_back(known):
    assert ClockMap.from_json(known.to_json()) == known


def test_json_that_is_no_clock_map_is_refused():
    with pytest.raises(ClockError, match="not a clock map"):
        ClockMap.from_json({"source": "a"})
    with pytest.raises(ClockError, match="not a clock map"):
        ClockMap.from_json({"source": "a", "target": "b", "offset_ns": 0, "drift_ppm": "fast"})


def pairs(truth, *, noise_ns, count=400, seed=0):
    rng = np.random.default_rng(seed)
    source = EPOCH + np.sort(rng.integers(0, 60_000_000_000, count))
    return source, truth.apply(source) + np.rint(rng.normal(0.0, noise_ns, count)).astype(np.int64)


def test_fit_recovers_an_exact_map_at_epoch_stamps():
    truth = ClockMap(source="a", target="b", offset_ns=-EPOCH + 5, origin_ns=EPOCH, drift_ppm=21.0)
    source, target = pairs(truth, noise_ns=0.0)
    fitted = ClockMap.from_pairs(source, target, source="a", target="b")
    assert np.abs(fitted.apply(source) - target).max() <= 1
    assert fitted.drift_ppm == pytest.approx(21.0, abs=1e-4)
    assert fitted.uncertainty_ns < 0.1


def test_fit_claims_an_uncertainty_that_covers_its_errors():
    truth = ClockMap(source="a", target="b", offset_ns=77, origin_ns=EPOCH, drift_ppm=-8.0)
    scores = []
    for seed in range(60):
        fitted = ClockMap.from_pairs(*pairs(truth, noise_ns=1e5, seed=seed), source="a", target="b")
        late = EPOCH + 90_000_000_000
        scores.append(int(fitted.apply(late) - truth.apply(late)) / float(fitted.uncertainty_at(late)))
    assert 0.75 < np.std(scores) < 1.3
    assert abs(np.mean(scores)) < 0.5


def test_fit_without_drift_is_the_mean_offset():
    fitted = ClockMap.from_pairs([EPOCH, EPOCH], [EPOCH + 10, EPOCH + 14], source="a", target="b", fit_drift=False)
    assert (fitted.offset_ns, fitted.drift_ppm) == (12, 0.0)
    assert fitted.uncertainty_ns == pytest.approx(2.0)


def test_a_fit_that_nothing_could_contradict_is_refused():
    with pytest.raises(ClockError, match="2 pairs"):
        ClockMap.from_pairs([0, 10], [1, 11], source="a", target="b")
    with pytest.raises(ClockError, match="one stamp of clock 'a'"):
        ClockMap.from_pairs([5, 5, 5], [1, 2, 3], source="a", target="b")
    with pytest.raises(ClockError, match="one length"):
        ClockMap.from_pairs([5, 6, 7], [1, 2], source="a", target="b")


def test_maps_are_values():
    known = ClockMap(source="a", target="b", offset_ns=1)
    assert attrs.evolve(known, offset_ns=1) == known
    assert hash(known)
