"""The contract's hash is the same for the same meaning and another for any other."""

import json

import pytest

from handloom.errors import WireError
from handloom.net import contract_hash

CONTRACT = {"frame": "world", "rate_hz": 30.0, "observation": {"pose": {"shape": [2, 7], "unit": "m"}}}


def test_spelling_does_not_matter():
    turned = {"observation": {"pose": {"unit": "m", "shape": (2, 7)}}, "rate_hz": 30, "frame": "world"}
    assert contract_hash(turned) == contract_hash(CONTRACT)
    assert contract_hash(json.loads(json.dumps(CONTRACT))) == contract_hash(CONTRACT)


def test_the_hash_is_pinned_so_that_versions_agree():
    assert contract_hash({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize(
    "change", [{"frame": "base"}, {"rate_hz": 30.5}, {"observation": {}}, {"more": None}, {"rate_hz": True}]
)
def test_any_difference_shows(change):
    assert contract_hash({**CONTRACT, **change}) != contract_hash(CONTRACT)


def test_truth_is_not_one():
    assert contract_hash({"a": True}) != contract_hash({"a": 1})


@pytest.mark.parametrize("wrong", [float("nan"), {1: "a"}, b"bytes", {"a": [object()]}])
def test_what_is_not_json_is_refused_with_its_place(wrong):
    with pytest.raises(WireError, match=r"contract.*JSON"):
        contract_hash(wrong)
