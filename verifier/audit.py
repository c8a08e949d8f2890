"""The rules that stand between Lean's facts and a verdict. Each one answers to an attack.

A rule looks at the facts and returns a finding or nothing. A proof is verified when no rule finds
anything; :data:`STATEMENT_RULES` and :data:`PROOF_RULES` are complete lists, in the order in which
a finding is reported. ``tests/verifier/test_audit.py`` switches each rule off and sees an attack
pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from verifier.kernel.words import Word
from verifier.lean import Added, Fault, Message, ProofFacts, StatementFacts
from verifier.verdict import Reason

ALLOWED_AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})
SORRY_AXIOM = "sorryAx"
COMPILER_AXIOMS = frozenset(
    f"Lean.{name}"
    for name in ("ofReduceBool", "ofReduceNat", "reduceBool", "reduceNat", "trustCompiler")
)
COMPILER_SYNTAX = frozenset({"Lean.Parser.Tactic.nativeDecide"})
CHECKING_OPTIONS = ("debug.", "bootstrap.", "compiler.", "interpreter.", "Elab.", "internal.")
"""Families of options that switch checks off, or have errors reported where nobody looks."""

PROGRAM_SYNTAX = frozenset(
    {
        "Lean.byElab",
        "Lean.includeStr",
        "Lean.Parser.Tactic.runTac",
        "Lean.Parser.Term.unsafe",
    }
)
"""Syntax that runs a program or reads a file while a term is elaborated."""

SCOPE_SYNTAX = frozenset(
    f"Lean.Parser.Command.{kind}"
    for kind in (
        "end",
        "include",
        "moduleDoc",
        "namespace",
        "omit",
        "open",
        "section",
        "set_option",
        "universe",
        "variable",
    )
)
"""Commands that a context may consist of."""

MADE_BY_LEAN = frozenset({"definition", "theorem"})
EXHAUSTED = (
    "(deterministic) timeout",
    "maximum recursion depth has been reached",
    "maximum number of heartbeats",
    "(kernel) deterministic timeout",
    "(kernel) deep recursion detected",
    "(kernel) excessive memory consumption detected",
)
KERNEL_EXHAUSTED = ("deterministicTimeout", "excessiveMemory", "deepRecursion", "interrupted")


@dataclass(frozen=True)
class Finding:
    """What a rule found: the reason code, and the words for it."""

    reason: Reason
    message: str


ProofRule = Callable[[ProofFacts], Finding | None]
StatementRule = Callable[[StatementFacts], Finding | None]
SecondKernelRule = Callable[[Word], Finding | None]


def _fault(fault: Fault | None) -> Finding | None:
    if fault is None:
        return None
    reason = Reason.PARSE if fault.kind == "parse" else Reason.NOT_ONE_THEOREM
    return Finding(reason, fault.text)


def first_error(messages: Iterable[Message]) -> Message | None:
    """The first error among messages of Lean."""
    return next((m for m in messages if m.is_error), None)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _failure(error: Message, reason: Reason) -> Finding:
    exhausted = any(word in error.text for word in EXHAUSTED)
    return Finding(Reason.RESOURCES if exhausted else reason, error.text)


def environment_begins_with_init(facts: StatementFacts) -> Finding | None:
    """The library is below: the kernel computes with ``Nat.add`` and others by their names."""
    if facts.without_init:
        return Finding(Reason.ENVIRONMENT_INVALID, "the module `Init` is not imported")
    return None


def context_only_opens_scopes(facts: StatementFacts) -> Finding | None:
    """The context neither fails nor declares: a hostile one could redefine what follows."""
    if error := first_error(facts.context_messages):
        return _failure(error, Reason.CONTEXT_INVALID)
    if facts.context_foreign is not None:
        kind = facts.context_foreign or "that Lean does not know"
        return Finding(Reason.CONTEXT_INVALID, f"it has a command {kind}")
    if facts.context_added:
        return Finding(Reason.CONTEXT_INVALID, f"it declares {_list(facts.context_added)}")
    return None


def context_switches_no_check_off(facts: StatementFacts) -> Finding | None:
    """No option in the context such as ``debug.skipKernelTC``."""
    return _options(facts.context_options)


def statement_is_one_theorem(facts: StatementFacts) -> Finding | None:
    """The statement's text is the signature of one theorem, to its last byte."""
    return _fault(facts.fault)


def statement_elaborates(facts: StatementFacts) -> Finding | None:
    """Alone, without the proof, the statement means something."""
    if error := first_error(facts.messages):
        return _failure(error, Reason.STATEMENT_INVALID)
    if facts.statement is None or facts.kind != "theorem":
        return Finding(Reason.STATEMENT_INVALID, "the statement did not become a theorem")
    return None


def statement_has_no_hole(facts: StatementFacts) -> Finding | None:
    """No ``sorry`` in the statement: it would stand for anything."""
    if SORRY_AXIOM in facts.constants:
        return Finding(Reason.SORRY, "the statement contains `sorry`")
    return None


def statement_runs_no_program(facts: StatementFacts) -> Finding | None:
    """No syntax in the statement that runs a program of the candidate's own."""
    return _program(facts.kinds) or _options(facts.options)


STATEMENT_RULES: tuple[StatementRule, ...] = (
    environment_begins_with_init,
    context_only_opens_scopes,
    context_switches_no_check_off,
    statement_is_one_theorem,
    statement_runs_no_program,
    statement_elaborates,
    statement_has_no_hole,
)


def _program(kinds: Iterable[str]) -> Finding | None:
    used = PROGRAM_SYNTAX.intersection(kinds)
    return Finding(Reason.FORBIDDEN_SYNTAX, _list(used)) if used else None


