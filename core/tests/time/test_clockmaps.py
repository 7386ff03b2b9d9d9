"""A collection of clock maps finds the way between joined clocks and names what is joined otherwise."""

import pytest

from handloom.errors import ClockError
from handloom.time import ClockMap, ClockMaps, Stamp


def known(source, target, offset_ns, **more):
    return ClockMap(source=source, target=target, offset_ns=offset_ns, **more)


CHAIN = ClockMaps(
    (known("camera", "mocap", 100), known("finger", "mocap", 30), known("finger", "piezo", 5), known("x", "y", 1))
)


def test_a_known_map_is_returned_as_it_is():
    assert CHAIN.between("camera", "mocap") == CHAIN.maps[0]


def test_ways_lead_through_maps_and_their_inverses():
    assert CHAIN.apply([1000], source="camera", target="piezo").tolist() == [1000 + 100 - 30 + 5]
    assert CHAIN.convert(Stamp(1075, "piezo"), "camera") == Stamp(1000, "camera")


def test_a_clock_maps_to_itself_unchanged():
    whole = CHAIN.between("camera", "camera")
    assert (whole.offset_ns, whole.drift_ppm, whole.uncertainty_ns) == (0, 0.0, 0.0)


def test_the_shortest_way_is_taken_whatever_the_order_of_the_maps():
    direct = known("a", "c", 7)
    ring = (known("a", "b", 1), known("b", "c", 1), direct)
    assert ClockMaps(ring).between("a", "c") == direct
    assert ClockMaps(reversed(ring)).between("a", "c") == direct


def test_equally_short_ways_are_chosen_by_name():
    square = (known("a", "c", 10), known("c", "d", 10), known("a", "b", 1), known("b", "d", 1))
    assert ClockMaps(square).between("a", "d").offset_ns == 2
    assert ClockMaps(reversed(square)).between("a", "d").offset_ns == 2


def test_uncertainties_add_along_the_way():
    maps = ClockMaps((known("a", "b", 0, uncertainty_ns=3.0), known("c", "b", 0, uncertainty_ns=4.0)))
    assert maps.between("a", "c").uncertainty_ns == pytest.approx(5.0)


def test_clocks_that_are_not_joined_are_named_with_those_that_are():
    with pytest.raises(ClockError, match=r"'camera' and 'x'.*joined with finger, mocap, piezo.*joined with y"):
        CHAIN.between("camera", "x")
    with pytest.raises(ClockError, match="'nothing' is joined with no clock"):
        CHAIN.between("nothing", "x")


def test_two_maps_for_one_pair_are_refused():
    with pytest.raises(ClockError, match=r"'mocap' and 'camera'"):
        CHAIN.with_map(known("mocap", "camera", 1))
    with pytest.raises(ClockError, match="itself"):
        ClockMaps((known("a", "a", 1),))


def test_the_collection_lists_maps_and_clocks():
    assert len(CHAIN) == 4
    assert next(iter(CHAIN)).source == "camera"
    assert CHAIN.clocks == ("camera", "finger", "mocap", "piezo", "x", "y")
    assert CHAIN.joined_with("piezo") == ("camera", "finger", "mocap")
