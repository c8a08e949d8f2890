"""Which functions are explored together, by the size of the theory."""

from hypothesis import given
from hypothesis import strategies as st

from engine.discovery.focus import TOGETHER, Focus
from engine.language.term import Law, Symbol, Term, Type
from engine.model import Label
from engine.strategy.operators import KnownLaw

N = Type("N")
ZERO = Symbol("zero", (), N, "zero", is_constructor=True)
PLUS = Symbol("HAdd.hAdd Nat", (N, N), N, "{0} + {1}", is_background=True)


def functions(count: int) -> list[Symbol]:
    return [Symbol(f"f{i}", (N,), N, f"f{i}") for i in range(count)]


def focus(count: int, goal: str = "") -> Focus:
    symbols = [ZERO, *functions(count), PLUS]
    owners = {s.name: f"m:{s.name}" for s in symbols if not s.is_background}
    return Focus(symbols, owners, goal)


def law(*names: str) -> KnownLaw:
    term = Term("x")
    for name in names:
        term = Term(Symbol(name, (N,), N, name), (term,))
    return KnownLaw(f"law:{names}", "law", Law(term, Term("x"), (("x", N),)), Label.VERIFIED)


def test_a_small_theory_is_explored_as_a_whole() -> None:
    small = focus(TOGETHER)
    assert small.whole and small.next()
    assert len(small.symbols([])) == TOGETHER + 2
    assert small.laws([law("f0", "f9")], []) == [law("f0", "f9")]


@given(st.integers(TOGETHER + 1, 40), st.data())
def test_a_large_theory_is_explored_around_each_function_in_turn(
    count: int, data: st.DataObject
) -> None:
    large = focus(count)
    nodes = data.draw(st.permutations([f"m:f{i}" for i in range(count)]))
    centres = []
    for turn in range(count):
        chosen = large.symbols(nodes)
        explored = [s.name for s in chosen if s.name.startswith("f")]
        assert len(explored) == TOGETHER and f"f{turn}" in explored
        assert {ZERO, PLUS} <= set(chosen)
        nearest = [n.removeprefix("m:") for n in nodes[: TOGETHER - 1]]
        assert set(nearest) <= set(explored)
        assert large.query.startswith(f"f{turn} ")
        centres.append(large.next())
    assert centres == [False] * (count - 1) + [True]


def test_a_goal_takes_what_was_retrieved() -> None:
    around = focus(30, goal="f3")
    assert around.query == "f3" and not around.whole and around.next()
    chosen = [s.name for s in around.symbols(["m:f7", "m:f3"])]
    assert chosen == ["zero", "f3", "f7", "HAdd.hAdd Nat"]


def test_laws_of_a_part_are_about_its_functions() -> None:
    around = focus(30, goal="f3")
    inside, outside = law("f3", "f7"), law("f3", "f8")
    assert around.laws([inside, outside], ["m:f3", "m:f7"]) == [inside]
    assert around.laws([inside, outside], ["m:f3", outside.node]) == [outside]
