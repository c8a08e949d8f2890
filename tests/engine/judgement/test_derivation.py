from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from nodes import edge, node

from engine.judgement.derivation import UNATTRIBUTED, Chain, Derivations, consistency
from engine.model import Label


def test_a_closed_chain_reaches_its_roots() -> None:
    nodes = [node("f", Label.ASSUMED), node("a"), node("b"), node("c")]
    derivations = Derivations(nodes, [edge("f", "a"), edge("a", "b", 5), edge("b", "c", 5)])
    chain = derivations.chain(["M:b"])
    assert chain == Chain(nodes=3, closed=3)
    assert consistency(chain).value == 1.0
    assert derivations.chain_of("M:c") == chain


def test_what_stands_on_a_conjecture_is_not_closed() -> None:
    nodes = [node("f", Label.ASSUMED), node("guess", Label.CONJECTURE), node("a"), node("b")]
    edges = [edge("f", "guess"), edge("guess", "a"), edge("f", "b")]
    chain = Derivations(nodes, edges).chain(["M:a", "M:b"])
    assert (chain.nodes, chain.closed) == (4, 2)
    assert chain.breaks == (("guess", Label.CONJECTURE),)
    score = consistency(chain)
    assert score.value == 0.5 and "guess is a conjecture" in score.reason


def test_parents_that_do_not_exist_are_missing() -> None:
    chain = Derivations([node("a")], []).chain(["M:a", "M:made_up", "M:made_up"])
    assert chain.missing == ("M:made_up",) and chain.share == 0.5
    assert "M:made_up does not exist" in consistency(chain).reason


def test_a_candidate_without_ancestors_explains_nothing() -> None:
    assert consistency(Derivations([], []).chain([])).value == UNATTRIBUTED


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=15), st.data())
def test_the_share_is_one_exactly_when_no_ancestor_is_untrue(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    labels = data.draw(st.lists(st.sampled_from(list(Label)), min_size=7, max_size=7))
    nodes = [node(str(i), label) for i, label in enumerate(labels)]
    edges = [edge(str(a), str(b)) for a, b in pairs if a != b]
    chain = Derivations(nodes, edges).chain([f"M:{data.draw(st.integers(0, 6))}"])
    assert (chain.share == 1.0) == (not chain.breaks)
    assert 0.0 <= chain.share <= 1.0
