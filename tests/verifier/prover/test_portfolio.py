from verifier.prover.introduction import introduced, names_to_try, probe
from verifier.prover.portfolio import Portfolio, case_names
from verifier.prover.proof import Cases, searching, settled, written
from verifier.prover.rules import Rules
from verifier.prover.shape import Call, Constructor, Field, GoalShape, Variable

NIL = Constructor("nil", ())
CONS = Constructor("cons", (Field("head", False), Field("tail", True)))
NODE = Constructor("node", (Field("", True), Field("", False), Field("", True)))


def data(name: str) -> Variable:
    return Variable(name, "T.L", (NIL, CONS), inductive=True, recursive=True)


def shape(*variables: Variable, calls: tuple[Call, ...] = ()) -> GoalShape:
    return GoalShape(
        namespace="T.",
        variables=variables,
        hypotheses=(),
        calls=calls,
        definitions=("T.f",),
        constants=frozenset(),
        names=frozenset(v.name for v in variables),
        arithmetic=False,
        conclusion="Eq",
        quantified=(),
    )


RULES = Rules(unfold=("T.f",), rewrite=("T.a",), permute=("T.c",))


def test_the_light_attempts_in_order():
    flag = Variable("b", "Bool", (Constructor("true", ()),), inductive=True)
    found = shape(data("xs"), data("ys"), flag, calls=(Call("T.f", ("xs", "ys")),))
    assert [a.name for a in Portfolio(found, RULES).light()] == [
        "direct",
        "cases b",
        "induction xs",
        "induction ys",
        "fun_induction T.f xs ys",
        "induction xs generalizing ys b",
        "induction ys generalizing xs b",
    ]


def test_the_search_goes_on_where_most_was_closed():
    portfolio = Portfolio(shape(data("xs"), data("ys")), RULES)
    progress = {"direct": 0, "induction xs": 1, "induction ys": 2}
    deep = list(portfolio.deep(progress))
    assert [a.name for a in deep] == [
        "direct, searching",
        "induction ys, searching",
        "induction xs, searching",
    ]
    assert all("grind" in searching(a.proof) and a.deep for a in deep)


def test_cases_of_variables_on_which_a_function_matches_together():
    found = shape(data("xs"), data("ys"), data("zs"), calls=(Call("T.f", ("xs", "ys")),))
    attempts = {a.name: a for a in Portfolio(found, RULES).light()}
    text = searching(attempts["induction xs generalizing ys zs"].proof)
    assert "cases ys <;> simp_all" in text
    assert "cases zs" not in text
    assert "cases" not in searching(attempts["induction xs"].proof)


def test_permutations_can_be_left_out():
    (direct,) = Portfolio(shape(), RULES).light()
    text = searching(direct.proof)
    assert "simp (maxSteps := 1000); done" in text
    assert "simp (maxSteps := 1000) [- T.c]; done" in text


def test_induction_hypotheses_are_named():
    attempts = {a.name: a for a in Portfolio(shape(data("xs")), RULES).light()}
    proof = attempts["induction xs"].proof
    assert isinstance(proof, Cases)
    assert [b.pattern for b in proof.branches] == ["nil", "cons x xs ih"]
    chosen = settled(proof, ["closed by 0.0", "closed by 1.0"])
    assert chosen is not None
    assert "[T.f, T.a, T.c, ih]" in written(chosen).text


def test_names_of_cases():
    assert case_names("xs", CONS, set()) == (["x", "xs"], ["ih"])
    assert case_names("xs", CONS, {"x", "ih"}) == (["y", "xs"], ["ih0"])
    assert case_names("t", NODE, {"x"}) == (["t₁", "y", "t₂"], ["ih₁", "ih₂"])


def test_introductions_are_tried_the_most_first():
    names = names_to_try(["α", "", "xs"])
    assert names == ("α", "h", "xs")
    text = probe(names, "Not")
    assert text.index("introduced 3") < text.index("introduced 0")
    assert "intro h xs; show ¬ _; trace" in text
    assert introduced(names, ["introduced 2"]) == ("h", "xs")
    assert introduced(names, []) == ()


def test_nameless_binders_get_names_of_their_own():
    assert names_to_try(["", "h₁", ""]) == ("h₁'", "h₁", "h₂")


def test_the_wide_search_begins_with_what_came_farthest():
    portfolio = Portfolio(shape(data("xs"), data("ys")), RULES)
    narrow = {a.name for a in portfolio.deep({"induction ys": 1})}
    wide = list(portfolio.wide({"induction xs": 0, "induction ys": 1, "direct": 0}))
    assert [a.name for a in wide] == [
        "induction ys, searching wide",
        "induction xs, searching wide",
    ]
    assert narrow == {"direct, searching", "induction ys, searching"}
    assert "grind (splits := 9)" in searching(wide[0].proof)
    assert len({searching(a.proof) for a in wide}) == len(wide)
