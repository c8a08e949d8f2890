from made_up_theory import HIDDEN, THEORY, MadeUpLean, N, app, const, eq, facts, forall, var

from verifier.prover.shape import Call, Constants, GoalShape, Hypothesis, shape_of


def shape(type_: object, kinds: tuple[str, ...] = ()) -> GoalShape:
    return shape_of(facts(type_, kinds), THEORY, Constants(MadeUpLean()))


def test_variables_know_their_constructors():
    (variable,) = shape(forall("n", N, eq(N, var(0), var(0)))).variables
    assert (variable.name, variable.head, variable.recursive) == ("n", "T.N", True)
    zero, succ = variable.constructors
    assert (zero.name, zero.fields) == ("zero", ())
    assert [(f.name, f.recursive) for f in succ.fields] == [("", True)]


def test_types_are_no_variables_and_propositions_are_hypotheses():
    found = shape(
        forall(
            "α",
            ["s", ["+", ["u", "u"]]],
            forall("n", N, forall("h", app("T.Even", var(0)), eq(N, var(1), var(1)))),
        )
    )
    assert [v.name for v in found.variables] == ["n"]
    assert found.hypotheses == (Hypothesis("h", "T.Even", inductive=True),)


def test_a_predicate_variable_makes_hypotheses():
    predicate = forall("x", N, ["s", ["0"]])
    found = shape(forall("p", predicate, forall("h", app(var(0), const("T.N.zero")), N)))
    assert [h.name for h in found.hypotheses] == ["h"]


def test_names_that_cannot_be_said_are_left_out():
    assert shape(forall(HIDDEN, N, eq(N, var(0), var(0)))).variables == ()
    shadowed = shape(forall("n", N, forall("n", N, eq(N, var(0), var(1)))))
    assert len(shadowed.variables) == 1


def test_functional_induction_only_where_it_differs_from_structural():
    law = eq(N, app("T.add", var(1), var(0)), app("T.le", var(0), var(1)))
    found = shape(forall("m", N, forall("n", N, law)))
    assert found.calls == (Call("T.le", ("n", "m")),)


def test_calls_on_other_terms_are_no_candidates():
    law = eq(N, app("T.le", const("T.N.zero"), var(0)), app("T.le", var(0), var(0)))
    assert shape(forall("n", N, law)).calls == ()


def test_calls_under_a_binder_keep_their_variables():
    function = ["l", "k", N, app("T.le", var(1), var(2)), 0]
    found = shape(forall("m", N, forall("n", N, eq(N, function, function))))
    assert found.calls == (Call("T.le", ("n", "m")),)


def test_definitions_are_followed_but_not_into_the_making_of_types():
    found = shape(forall("n", N, eq(N, app("T.twice", var(0)), var(0))))
    assert found.definitions == ("T.twice", "T.add")


def test_quantifiers_after_the_colon_are_suspected_by_the_syntax():
    type_ = forall("m", N, forall(HIDDEN, N, eq(N, var(1), var(1))))
    assert shape(type_).quantified == ()
    assert shape(type_, ("Lean.Parser.Term.arrow",)).quantified == ("m", "")
    named = forall("m", N, eq(N, var(0), var(0)))
    assert shape(named, ("Lean.Parser.Term.arrow",)).quantified == ()


def test_constants_are_described_once():
    lean = MadeUpLean()
    constants = Constants(lean)
    constants.describe(THEORY, ["T.N", "T.none"])
    constants.describe(THEORY, ["T.N", "T.none"])
    constants.describe(THEORY.extended("more"), ["T.N"])
    assert lean.asked == ["T.N", "T.none"]
