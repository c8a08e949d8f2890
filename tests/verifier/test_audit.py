"""Each rule alone, on made-up facts; and each rule switched off, with a real attack behind it."""

from __future__ import annotations

from typing import Any

import pytest
from attack import attacks

from verifier import audit
from verifier.audit import (
    PROOF_RULES,
    SECOND_KERNEL_RULES,
    STATEMENT_RULES,
    audit_proof,
    audit_second_kernel,
    audit_statement,
)
from verifier.kernel.second import SecondKernel
from verifier.kernel.words import Word
from verifier.lean import Added, Environment, Fault, Message, ProofFacts, Statement, StatementFacts
from verifier.session import Session
from verifier.verdict import Reason, Verdict
from verifier.verifier import Verifier


def error(text: str) -> Message:
    return Message(severity="error", text=text, line=1, column=0)


def statement_facts(**changes: Any) -> StatementFacts:
    """Facts of a statement with which nothing is wrong, but for some changes."""
    good: dict[str, Any] = {
        "fault": None,
        "statement": 1,
        "kind": "theorem",
        "name": "t",
        "context_options": ("autoImplicit", "relaxedAutoImplicit", "maxRecDepth"),
        "constants": ("Eq", "Nat"),
    }
    return StatementFacts(**{**good, **changes})


def proof_facts(**changes: Any) -> ProofFacts:
    """Facts of a proof with which nothing is wrong, but for some changes."""
    good: dict[str, Any] = {
        "fault": None,
        "name": "t",
        "messages": (Message(severity="warning", text="unused variable", line=1, column=0),),
        "kinds": ("Lean.Parser.Term.byTactic",),
        "options": ("maxHeartbeats",),
        "added": (added("t"), added("t._proof_1", internal=True), added("f.eq_1", reserved=True)),
        "present": True,
        "kind": "theorem",
        "type_matches": True,
        "axioms": ("Classical.choice", "Quot.sound", "propext"),
        "premises": ("Nat.add_comm",),
        "replay": "accepted",
    }
    return ProofFacts(**{**good, **changes})


def added(name: str, kind: str = "theorem", **changes: Any) -> Added:
    flags = {"safety": "safe", "internal": False, "reserved": False, **changes}
    return Added(name=name, kind=kind, **flags)


def test_good_facts_have_no_finding() -> None:
    assert audit_statement(statement_facts()) is None
    assert audit_proof(proof_facts()) is None


BAD_STATEMENTS: list[tuple[str, dict[str, Any], Reason, str]] = [
    ("environment_begins_with_init", {"without_init": True}, Reason.ENVIRONMENT_INVALID, "Init"),
    (
        "context_only_opens_scopes",
        {"context_messages": (error("unknown namespace"),)},
        Reason.CONTEXT_INVALID,
        "unknown namespace",
    ),
    (
        "context_only_opens_scopes",
        {"context_messages": (error("(deterministic) timeout at `whnf`"),)},
        Reason.RESOURCES,
        "timeout",
    ),
    ("context_only_opens_scopes", {"context_foreign": "x.eval"}, Reason.CONTEXT_INVALID, "x.eval"),
    ("context_only_opens_scopes", {"context_foreign": ""}, Reason.CONTEXT_INVALID, "not know"),
    ("context_only_opens_scopes", {"context_added": ("b", "a")}, Reason.CONTEXT_INVALID, "a, b"),
    (
        "context_switches_no_check_off",
        {"context_options": ("maxRecDepth", "debug.skipKernelTC")},
        Reason.FORBIDDEN_OPTION,
        "debug.skipKernelTC",
    ),
    (
        "statement_is_one_theorem",
        {"fault": Fault(kind="parse", text="expected term")},
        Reason.PARSE,
        "expected term",
    ),
    (
        "statement_is_one_theorem",
        {"fault": Fault(kind="shape", text="a second command")},
        Reason.NOT_ONE_THEOREM,
        "a second command",
    ),
    (
        "statement_runs_no_program",
        {"kinds": ("Lean.byElab",)},
        Reason.FORBIDDEN_SYNTAX,
        "Lean.byElab",
    ),
    (
        "statement_runs_no_program",
        {"options": ("debug.skipKernelTC",)},
        Reason.FORBIDDEN_OPTION,
        "debug.skipKernelTC",
    ),
    (
        "statement_elaborates",
        {"messages": (error("unknown identifier"),)},
        Reason.STATEMENT_INVALID,
        "unknown identifier",
    ),
    (
        "statement_elaborates",
        {"messages": (error("maximum recursion depth has been reached"),)},
        Reason.RESOURCES,
        "recursion",
    ),
    ("statement_elaborates", {"statement": None}, Reason.STATEMENT_INVALID, "did not become"),
    ("statement_elaborates", {"kind": "definition"}, Reason.STATEMENT_INVALID, "did not become"),
    ("statement_has_no_hole", {"constants": ("Nat", "sorryAx")}, Reason.SORRY, "sorry"),
]

