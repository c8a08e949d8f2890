"""What the verifier says of a candidate, and the stable codes for why."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Outcome(StrEnum):
    """``verified``; ``rejected``: Lean or the audit said no; ``undetermined``: nobody knows."""

    VERIFIED = "verified"
    REJECTED = "rejected"
    UNDETERMINED = "undetermined"


class Reason(StrEnum):
    """Why a verdict is what it is. The codes are stable; ``docs/verdicts.md`` explains each."""

    PROVED = "proved"
    # rejected
    BAD_TEXT = "bad_text"
    PARSE = "parse"
    NOT_ONE_THEOREM = "not_one_theorem"
    ENVIRONMENT_INVALID = "environment_invalid"
    CONTEXT_INVALID = "context_invalid"
    STATEMENT_INVALID = "statement_invalid"
    STATEMENT_CHANGED = "statement_changed"
    PROOF_FAILED = "proof_failed"
    SORRY = "sorry"
    COMPILER_TRUSTED = "compiler_trusted"
    FORBIDDEN_AXIOM = "forbidden_axiom"
    FORBIDDEN_SYNTAX = "forbidden_syntax"
    FORBIDDEN_OPTION = "forbidden_option"
    EXTRA_DECLARATION = "extra_declaration"
    NOT_A_THEOREM = "not_a_theorem"
    UNSAFE = "unsafe"
    KERNEL_REJECTED = "kernel_rejected"
    SECOND_KERNEL_REJECTED = "second_kernel_rejected"
    # undetermined
    TOO_LARGE = "too_large"
    RESOURCES = "resources"
    TIMEOUT = "timeout"
    CRASH = "crash"
    OUT_OF_MEMORY = "out_of_memory"


UNDETERMINED = frozenset(
    {Reason.TOO_LARGE, Reason.RESOURCES, Reason.TIMEOUT, Reason.CRASH, Reason.OUT_OF_MEMORY}
)

HINTS: dict[Reason, str] = {
    Reason.PROVED: "",
    Reason.BAD_TEXT: "Remove control and invisible characters, and lone surrogates.",
    Reason.PARSE: "Lean cannot parse the text; its message says where it stopped.",
    Reason.NOT_ONE_THEOREM: "A candidate is one theorem: a statement and a proof, nothing else.",
    Reason.ENVIRONMENT_INVALID: "A theory must import Init; a prelude of its own is not trusted.",
    Reason.CONTEXT_INVALID: "The context may open scopes; it may not fail or declare anything.",
    Reason.STATEMENT_INVALID: "Correct the statement: alone, without a proof, it must elaborate.",
    Reason.STATEMENT_CHANGED: "The finished theorem says something else than the statement.",
    Reason.PROOF_FAILED: "Lean's message says which step failed.",
    Reason.SORRY: "The proof has a hole: `sorry`, `admit`, or a lemma that was left open.",
    Reason.COMPILER_TRUSTED: "Use `decide` or a proof; the compiler's word is not a proof.",
    Reason.FORBIDDEN_AXIOM: "Allowed axioms are propext, Classical.choice and Quot.sound.",
    Reason.FORBIDDEN_SYNTAX: "A proof may not run programs of its own while it is elaborated.",
    Reason.FORBIDDEN_OPTION: "A proof may not switch off checks of Lean.",
    Reason.EXTRA_DECLARATION: "Prove helper lemmas as candidates of their own.",
    Reason.NOT_A_THEOREM: "The name belongs to something that is no theorem.",
    Reason.UNSAFE: "The proof rests on an `unsafe` or `partial` declaration.",
    Reason.KERNEL_REJECTED: "Asked again, the kernel refused the proof or something below it.",
    Reason.SECOND_KERNEL_REJECTED: "The second kernel refused what the first took: a bug of Lean.",
    Reason.TOO_LARGE: "Split the text; candidates are limited in size.",
    Reason.RESOURCES: "Lean ran out of heartbeats or recursion depth; try a more direct proof.",
    Reason.TIMEOUT: "Give more time, or a more direct proof.",
    Reason.CRASH: "Lean died on this text; the next candidate has a fresh session.",
    Reason.OUT_OF_MEMORY: "Lean needed too much memory on this text.",
}


class Verdict(BaseModel):
    """The answer for one candidate.

    Attributes:
        reason: Stable code. message: Lean's own words, or the audit's.
        axioms: What the proof rests on beyond definitions.
        premises: Constants that the proof term uses.
        kernels: The kernels that accepted it; empty when it is not verified.
        assumed: Constants of Lean's library that the last kernel was given without their bodies.
        vacuous: It is verified and says nothing: its hypotheses contradict each other.
        toolchain: The Lean that checked it.
        seconds: Wall-clock time of the check.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcome: Outcome
    reason: Reason
    message: str = ""
    axioms: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    vacuous: bool = False
    toolchain: str
    seconds: float

    @property
    def verified(self) -> bool:
        """Whether the candidate is proved and the audit passed."""
        return self.outcome is Outcome.VERIFIED

    @property
    def hint(self) -> str:
        """What to do about it."""
        return HINTS[self.reason]
