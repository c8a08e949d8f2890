from verifier.lean import Environment, Message, Statement
from verifier.prover.minimise import (
    is_premise,
    renaming,
    with_arguments,
    without_unused,
)
from verifier.prover.proof import (
    Branch,
    Bullets,
    Cases,
    Closer,
    Introduced,
    Leaf,
    Proof,
    Spread,
    Step,
    renamed,
    searching,
    settled,
    written,
)

RFL = Closer((Step("rfl"),))
SIMP = Closer((Step("simp", ("T.f", "T.g", "ih"), ("ih",), " (maxSteps := 9)"),))
OMEGA = Closer((Step("simp_all", ("T.f",)), Step("omega")))
INDUCTION = Cases(
    "induction xs", (Branch("nil", Leaf((RFL, SIMP))), Branch("cons x xs ih", Leaf((SIMP,))))
)


def test_a_search_traces_each_closer_and_stops_at_an_open_goal():
    text = searching(INDUCTION)
    assert text.startswith("by\n  first\n  | (\n")
    assert '(simp (maxSteps := 9) [ih]; done; trace "closed by 0.1")' in text
    assert 'trace "closed by 1.0"' in text
    assert text.endswith("| fail")


def test_settled_keeps_what_closed():
    proof = settled(INDUCTION, ["closed by 0.0", "closed by 1.0"])
    assert proof is not None
    assert written(proof).text == (
        "by\n  induction xs with\n  | nil => rfl\n  | cons x xs ih => simp [T.f, T.g, ih]"
    )
    assert settled(INDUCTION, ["closed by 0.0"]) is None


def test_one_closer_for_all_goals_or_one_for_each():
    spread = Spread("fun_induction f x", Leaf((RFL, OMEGA)))
    same = settled(spread, ["closed by 0.1", "closed by 0.1"])
    assert same is not None
    assert written(same).text == "by fun_induction f x <;> simp_all [T.f] <;> omega"
    different = settled(spread, ["closed by 0.0", "closed by 0.1"])
    assert isinstance(different, Bullets)
    assert written(different).text == (
        "by\n  fun_induction f x\n  · rfl\n  · simp_all [T.f] <;> omega"
    )


def test_introductions_stand_before_the_rest():
    proof = settled(Introduced(("α", "xs"), Leaf((RFL,))), ["closed by 0.0"])
    assert proof is not None
    assert written(proof).text == "by\n  intro α xs\n  rfl"


def test_the_places_of_arguments():
    text = written(Cases("cases b", (Branch("true", Leaf((SIMP,))),)))
    lines = text.text.split("\n")
    for (line, column), argument in text.arguments.items():
        assert lines[line - 1][column:].startswith(argument.text)
    assert len(text.arguments) == 3


def test_long_lines_are_broken_between_arguments():
    names = tuple(f"a_lemma_with_a_long_name_{i}" for i in range(9))
    text = written(Cases("cases b", (Branch("true", Leaf((Closer((Step("simp", names),)),))),)))
    assert all(len(line) <= 96 for line in text.text.split("\n"))
    lines = text.text.split("\n")
    for (line, column), argument in text.arguments.items():
        assert lines[line - 1][column:].startswith(argument.text)


def unused(line: int, column: int) -> Message:
    return Message(
        severity="warning", text="This simp argument is unused:\n  …", line=line, column=column
    )


def test_unused_arguments_are_taken_out_where_lean_points():
    statement = Statement(Environment(()), "law", "(n : N) :\n  n = n")
    proof: Proof = Cases("cases b", (Branch("true", Leaf((SIMP,))),))
    text = written(proof)
    (place,) = [p for p, a in text.arguments.items() if a.text == "T.g"]
    shorter = without_unused(proof, text, [unused(place[0] + 1, place[1])], statement)
    assert written(shorter).text.endswith("simp [T.f, ih]")
    assert without_unused(proof, text, [unused(place[0], place[1])], statement) == proof


def test_arguments_by_premises():
    assert is_premise("T.f", ["T.f.eq_1"])
    assert not is_premise("T.f", ["T.fold"])
    kept = with_arguments(Leaf((SIMP,)), lambda tactic, name: name != "T.g")
    assert written(kept).text == "by simp [T.f, ih]"


def test_names_inside_the_namespace():
    said = renaming("T.", {"g"})
    proof = renamed(Spread("fun_induction T.f x", Leaf((SIMP,))), said)
    assert written(proof).text == "by fun_induction f x <;> simp [f, T.g, ih]"
    assert said("← T.f") == "← f"