BAD_PROOFS: list[tuple[str, dict[str, Any], Reason, str]] = [
    (
        "proof_is_one_theorem",
        {"fault": Fault(kind="parse", text="expected term")},
        Reason.PARSE,
        "expected term",
    ),
    (
        "proof_is_one_theorem",
        {"fault": Fault(kind="shape", text="a second command")},
        Reason.NOT_ONE_THEOREM,
        "a second command",
    ),
    *(
        ("proof_runs_no_program", {"kinds": (kind,)}, Reason.FORBIDDEN_SYNTAX, kind)
        for kind in sorted(audit.PROGRAM_SYNTAX)
    ),
    *(
        ("proof_switches_no_check_off", {"options": (option,)}, Reason.FORBIDDEN_OPTION, option)
        for option in ("debug.skipKernelTC", "bootstrap.inductiveCheckResultingUniverse")
    ),
    (
        "proof_does_not_trust_the_compiler",
        {"kinds": ("Lean.Parser.Tactic.nativeDecide",)},
        Reason.COMPILER_TRUSTED,
        "nativeDecide",
    ),
    *(
        ("proof_does_not_trust_the_compiler", {"axioms": (name,)}, Reason.COMPILER_TRUSTED, name)
        for name in sorted(audit.COMPILER_AXIOMS)
    ),
    (
        "proof_elaborates",
        {"messages": (error("unsolved goals"),)},
        Reason.PROOF_FAILED,
        "unsolved goals",
    ),
    *(
        ("proof_elaborates", {"messages": (error(f"... {text} ..."),)}, Reason.RESOURCES, text)
        for text in audit.EXHAUSTED
    ),
    ("theorem_is_there", {"present": False, "kind": None}, Reason.NOT_A_THEOREM, "nothing"),
    ("theorem_is_there", {"kind": "axiom"}, Reason.NOT_A_THEOREM, "axiom"),
    ("proof_has_no_hole", {"axioms": ("propext", "sorryAx")}, Reason.SORRY, "sorry"),
    (
        "theorem_says_the_statement",
        {"type_matches": False},
        Reason.STATEMENT_CHANGED,
        "not that of the statement",
    ),
    *(
        ("axioms_are_allowed", {"axioms": ("propext", name)}, Reason.FORBIDDEN_AXIOM, name)
        for name in (
            "h",
            "«propext, x»",
            "«Classical.choice»",
            "prорext",
            "propext'",
            "Near.propext",
        )
    ),
    (
        "nothing_else_is_new",
        {"added": (added("t"), added("helper"))},
        Reason.EXTRA_DECLARATION,
        "helper",
    ),
    *(
        ("nothing_else_is_new", {"added": (added("t"), hidden)}, Reason.EXTRA_DECLARATION, "t._x")
        for hidden in (
            added("t._x", "axiom", internal=True),
            added("t._x", "opaque", internal=True),
            added("t._x", "inductive", internal=True),
            added("t._x", "definition", internal=True, safety="unsafe"),
            added("t._x", "definition", internal=True, safety="partial"),
        )
    ),
    ("nothing_unsafe_below", {"unsafe": ("f",)}, Reason.UNSAFE, "f"),
    (
        "kernel_agrees_again",
        {"replay": "t: declTypeMismatch"},
        Reason.KERNEL_REJECTED,
        "t: declTypeMismatch",
    ),
    ("kernel_agrees_again", {"replay": None}, Reason.KERNEL_REJECTED, "not replayed"),
    ("kernel_agrees_again", {"replay": "t: deepRecursion"}, Reason.RESOURCES, "deepRecursion"),
]


