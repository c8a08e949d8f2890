"""What a forged export could try on the second kernel, against the real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from exports import ExportText
from kernel_process import Child

from verifier.toolchain.embedded.process import Loss, SessionLost

pytestmark = pytest.mark.lean


def sum_is(result: str, before: Callable[[ExportText], None] = lambda x: None) -> str:
    """``theorem t : Nat.add 2 2 = result`` by computation, behind some other lines."""
    x = ExportText()
    before(x)
    two = x.number("2")
    left = x.app(x.const("Nat.add"), two, two)
    x.theorem("t", x.nat_equation(left, x.number(result)), x.by_computation(left))
    return x.text


def test_an_honest_export_is_accepted(child: Child) -> None:
    assert child.check(sum_is("4"), "t") == {"axioms": [], "assumed": []}


def test_a_false_theorem_is_refused(child: Child) -> None:
    assert child.check(sum_is("5"), "t") == {"refused": "t: declTypeMismatch"}


def false_addition(x: ExportText) -> None:
    nat = x.const("Nat")
    type_ = x.binder("forallE", nat, x.binder("forallE", nat, nat))
    five = x.number("5")
    x.definition("Nat.add", type_, x.binder("lam", nat, x.binder("lam", nat, five)))


def test_addition_is_taken_from_the_pinned_base_only(child: Child) -> None:
    answer = child.check(sum_is("5", false_addition), "t")
    assert answer == {"refused": "Nat.add: Nat.add is a name of the base library"}


def test_names_that_kernels_know_are_refused_where_the_base_has_none(child: Child) -> None:
    x = ExportText()
    x.definition("String.mk", x.const("Nat"), x.number("1"))
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert "String.mk is a name of the base library" in child.check(x.text, "t")["refused"]


def test_a_forged_assumption_is_refused(child: Child) -> None:
    """The name of a theorem that the base has without its proof, with another statement."""
    x = ExportText()
    x.axiom("Nat.le_refl", x.const("False"))
    x.theorem("t", x.const("False"), x.const("Nat.le_refl"))
    assert "Nat.le_refl is a name of the base library" in child.check(x.text, "t")["refused"]


def test_an_axiom_of_its_own_is_seen(child: Child) -> None:
    x = ExportText()
    x.axiom("trust_me", x.const("False"))
    x.theorem("t", x.const("False"), x.const("trust_me"))
    assert child.check(x.text, "t")["axioms"] == ["trust_me"]


def sorry(x: ExportText) -> int:
    return x.app(x.const("sorryAx", 0), x.const("True"), x.const("Bool.false"))


def compiled(x: ExportText) -> int:
    bool_ = x.const("Bool")
    ignore = x.binder("lam", x.binder("forallE", bool_, bool_), x.const("True.intro"))
    return x.app(ignore, x.const("Lean.reduceBool"))


@pytest.mark.parametrize(
    "name, value",
    [
        ("sorryAx", sorry),
        ("Lean.trustCompiler", lambda x: x.const("Lean.trustCompiler")),
        ("Lean.reduceBool", compiled),
    ],
)
def test_what_the_library_has_of_holes_and_trust_is_seen(
    name: str, value: Callable[[ExportText], int], child: Child
) -> None:
    x = ExportText()
    x.theorem("t", x.const("True"), value(x))
    assert name in child.check(x.text, "t")["axioms"]


def test_a_theorem_that_the_base_has_too_is_taken_from_there(child: Child) -> None:
    x = ExportText()
    x.theorem("trivial", x.const("True"), x.const("no.such.constant"))
    x.theorem("t", x.const("True"), x.const("trivial"))
    assert "axioms" in child.check(x.text, "t")


def test_another_theorem_of_that_name_is_refused(child: Child) -> None:
    x = ExportText()
    x.theorem("trivial", x.const("False"), x.const("True.intro"))
    x.theorem("t", x.const("False"), x.const("trivial"))
    assert "trivial is a name of the base library" in child.check(x.text, "t")["refused"]


def test_a_name_is_declared_once(child: Child) -> None:
    x = ExportText()
    x.theorem("t", x.const("True"), x.const("True.intro"))
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert "declared already" in child.check(x.text, "t")["refused"]


def recursor(x: ExportText, name: str, *, rules: list[int], k: bool = False) -> dict[str, Any]:
    """A recursor for an enumeration of two; its type is that of ``casesOn`` with one case."""
    u = x.level(param=x.name("u"))
    own = x.const(name)
    motive = x.binder("forallE", own, x.expression(sort=u))
    major = x.binder("forallE", own, x.app(x.expression(bvar=1), x.expression(bvar=0)))
    return {
        "name": x.name(f"{name}.rec"),
        "levelParams": [x.name("u")],
        "type": x.binder("forallE", motive, major),
        "all": [x.name(name)],
        "numParams": 0,
        "numIndices": 0,
        "numMotives": 1,
        "numMinors": 0,
        "rules": [{"ctor": x.name(f"{name}.a"), "nfields": 0, "rhs": r} for r in rules],
        "k": k,
        "isUnsafe": False,
    }


def test_a_forged_recursor_is_refused(child: Child) -> None:
    """One without minor premises would prove anything of both constructors."""
    x = ExportText()
    x.enumeration("Two", "a", "b", recursor=recursor(x, "Two", rules=[]))
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert child.check(x.text, "t")["refused"].endswith("the kernel makes another Two.rec")


def test_a_recursor_of_another_name_is_refused(child: Child) -> None:
    x = ExportText()
    wrong = recursor(x, "Two", rules=[])
    wrong["name"] = x.name("Two.recc")
    x.enumeration("Two", "a", "b", recursor=wrong)
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert "refused" in child.check(x.text, "t")


def test_quotients_come_from_the_base(child: Child) -> None:
    x = ExportText()
    x.quotient("Quot.other", x.const("True"))
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert "only the base library has quotients" in child.check(x.text, "t")["refused"]


@pytest.mark.parametrize("type_", [["c", "False", []], ["c", "True", [["0"]]], ["n", "1"], []])
def test_a_theorem_that_says_something_else_is_refused(type_: Any, child: Child) -> None:
    x = ExportText()
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert "axioms" in child.check(x.text, "t", ["c", "True", []])
    assert "says something else" in child.check(x.text, "t", type_)["refused"]


def test_universe_parameters_are_compared(child: Child) -> None:
    x = ExportText()
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert "universe" in child.check(x.text, "t", levels=["u"])["refused"]


def test_the_theorem_must_be_there_as_a_theorem(child: Child) -> None:
    x = ExportText()
    x.definition("t", x.const("True"), x.const("True.intro"))
    assert "not in the export" in child.check(x.text, "t")["refused"]
    assert "not in the export" in child.check("", "t")["refused"]


MALFORMED = {
    "no_json": "{",
    "a_list": "[1, 2]",
    "a_number": "7",
    "nothing": "{}",
    "two_declarations": '{"axiom":{},"thm":{}}',
    "an_unknown_kind": '{"magic":{"name":0,"levelParams":[],"type":0,"value":0,"all":[]}}',
    "a_part_that_comes_later": '{"ie":0,"app":{"fn":0,"arg":0}}',
    "a_negative_part": '{"ie":0,"app":{"fn":-1,"arg":-1}}',
    "a_number_twice": '{"ie":0,"natVal":"1"}\n{"ie":0,"natVal":"2"}',
    "a_gap": '{"ie":5,"natVal":"1"}',
    "a_number_that_is_true": '{"ie":0,"natVal":"1"}\n{"ie":1,"app":{"fn":false,"arg":false}}',
    "a_variable_too_large": '{"ie":0,"bvar":524288}',
    "a_negative_variable": '{"ie":0,"bvar":-1}',
    "letters_for_digits": '{"ie":0,"natVal":"0x12"}',
    "other_digits": '{"ie":0,"natVal":"٣"}',
    "an_endless_number": f'{{"ie":0,"natVal":"{"9" * 200_000}"}}',
    "a_text_that_is_none": '{"ie":0,"strVal":7}',
    "half_a_surrogate": '{"ie":0,"strVal":"\\ud800"}',
    "an_unknown_binder": '{"ie":0,"sort":0}\n{"ie":1,"lam":{"name":0,"type":0,"body":0,'
    '"binderInfo":"great"}}',
    "a_projection_too_far": '{"ie":0,"sort":0}\n{"ie":1,"proj":{"typeName":0,"idx":4294967296,'
    '"struct":0}}',
    "a_name_without_an_end": '{"in":1,"str":{"pre":1,"str":"x"}}',
    "a_universe_without_an_end": '{"il":1,"succ":1}',
    "a_nameless_axiom": '{"ie":0,"sort":0}\n{"axiom":{"name":0,"levelParams":[],"type":0,'
    '"isUnsafe":false}}',
    "unsafe": '{"in":1,"str":{"pre":0,"str":"x"}}\n{"ie":0,"sort":0}\n{"axiom":{"name":1,'
    '"levelParams":[],"type":0,"isUnsafe":true}}',
    "another_format": '{"meta":{"format":{"version":"9.0.0"}}}',
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_what_does_not_follow_the_format_is_no_object(text: str, child: Child) -> None:
    pid = child.process.pid
    assert set(child.check(text, "t")) == {"malformed"}
    assert "axioms" in child.check(sum_is("4"), "t"), "the next export is harmed"
    assert child.process.pid == pid and child.process.alive


def test_a_deep_term_does_not_reach_the_library(child: Child) -> None:
    x = ExportText()
    at = x.const("Nat.zero")
    successor = x.const("Nat.succ")
    for _ in range(200_000):
        at = x.app(successor, at)
    x.theorem("t", x.nat_equation(at, at), x.by_computation(at))
    assert "malformed" in child.check(x.text, "t")


def test_a_deep_universe_does_not_reach_the_library(child: Child) -> None:
    x = ExportText()
    level = 0
    for _ in range(100_000):
        level = x.level(succ=level)
    x.theorem("t", x.const("True"), x.const("True.intro"))
    assert "malformed" in child.check(x.text, "t")


def test_variables_without_a_binder_are_refused(child: Child) -> None:
    x = ExportText()
    x.theorem("t", x.const("True"), x.expression(bvar=3))
    assert "refused" in child.check(x.text, "t")


def test_an_endless_computation_is_killed(mortal_child: Child) -> None:
    """``2 ^ 2 ^ 33 = 0`` by computation, which the kernel has no limit of its own for."""
    x = ExportText()
    two = x.number("2")
    power = x.const("Nat.pow")
    tower = x.app(power, two, x.app(power, two, x.number("33")))
    mod = x.app(x.const("Nat.mod"), tower, x.number("7"))
    x.theorem("t", x.nat_equation(mod, x.number("3")), x.by_computation(mod))
    try:
        answer = mortal_child.check(x.text, "t", seconds=2.0)
    except SessionLost as lost:
        assert lost.loss in (Loss.TIMEOUT, Loss.MEMORY, Loss.CRASH)
        assert not mortal_child.process.alive
    else:
        assert "refused" in answer


def test_a_scope_leaves_out_what_is_refused_and_all_that_rests_on_it(child: Child) -> None:
    x = ExportText()
    x.theorem("wrong", x.const("False"), x.const("True.intro"))
    x.theorem("wronger", x.const("False"), x.const("wrong"))
    x.theorem("right", x.const("True"), x.const("True.intro"))
    left_out = child.ask(op="scope", key="left", below="base", delta=x.text)["left_out"]
    assert left_out["wrong"] == "declTypeMismatch"
    assert left_out["wronger"].startswith("it rests on wrong")
    y = ExportText()
    y.theorem("t", y.const("True"), y.const("right"))
    assert "axioms" in child.check(y.text, "t", key="left")
    assert "unknown right" in child.check(y.text, "t")["refused"]


def test_what_was_refused_is_not_declared_anew(child: Child) -> None:
    """Otherwise a proof could bring another meaning of a name that the statement mentions."""
    x = ExportText()
    x.definition("meaning", x.const("True"), x.const("False"))
    left_out = child.ask(op="scope", key="open", below="base", delta=x.text)["left_out"]
    assert set(left_out) == {"meaning"}
    y = ExportText()
    y.definition("meaning", y.const("True"), y.const("True.intro"))
    y.theorem("t", y.const("True"), y.const("meaning"))
    assert "meaning is declared already" in child.check(y.text, "t", key="open")["refused"]


def test_a_proof_is_forgotten(child: Child) -> None:
    assert "axioms" in child.check(sum_is("4"), "t")
    assert "axioms" in child.check(sum_is("4"), "t")
    y = ExportText()
    y.theorem("again", y.const("True"), y.const("t"))
    assert "unknown t" in child.check(y.text, "again")["refused"]