def _options(options: Iterable[str]) -> Finding | None:
    used = [o for o in options if o.startswith(CHECKING_OPTIONS)]
    return Finding(Reason.FORBIDDEN_OPTION, _list(used)) if used else None


def proof_is_one_theorem(facts: ProofFacts) -> Finding | None:
    """Statement and proof together are one theorem, with the proof where it was put."""
    return _fault(facts.fault)


def proof_runs_no_program(facts: ProofFacts) -> Finding | None:
    """No syntax that runs a program of the candidate's own inside the elaborator."""
    return _program(facts.kinds)


def proof_switches_no_check_off(facts: ProofFacts) -> Finding | None:
    """No option such as ``debug.skipKernelTC``."""
    return _options(facts.options)


def proof_does_not_trust_the_compiler(facts: ProofFacts) -> Finding | None:
    """No ``native_decide``, by its syntax, and nothing that the kernel takes from the compiler."""
    used = COMPILER_SYNTAX.intersection(facts.kinds) | COMPILER_AXIOMS.intersection(facts.axioms)
    return Finding(Reason.COMPILER_TRUSTED, _list(used)) if used else None


def proof_elaborates(facts: ProofFacts) -> Finding | None:
    """Lean reports no error."""
    error = first_error(facts.messages)
    return _failure(error, Reason.PROOF_FAILED) if error else None


def theorem_is_there(facts: ProofFacts) -> Finding | None:
    """The environment has a theorem of that name now."""
    if not facts.present or facts.kind != "theorem":
        return Finding(Reason.NOT_A_THEOREM, f"found: {facts.kind or 'nothing'}")
    return None


def theorem_says_the_statement(facts: ProofFacts) -> Finding | None:
    """Its type is the type that the statement has alone."""
    if not facts.type_matches:
        return Finding(Reason.STATEMENT_CHANGED, "its type is not that of the statement alone")
    return None


def proof_has_no_hole(facts: ProofFacts) -> Finding | None:
    """It does not rest on ``sorry``, itself or through a lemma."""
    if SORRY_AXIOM in facts.axioms:
        return Finding(Reason.SORRY, "it rests on `sorry`")
    return None


def axioms_are_allowed(facts: ProofFacts) -> Finding | None:
    """It rests on propext, Classical.choice and Quot.sound at most."""
    others = set(facts.axioms) - ALLOWED_AXIOMS - COMPILER_AXIOMS - {SORRY_AXIOM}
    return Finding(Reason.FORBIDDEN_AXIOM, _list(others)) if others else None


def nothing_else_is_new(facts: ProofFacts) -> Finding | None:
    """Beside the theorem there are only auxiliaries that Lean makes by itself."""
    surplus = [a.name for a in facts.added if a.name != facts.name and not _made_by_lean(a)]
    return Finding(Reason.EXTRA_DECLARATION, _list(surplus)) if surplus else None


def _made_by_lean(added: Added) -> bool:
    auxiliary = added.internal or added.reserved
    return auxiliary and added.kind in MADE_BY_LEAN and added.safety == "safe"


def nothing_unsafe_below(facts: ProofFacts) -> Finding | None:
    """It does not rest on unsafe or partial declarations."""
    return Finding(Reason.UNSAFE, _list(facts.unsafe)) if facts.unsafe else None


def kernel_agrees_again(facts: ProofFacts) -> Finding | None:
    """The kernel accepts the theorem, and all below it, when it is handed over once more."""
    if facts.replay == "accepted":
        return None
    message = facts.replay or "the proof was not replayed"
    exhausted = message.endswith(tuple(f": {word}" for word in KERNEL_EXHAUSTED))
    return Finding(Reason.RESOURCES if exhausted else Reason.KERNEL_REJECTED, message)


PROOF_RULES: tuple[ProofRule, ...] = (
    proof_is_one_theorem,
    proof_runs_no_program,
    proof_switches_no_check_off,
    proof_does_not_trust_the_compiler,
    proof_elaborates,
    theorem_is_there,
    proof_has_no_hole,
    theorem_says_the_statement,
    axioms_are_allowed,
    nothing_else_is_new,
    nothing_unsafe_below,
    kernel_agrees_again,
)


def second_kernel_agrees(word: Word) -> Finding | None:
    """The second kernel accepts the theorem as well."""
    if not word.refusal:
        return None
    reason = Reason.RESOURCES if word.exhausted else Reason.SECOND_KERNEL_REJECTED
    return Finding(reason, f"second kernel: {word.refusal}")


def second_kernel_finds_no_other_axiom(word: Word) -> Finding | None:
    """What the second kernel saw it rest on is allowed, too."""
    others = set(word.axioms) - ALLOWED_AXIOMS
    return Finding(Reason.FORBIDDEN_AXIOM, f"second kernel: {_list(others)}") if others else None


SECOND_KERNEL_RULES: tuple[SecondKernelRule, ...] = (
    second_kernel_agrees,
    second_kernel_finds_no_other_axiom,
)


def audit_second_kernel(word: Word) -> Finding | None:
    """The first finding of the rules on the second kernel's word."""
    return next((f for rule in SECOND_KERNEL_RULES if (f := rule(word))), None)


def audit_statement(facts: StatementFacts) -> Finding | None:
    """The first finding of the statement rules."""
    return next((f for rule in STATEMENT_RULES if (f := rule(facts))), None)


def audit_proof(facts: ProofFacts) -> Finding | None:
    """The first finding of the proof rules; ``None`` means that the theorem is verified."""
    return next((f for rule in PROOF_RULES if (f := rule(facts))), None)