@pytest.mark.parametrize("rule, changes, reason, words", BAD_STATEMENTS)
def test_a_statement_rule_finds_what_it_is_for_alone(
    rule: str, changes: dict[str, Any], reason: Reason, words: str
) -> None:
    facts = statement_facts(**changes)
    findings = {r.__name__: f for r in STATEMENT_RULES if (f := r(facts))}
    assert list(findings) == [rule]
    assert findings[rule].reason is reason
    assert words in findings[rule].message
    assert audit_statement(facts) == findings[rule]


@pytest.mark.parametrize("rule, changes, reason, words", BAD_PROOFS)
def test_a_proof_rule_finds_what_it_is_for_alone(
    rule: str, changes: dict[str, Any], reason: Reason, words: str
) -> None:
    facts = proof_facts(**changes)
    findings = {r.__name__: f for r in PROOF_RULES if (f := r(facts))}
    assert list(findings) == [rule]
    assert findings[rule].reason is reason
    assert words in findings[rule].message
    assert audit_proof(facts) == findings[rule]


GOOD_WORD = Word(axioms=("propext",), assumed=("Nat.add_comm",))
BAD_WORDS = [
    ("second_kernel_agrees", Word("t: appTypeMismatch"), Reason.SECOND_KERNEL_REJECTED),
    ("second_kernel_agrees", Word("t: deepRecursion", exhausted=True), Reason.RESOURCES),
    ("second_kernel_finds_no_other_axiom", Word(axioms=("sorryAx",)), Reason.FORBIDDEN_AXIOM),
    ("second_kernel_finds_no_other_axiom", Word(axioms=("my.axiom",)), Reason.FORBIDDEN_AXIOM),
]


@pytest.mark.parametrize("rule, word, reason", BAD_WORDS)
def test_a_rule_on_the_second_kernel_finds_what_it_is_for_alone(
    rule: str, word: Word, reason: Reason
) -> None:
    findings = {r.__name__: f for r in SECOND_KERNEL_RULES if (f := r(word))}
    assert list(findings) == [rule]
    assert findings[rule].reason is reason
    assert audit_second_kernel(word) == findings[rule]
    assert audit_second_kernel(GOOD_WORD) is None


def test_each_rule_has_bad_facts() -> None:
    assert {b[0] for b in BAD_WORDS} == {r.__name__ for r in SECOND_KERNEL_RULES}
    assert {b[0] for b in BAD_STATEMENTS} == {r.__name__ for r in STATEMENT_RULES}
    assert {b[0] for b in BAD_PROOFS} == {r.__name__ for r in PROOF_RULES}


def test_a_proof_that_nobody_looked_at_is_not_accepted() -> None:
    """Facts that say nothing are no good facts: what is left out counts as wrong."""
    empty = ProofFacts(fault=None)
    findings = {r.__name__ for r in PROOF_RULES if r(empty)}
    assert findings == {"theorem_is_there", "theorem_says_the_statement", "kernel_agrees_again"}
    assert audit_statement(StatementFacts(fault=None)) is not None


VERIFIED = "verified"

