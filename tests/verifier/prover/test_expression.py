"""Reading kernel expressions."""

from __future__ import annotations

from verifier.prover.expression import constants, occurrences

NAT = ["c", "Nat", []]
EQUAL = ["a", ["a", ["a", ["c", "Eq", []], NAT], ["v", 0]], ["v", 0]]


def test_occurrences_are_counted_under_binders() -> None:
    type_ = ["p", "n", NAT, ["let", "m", NAT, ["proj", "S", 0, ["c", "s", []]], EQUAL], 0]
    found = occurrences(type_)
    assert found == {"Nat": 3, "Eq": 1, "s": 1}
    assert set(found) == set(constants(type_))
    assert occurrences(["n", "5"]) == {}
