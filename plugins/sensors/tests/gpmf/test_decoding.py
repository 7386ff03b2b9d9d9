import numpy as np
import pytest

from handloom.errors import RecordingError
from handloom_sensors.gpmf.decoding import as_table, columns, expand_type, numbers, whole_number
from handloom_sensors.gpmf.klv import Item


@pytest.mark.parametrize(
    ("letter", "data", "value"),
    [
        ("b", b"\xff", -1),
        ("B", b"\xff", 255),
        ("s", b"\xff\xfe", -2),
        ("S", b"\xff\xfe", 65534),
        ("l", b"\xff\xff\xff\xfd", -3),
        ("L", b"\xff\xff\xff\xfd", 2**32 - 3),
        ("j", b"\xff" * 8, -1),
        ("J", b"\xff" * 8, 2**64 - 1),
        ("f", b"\x3f\xc0\0\0", 1.5),
        ("d", b"\x3f\xf8" + bytes(6), 1.5),
        ("q", b"\xff\xff\x80\0", -0.5),
        ("Q", b"\0\0\0\1\x80\0\0\0", 1.5),
    ],
)
def test_every_number_type_reads_its_own_bytes(letter, data, value):
    (column,) = columns(Item(key="ABCD", type=letter, size=len(data), repeat=1, data=data))
    assert column[0] == value
    assert column.dtype.isnative


def test_letters_of_every_text_type_are_kept():
    data = b"SNOW" + b"220920132938.299" + bytes(range(16)) + b"x"
    item = Item(key="ABCD", type="?", size=len(data), repeat=1, data=data)
    word, date, number, letter = columns(item, "FUGc")
    assert (bytes(word[0]), bytes(date[0]), bytes(number[0]), bytes(letter[0])) == (
        b"SNOW",
        b"220920132938.299",
        bytes(range(16)),
        b"x",
    )


def test_repeats_in_a_type_are_written_out():
    assert expand_type("f[3]LB") == "fffLB"


@pytest.mark.parametrize("letters", ["f[3", "?", "f[]", "3f", "f[999]", "x"])
def test_a_type_that_is_none_is_refused(letters):
    with pytest.raises(RecordingError, match="GPMF TYPE"):
        expand_type(letters)


def test_structures_without_a_type_are_refused():
    with pytest.raises(RecordingError, match="no TYPE item describes them"):
        columns(Item(key="SCEN", type="?", size=8, repeat=1, data=bytes(8)))


def test_a_structure_must_have_the_size_of_its_type():
    with pytest.raises(RecordingError, match="samples of 8 bytes but TYPE 'Fs' needs 6"):
        columns(Item(key="SCEN", type="?", size=8, repeat=1, data=bytes(8)), "Fs")


def test_64_bits_are_exact_in_a_whole_number():
    assert whole_number(Item(key="STMP", type="J", size=8, repeat=1, data=b"\xff" * 8)) == 2**64 - 1


@pytest.mark.parametrize("item", [None, Item(key="STMP", type="J", size=8, repeat=0)])
def test_where_there_is_no_number_there_is_none(item):
    assert whole_number(item) is None


def test_a_damaged_float_stays_nan_without_a_warning():
    signalling = Item(key="ABCD", type="f", size=4, repeat=1, data=b"\x7f\xa0\0\0")
    assert np.isnan(numbers(signalling)).all()
    assert np.isnan(as_table([*columns(signalling), np.array([1.0])])).any()