WITHOUT_RULE = {
    "environment_begins_with_init": ("prelude-half", VERIFIED),
    "context_only_opens_scopes": ("hostile_scope-unbalanced", Reason.PROOF_FAILED),
    "context_switches_no_check_off": ("skipped_kernel-context", Reason.KERNEL_REJECTED),
    "statement_is_one_theorem": ("changed_statement-second_theorem", Reason.STATEMENT_INVALID),
    "statement_runs_no_program": ("unchecked_declaration-file", Reason.STATEMENT_INVALID),
    "statement_elaborates": ("bound_by_a_typo-type", Reason.SORRY),
    "proof_is_one_theorem": ("several_commands-second_theorem", Reason.NOT_A_THEOREM),
    "proof_runs_no_program": ("unchecked_declaration-by_elab", Reason.NOT_A_THEOREM),
    "proof_switches_no_check_off": ("skipped_kernel-term", Reason.KERNEL_REJECTED),
    "proof_does_not_trust_the_compiler": ("compiler-trust_axiom", VERIFIED),
    "proof_elaborates": ("circular-direct", Reason.NOT_A_THEOREM),
    "theorem_is_there": ("changed_statement-macro_to_an_axiom", Reason.FORBIDDEN_AXIOM),
    "proof_has_no_hole": ("open_proof-term", VERIFIED),
    "theorem_says_the_statement": ("changed_statement-macro_on_the_command", VERIFIED),
    "axioms_are_allowed": ("slipped_axiom-theory", VERIFIED),
    "nothing_else_is_new": ("extra_declaration-where", VERIFIED),
    "nothing_unsafe_below": ("unsafe_below-unsafe_past_the_kernel", Reason.KERNEL_REJECTED),
    "kernel_agrees_again": ("skipped_kernel-lemma_below", VERIFIED),
}
"""What becomes of an attack when one rule alone is switched off."""


@pytest.mark.lean
@pytest.mark.parametrize("rule", WITHOUT_RULE)
def test_without_a_rule_an_attack_gets_another_verdict(
    rule: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    title, expected = WITHOUT_RULE[rule]
    attack = next(a for a in attacks() if a.title == title)
    switch_off(rule, monkeypatch)
    verifier = Verifier(session)  # one that remembers no statement that it judged with all rules

    verdict = attack.run(session, verifier)
    assert found(verdict) == expected, verdict
    with pytest.raises(AssertionError):
        attack.judge(verdict)


def switch_off(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATEMENT_RULES", "PROOF_RULES"):
        others = tuple(r for r in getattr(audit, name) if r.__name__ != rule)
        monkeypatch.setattr(audit, name, others)


def found(verdict: Verdict) -> str:
    return VERIFIED if verdict.verified else verdict.reason


@pytest.mark.lean
def test_without_its_rule_a_hole_in_a_statement_is_not_found_before_the_proof(
    session: Session, base: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules on holes overlap: a proof of such a statement rests on the hole as well."""
    statement = Statement(base, "t", ": (fun _ => True) (sorry : Nat)")
    finding, _ = Verifier(session).check_statement(statement)
    assert finding is not None and finding.reason is Reason.SORRY

    switch_off("statement_has_no_hole", monkeypatch)

    assert Verifier(session).check_statement(statement)[0] is None
    verdict = Verifier(session).check(statement, "trivial")
    assert verdict.reason is Reason.SORRY


@pytest.mark.lean
@pytest.mark.parametrize(
    "rule, title",
    [
        ("second_kernel_agrees", "kernel_bug-false"),
        ("second_kernel_finds_no_other_axiom", "kernel_bug-hidden_axiom"),
    ],
)
def test_without_a_rule_on_the_second_kernel_an_attack_gets_through(
    rule: str,
    title: str,
    session: Session,
    second: SecondKernel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attack = next(a for a in attacks() if a.title == title)
    others = tuple(r for r in SECOND_KERNEL_RULES if r.__name__ != rule)
    monkeypatch.setattr(audit, "SECOND_KERNEL_RULES", others)
    if rule == "second_kernel_finds_no_other_axiom":
        monkeypatch.setattr(audit, "PROOF_RULES", without_axioms())
    verdict = attack.run(session, Verifier(session, second))
    assert verdict.verified, verdict


def without_axioms() -> tuple[Any, ...]:
    """The first line of defence against axioms, away as well: the two rules overlap."""
    return tuple(r for r in PROOF_RULES if r.__name__ != "axioms_are_allowed")


def test_each_rule_is_switched_off_once() -> None:
    rules = {r.__name__ for r in (*STATEMENT_RULES, *PROOF_RULES)}
    assert {*WITHOUT_RULE, "statement_has_no_hole"} == rules
    titles = {a.title for a in attacks()}
    assert {title for title, _ in WITHOUT_RULE.values()} <= titles
