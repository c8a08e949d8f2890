from engine.language.term import Symbol, Term, Type
from engine.trees.canonical import canonical_key, short_key, with_canonical_names

N = Type("N")
ADD = Symbol("add", (N, N), N, "add")
MUL = Symbol("mul", (N, N), N, "mul")


def add(a: str, b: str) -> Term:
    return Term(ADD, (Term(a), Term(b)))


def test_names_and_direction_do_not_matter() -> None:
    law = with_canonical_names(add("x", "y"), add("y", "x"))
    renamed = with_canonical_names(add("q", "p"), add("p", "q"))
    assert canonical_key(law) == canonical_key(renamed) == canonical_key(law.flipped())
    one = with_canonical_names(Term(MUL, (add("a", "b"), Term("c"))), add("c", "a"))
    assert canonical_key(one) == canonical_key(one.flipped())


def test_what_is_said_matters() -> None:
    same = with_canonical_names(add("x", "x"), Term("x"))
    other = with_canonical_names(add("x", "y"), Term("x"))
    swapped = with_canonical_names(Term(MUL, (Term("x"), Term("x"))), Term("x"))
    keys = {canonical_key(law) for law in (same, other, swapped)}
    assert len(keys) == 3
    assert len({short_key(k) for k in keys}) == 3


def test_variables_are_named_by_their_type() -> None:
    law = with_canonical_names(add("foo", "bar"), add("bar", "foo"))
    assert [name for name, _ in law.types] == ["a", "b"]
    many = add("v0", "v1")
    for i in range(2, 8):
        many = Term(ADD, (many, Term(f"v{i}")))
    names = [name for name, _ in with_canonical_names(many, many).types]
    assert len(set(names)) == 8
